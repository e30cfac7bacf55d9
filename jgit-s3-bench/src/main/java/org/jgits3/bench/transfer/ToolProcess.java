// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.transfer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jgits3.bench.process.Leftovers;
import org.jgits3.bench.process.PeakMemory;

/**
 * A process that transfers one object, from its start to its end.
 *
 * @param nanos time from start to end
 * @param peak most bytes of memory that were resident; empty where the system does not say
 */
record ToolProcess(double nanos, OptionalLong peak) {
  private static final long POLL_MILLIS = 5;

  /**
   * Runs a tool.
   *
   * @param command program and arguments
   * @param environment variables besides those of this process; if there are any, they are all that
   *     the tool knows of the server, whatever profile this process has
   * @param log file for what it prints
   * @param limit how long it may take; it is ended then, with what it has started
   * @return what was measured
   * @throws IOException if it cannot be started or does not end in time, or fails, with its last
   *     line
   */
  static ToolProcess run(
      List<String> command, Map<String, String> environment, Path log, Duration limit)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    if (!environment.isEmpty()) {
      builder.environment().keySet().removeIf(name -> name.startsWith("AWS_"));
      builder.environment().putAll(environment);
    }
    long start = System.nanoTime();
    Process process = Leftovers.start(builder);
    OptionalLong peak = OptionalLong.empty();
    double nanos;
    try {
      while (!process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
        // The kernel keeps the peak, so that a poll shortly before the end knows all of it.
        OptionalLong now = PeakMemory.of(Long.toString(process.pid()));
        peak = now.isPresent() ? now : peak;
        if (System.nanoTime() - start > limit.toNanos()) {
          throw new IOException("did not end within " + limit.toSeconds() + " s");
        }
      }
      nanos = System.nanoTime() - start;
    } finally {
      Leftovers.end(process);
    }
    if (process.exitValue() != 0) {
      String said = new String(Files.readAllBytes(log), StandardCharsets.UTF_8).strip();
      throw new IOException(
          "ended with " + process.exitValue() + ": " + said.substring(said.lastIndexOf('\n') + 1));
    }
    return new ToolProcess(nanos, peak);
  }
}
