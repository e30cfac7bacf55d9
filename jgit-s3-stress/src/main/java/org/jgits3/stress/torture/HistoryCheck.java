// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.torture;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jgits3.bench.process.Installer;
import org.jgits3.bench.process.Leftovers;

/**
 * The program of etc/test/history, which judges histories.
 *
 * @param program the program
 */
record HistoryCheck(Path program) {
  private static final int UNDECIDED = 3;

  /** Builds it if it is missing or older than its source. */
  static HistoryCheck build(Path root) throws IOException, InterruptedException {
    Path installer = root.resolve("etc/test/history-check");
    String ended = Installer.run(installer);
    Path program = root.resolve("target/tools/history-check");
    if (!Files.isExecutable(program)) {
      throw new IOException("the checker of histories is missing: " + installer + " " + ended);
    }
    return new HistoryCheck(program);
  }

  /** Returns what the program says of some histories; empty if they are right. */
  Optional<String> judge(List<Path> histories) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    histories.forEach(file -> command.add(file.toString()));
    Process process = Leftovers.start(new ProcessBuilder(command).redirectErrorStream(true));
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    int exitCode = process.waitFor();
    if (exitCode == 0) {
      return Optional.empty();
    }
    return Optional.of(exitCode == UNDECIDED ? "undecided in time: " + output : output);
  }
}
