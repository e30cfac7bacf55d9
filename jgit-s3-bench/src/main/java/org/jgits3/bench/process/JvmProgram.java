// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A program in a JVM of its own, with the class path of this one. It does not outlive this JVM.
 *
 * @param options options of the JVM, those of a profiler among them
 * @param main its main class
 * @param arguments its arguments
 */
public record JvmProgram(List<String> options, Class<?> main, List<String> arguments) {
  /**
   * Result of a program.
   *
   * @param exitCode its exit code
   * @param printed its output, trimmed
   */
  public record Ended(int exitCode, String printed) {}

  /** Keeps copies of the lists. */
  public JvmProgram {
    options = List.copyOf(options);
    arguments = List.copyOf(arguments);
  }

  /**
   * The command line.
   *
   * @return program and arguments
   */
  public List<String> command() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(arguments);
    return command;
  }

  /**
   * Starts it, as a server that runs until it is ended.
   *
   * @param log file for what it prints
   * @return its process
   * @throws IOException if it cannot be started
   */
  public Process start(Path log) throws IOException {
    return Leftovers.start(
        new ProcessBuilder(command()).redirectErrorStream(true).redirectOutput(log.toFile()));
  }

  /**
   * Runs it to its end.
   *
   * @param limit how long it may take; it is ended then
   * @param errors file for what it prints as errors
   * @return how it ended, after it has printed no more than some lines; empty if it took too long
   * @throws IOException if it cannot be started
   * @throws InterruptedException if the thread was interrupted; the JVM is gone
   */
  public Optional<Ended> run(Duration limit, Path errors) throws IOException, InterruptedException {
    Process process = Leftovers.start(new ProcessBuilder(command()).redirectError(errors.toFile()));
    try (InputStream printed = process.getInputStream()) {
      if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        return Optional.empty();
      }
      String text = new String(printed.readAllBytes(), StandardCharsets.UTF_8).strip();
      return Optional.of(new Ended(process.exitValue(), text));
    } finally {
      Leftovers.end(process);
    }
  }
}
