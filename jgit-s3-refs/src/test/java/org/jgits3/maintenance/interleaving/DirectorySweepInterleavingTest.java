// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance.interleaving;

import java.io.IOException;
import java.nio.file.Path;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.store.ObjectStore;
import org.junit.jupiter.api.io.TempDir;

/** The interleavings on a directory. */
class DirectorySweepInterleavingTest extends SweepInterleavingContract {
  @TempDir Path directory;

  @Override
  protected ObjectStore store() throws IOException {
    return new DirectoryObjectStore(directory);
  }
}
