// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
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
    System.exit(
        JgitS3.commandLine()
            .setOut(utf8(FileDescriptor.out))
            .setErr(utf8(FileDescriptor.err))
            .execute(args));
  }

  /** Opens an output of the process: names are UTF-8 whatever the locale. */
  private static PrintWriter utf8(FileDescriptor output) {
    return new PrintWriter(new FileOutputStream(output), true, StandardCharsets.UTF_8);
  }
}
