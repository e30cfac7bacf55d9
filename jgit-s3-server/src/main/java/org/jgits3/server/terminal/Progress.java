// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.terminal;

import picocli.CommandLine;

/** Shows the progress of long work on standard error, if that is a terminal. */
public final class Progress {
  private Progress() {}

  /**
   * Creates the monitor of a command.
   *
   * @param command the command
   * @param output its output
   * @return a bar; drawn if there is a terminal and no JSON was requested
   */
  public static ProgressBar of(CommandLine command, Output output) {
    return new ProgressBar(command.getErr(), ProgressBar.onTerminal() && !output.json());
  }
}
