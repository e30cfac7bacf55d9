// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import org.jgits3.server.fork.ForkCommand;
import org.jgits3.server.fork.TemplateCommand;
import org.jgits3.server.program.Program;
import org.jgits3.server.terminal.Version;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ScopeType;

/** The program with its commands; global options stand before or after the name of one. */
@Command(
    name = "jgit-s3",
    description = "Git repositories that live wholly in an S3 bucket.",
    synopsisSubcommandLabel = "COMMAND",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    versionProvider = Version.class,
    sortOptions = false,
    subcommands = {
      ServeCommand.class,
      UsersCommand.class,
      InitCommand.class,
      ListCommand.class,
      ImportCommand.class,
      ImportSiteCommand.class,
      ExportCommand.class,
      ExportSiteCommand.class,
      RefsCommand.class,
      ReflogCommand.class,
      LogCommand.class,
      EventsCommand.class,
      ConfigCommand.class,
      RestoreRefsCommand.class,
      RestoreCommand.class,
      TemplateCommand.class,
      ForkCommand.class,
      RenameCommand.class,
      DeleteCommand.class,
      GcCommand.class,
      SweepCommand.class,
      VerifyCommand.class,
      StatsCommand.class,
      DoctorCommand.class,
      DemoCommand.class,
    },
    exitCodeListHeading = "%nExit code:%n",
    exitCodeList = {"0:success", "1:failed", "2:wrong usage or configuration"})
public final class JgitS3 extends Program {
  private JgitS3() {}

  /**
   * Creates the command line of the program, as {@link Program#line} does.
   *
   * @return the command line
   */
  public static CommandLine commandLine() {
    return new JgitS3().line();
  }
}
