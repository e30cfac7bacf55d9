// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import picocli.CommandLine;

/** How far long work is, on standard error, if a person is looking at it. */
final class Progress {
  private Progress() {}

  /**
   * A monitor for the work of a command.
   *
   * @param command the command
   * @param output its output
   * @return a bar that is drawn if there is a terminal and no JSON was asked for
   */
  static ProgressBar of(CommandLine command, Output output) {
    return new ProgressBar(command.getErr(), ProgressBar.onTerminal() && !output.json());
  }
}
