// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.transfer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jgits3.bench.process.Leftovers;

/**
 * A process that transfers one object, from its start to its end.
 *
 * @param nanos time from start to end
 * @param peakMegabytes most memory that was resident, in MiB; empty where the system does not say
 * @param inner time the process itself has measured, without its start-up; empty if it has not
 * @param crc32c checksum of what the process has sent or received, if it says so
 */
record ToolProcess(
    double nanos, OptionalDouble peakMegabytes, OptionalDouble inner, OptionalLong crc32c) {
  private static final long POLL_MILLIS = 5;
  private static final String PEAK = "VmHWM:";

  /** A tool that did not end, so that to try it again would take as long. */
  static final class HungException extends IOException {
    private static final long serialVersionUID = 1;

    HungException(Duration limit) {
      super("did not end within " + limit.toSeconds() + " s");
    }
  }

  /**
   * Runs a tool.
   *
   * @param command program and arguments
   * @param environment variables besides those of this process; if there are any, they are all that
   *     the tool knows of the server, whatever profile this process has
   * @param log file for what it prints
   * @param limit how long it may take; it is ended then, with what it has started
   * @return what was measured
   * @throws HungException if it does not end in time
   * @throws IOException if it cannot be started, or fails, with its last line
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
    OptionalDouble peak = OptionalDouble.empty();
    double nanos;
    try {
      while (!process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
        OptionalDouble now = peak(process.pid());
        peak = now.isPresent() ? now : peak;
        if (System.nanoTime() - start > limit.toNanos()) {
          throw new HungException(limit);
        }
      }
      nanos = System.nanoTime() - start;
    } finally {
      Leftovers.end(process);
    }
    String said = lastLine(log);
    if (process.exitValue() != 0) {
      throw new IOException("ended with " + process.exitValue() + ": " + said);
    }
    Optional<LibraryTransfer.Report> report = LibraryTransfer.Report.parse(said);
    return new ToolProcess(
        nanos,
        peak,
        report.map(r -> OptionalDouble.of(r.nanos())).orElse(OptionalDouble.empty()),
        report.map(r -> OptionalLong.of(r.crc32c())).orElse(OptionalLong.empty()));
  }

  /** Checksum of what the process has moved; 0 if it does not say. */
  long said() {
    return crc32c.orElse(0);
  }

  /** The kernel keeps the peak, so that a poll shortly before the end knows all of it. */
  private static OptionalDouble peak(long pid) {
    try {
      return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
          .filter(line -> line.startsWith(PEAK))
          .mapToDouble(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024.0)
          .findFirst();
    } catch (IOException e) {
      return OptionalDouble.empty(); // it has just ended, or this is not Linux
    }
  }

  private static String lastLine(Path log) throws IOException {
    String said = new String(Files.readAllBytes(log), StandardCharsets.UTF_8).strip();
    return said.substring(said.lastIndexOf('\n') + 1);
  }
}
