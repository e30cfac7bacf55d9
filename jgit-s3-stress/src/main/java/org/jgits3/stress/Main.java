// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress;

import java.util.Arrays;
import java.util.List;
import org.jgits3.bench.BenchCommand;
import org.jgits3.bench.Suites;
import org.jgits3.server.program.CommitQueue;
import org.jgits3.stress.robust.RobustSuite;
import picocli.CommandLine;

/** Entry point of the program. */
public final class Main {
  /** Name of the module, in messages. */
  static final String PROGRAM = "jgit-s3-stress";

  private Main() {}

  /**
   * Runs a test and ends the JVM.
   *
   * @param args command line
   */
  public static void main(String[] args) {
    CommitQueue.useHeap();
    String[] rest = Arrays.copyOfRange(args, Math.min(1, args.length), args.length);
    System.exit(
        switch (args.length == 0 ? "" : args[0]) {
          case TortureCommand.NAME -> TortureCommand.commandLine().execute(rest);
          case LoadCommand.NAME -> LoadCommand.commandLine().execute(rest);
          default -> suites().execute(args);
        });
  }

  private static CommandLine suites() {
    CommandLine line = BenchCommand.commandLine(new Suites(PROGRAM, List.of(new RobustSuite())));
    line.getCommandSpec()
        .usageMessage()
        .description("Measures what a server bears, and prints tables.")
        .footer(
            "",
            "'run torture' and 'run load' are other programs: see 'run torture --help', 'run load"
                + " --help'.");
    return line;
  }
}
