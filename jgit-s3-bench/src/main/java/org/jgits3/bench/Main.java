// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench;

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
    System.exit(BenchCommand.commandLine(Suites.BENCHMARKS).execute(args));
  }
}
