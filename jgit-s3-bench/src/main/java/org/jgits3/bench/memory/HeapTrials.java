// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.memory;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jgits3.bench.process.JvmProgram;

/**
 * Runs {@link TrialProgram} in JVMs of a given heap, one after the other. The collector is G1
 * whatever the machine, so that results can be compared: with it a large array takes whole regions,
 * and the heap may be full of it.
 *
 * @param jvmOptions options that tell the JVMs where the server is
 * @param patience how long one may take; one that is not done by then collects garbage for ever
 * @param log file for what the last one prints as errors
 */
record HeapTrials(List<String> jvmOptions, Duration patience, Path log) {
  /**
   * Outcome of a trial.
   *
   * @param enough whether the heap was enough
   * @param peak most bytes of memory the process had; empty if it failed, or the system does not
   *     tell
   */
  record Outcome(boolean enough, OptionalLong peak) {}

  /**
   * Tries once.
   *
   * @param megabytes heap in MiB
   * @param arguments what the program is to do
   * @return whether it did
   * @throws IOException if it failed for another reason than too small a heap
   * @throws InterruptedException if the thread was interrupted; the JVM is gone
   */
  Outcome run(int megabytes, List<String> arguments) throws IOException, InterruptedException {
    List<String> options = new ArrayList<>(jvmOptions);
    options.addAll(
        List.of("-XX:+UseG1GC", "-XX:+ExitOnOutOfMemoryError", "-Xmx" + megabytes + "m"));
    Optional<JvmProgram.Ended> ended =
        new JvmProgram(options, TrialProgram.class, arguments).run(patience, log);
    return ended.isPresent()
        ? outcome(ended.get().exitCode(), ended.get().printed())
        : new Outcome(false, OptionalLong.empty());
  }

  private Outcome outcome(int code, String printed) throws IOException {
    if (code == TrialProgram.OK) {
      return new Outcome(true, peak(printed));
    }
    if (code == TrialProgram.TOO_SMALL) {
      return new Outcome(false, OptionalLong.empty());
    }
    throw new IOException(
        printed.isEmpty() ? "the JVM ended with exit code " + code + "; see " + log : printed);
  }

  private static OptionalLong peak(String printed) {
    return printed
        .lines()
        .filter(line -> line.startsWith(TrialProgram.PEAK))
        .mapToLong(line -> Long.parseLong(line.substring(TrialProgram.PEAK.length())))
        .findFirst();
  }
}
