// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server;

import org.jgits3.server.command.JgitS3;
import org.jgits3.server.program.CommitQueue;

/** Entry point of the program. */
public final class Main {
  private Main() {}

  /**
   * Runs one command and exits: 0 if it succeeded, 1 if it failed, 2 if it was used wrongly.
   *
   * @param args global options, a command, its options and operands
   */
  public static void main(String[] args) {
    CommitQueue.useHeap();
    System.exit(JgitS3.commandLine(args).execute(args));
  }
}
