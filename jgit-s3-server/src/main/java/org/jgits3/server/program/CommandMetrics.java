// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.program;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;

/** Writes how a command ended, for the textfile collector of Prometheus' node exporter. */
final class CommandMetrics {
  private CommandMetrics() {}

  /**
   * Replaces a file, so that a reader finds the old or the new content. All users may read it.
   *
   * @param file file that is replaced; a file beside it is used on the way
   * @param command name of the command
   * @param began when it began
   * @param exitCode how it ended
   * @throws IOException if the file cannot be written
   */
  static void write(Path file, String command, Instant began, int exitCode) throws IOException {
    Instant now = Instant.now();
    double seconds = Duration.between(began, now).toMillis() / 1000.0;
    String text =
        gauge(
                "ended_timestamp_seconds",
                "Time of the end of the last run",
                command,
                now.getEpochSecond())
            + gauge("duration_seconds", "Time that the last run took", command, seconds)
            + gauge("exit_code", "Exit code of the last run", command, exitCode);
    // A name of its own: a link that lies in the way leads nowhere, and two runs need two files.
    Path part =
        Files.createTempFile(
            file.toAbsolutePath().getParent(), file.getFileName().toString(), ".part");
    try {
      Files.writeString(part, text);
      if (!part.toFile().setReadable(true, false)) {
        throw new IOException(part + ": its mode cannot be set");
      }
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(part);
    }
  }

  private static String gauge(String name, String description, String command, Number value) {
    String metric = "jgits3_command_" + name;
    return "# HELP %1$s %2$s of a command\n# TYPE %1$s gauge\n%1$s{command=\"%3$s\"} %4$s\n"
        .formatted(metric, description, command, value);
  }
}
