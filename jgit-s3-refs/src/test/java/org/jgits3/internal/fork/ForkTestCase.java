// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.fork;

import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests on a store with a template. */
public abstract class ForkTestCase {
  @TempDir protected Path directory;
  @AutoClose protected ForkFixture it;

  @BeforeEach
  void create() throws Exception {
    it = new ForkFixture(directory.resolve("store"));
  }
}
