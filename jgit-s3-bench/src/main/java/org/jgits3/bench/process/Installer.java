// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.process;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalInt;

/** A script that installs programs, and says on its standard error what it cannot install. */
public final class Installer {
  /** Enough to compile large programs on a slow machine. */
  private static final Duration LIMIT = Duration.ofMinutes(20);

  private Installer() {}

  /**
   * Runs it to its end.
   *
   * @param script the script
   * @return how it ended, as the end of a sentence
   * @throws IOException if it cannot be started
   * @throws InterruptedException if the thread was interrupted; the script is gone
   */
  public static String run(Path script) throws IOException, InterruptedException {
    return run(script, LIMIT);
  }

  /** The same within some time, after which it is ended. */
  static String run(Path script, Duration limit) throws IOException, InterruptedException {
    OptionalInt code =
        Leftovers.run(
            new ProcessBuilder(script.toAbsolutePath().toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT),
            limit);
    return code.isPresent()
        ? "ended with " + code.getAsInt()
        : "did not end within " + limit.toSeconds() + " s";
  }
}
