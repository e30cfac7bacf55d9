// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench;

import java.nio.file.Path;
import java.util.Optional;

/** What a test asks a suite to do. */
public final class SmallestContext {
  private SmallestContext() {}

  /** The smallest run, with all data in a directory. */
  public static SuiteContext in(Path directory) {
    Path root = Path.of(System.getProperty("project.root", ".."));
    return new SuiteContext(
        Effort.SMALLEST,
        1000,
        16,
        root,
        directory,
        Optional.empty(),
        Optional.empty(),
        new Progress(line -> {}, System::nanoTime));
  }
}
