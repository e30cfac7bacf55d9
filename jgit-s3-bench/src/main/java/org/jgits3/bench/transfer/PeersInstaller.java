// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.transfer;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Has the other tools installed. What cannot be installed is missing in the results. */
final class PeersInstaller {
  private PeersInstaller() {}

  /**
   * Runs the program that installs them, which says itself what cannot be had and why.
   *
   * @param command the program
   * @param limit how long it may take; it is ended then, with what it has started
   * @return one line if it did not end in time
   */
  static Optional<String> run(List<String> command, Duration limit)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      return process.waitFor(limit.toSeconds(), TimeUnit.SECONDS)
          ? Optional.empty()
          : Optional.of(
              "the installer of other tools did not end within "
                  + limit.toSeconds()
                  + " s; what it has not installed is missing");
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }
}
