// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.lib.TextProgressMonitor;
import picocli.CommandLine;

/** How far long work is, on standard error, if a person is looking at it. */
final class Progress {
  private Progress() {}

  /**
   * A monitor for the work of a command.
   *
   * @param command the command
   * @param output its output
   * @return one that prints, if there is a terminal and no JSON was asked for; else one that does
   *     nothing
   */
  static ProgressMonitor of(CommandLine command, Output output) {
    if (!CommandLine.Help.Ansi.AUTO.enabled() || output.json()) {
      return NullProgressMonitor.INSTANCE;
    }
    return new TextProgressMonitor(command.getErr());
  }
}
