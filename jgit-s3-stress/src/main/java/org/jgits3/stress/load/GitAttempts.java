// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.load;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.jgits3.bench.git.GitClient;

/**
 * Commands of git that are repeated as long as the server says that it is busy.
 *
 * @param git the git
 * @param tally where they are counted
 */
record GitAttempts(GitClient git, Tally tally) {
  /** Time after which a command hangs. */
  static final Duration LIMIT = Duration.ofMinutes(10);

  /**
   * Runs a command until it succeeds.
   *
   * @throws IOException if it fails otherwise, or hangs
   */
  void run(Operation operation, Path directory, String... args)
      throws IOException, InterruptedException {
    long began = System.nanoTime();
    while (true) {
      GitClient.Ended ended = git.attempt(directory, LIMIT, args);
      if (ended.succeeded()) {
        tally.done(operation, began);
        return;
      }
      if (!ended.refusedAsBusy()) {
        throw new IOException(operation.words() + ": " + why(ended));
      }
      tally.rejected(operation);
    }
  }

  private static String why(GitClient.Ended ended) {
    return ended.exitCode().isEmpty()
        ? "hangs for " + LIMIT.toMinutes() + " minutes"
        : (ended.printed() + " " + ended.errors()).strip();
  }
}
