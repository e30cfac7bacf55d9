// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench;

import java.util.Arrays;
import org.jgits3.server.program.CommitQueue;

/** Entry point of the program. */
public final class Main {
  private Main() {}

  /**
   * Runs suites and ends the JVM.
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
          default -> BenchCommand.commandLine().execute(args);
        });
  }
}
