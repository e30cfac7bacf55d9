// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.util.List;
import java.util.Set;
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
    exitCodeListHeading = "%nExit code:%n",
    exitCodeList = {"0:success", "1:failed", "2:wrong usage or configuration"})
public final class JgitS3 extends Program {
  /** Commands in the order of the usage message. */
  private static final List<Class<?>> COMMANDS =
      List.of(
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
          DemoCommand.class);

  /** Options before a command that have a value. */
  private static final Set<String> WITH_VALUE = Set.of("--config", "--store", "--metrics-file");

  private JgitS3() {}

  /**
   * Creates the command line of the program, as {@link Program#line} does. It has one command if
   * the arguments begin with that, after options with a value; else it has all. A model of each
   * command takes a quarter of the time in which a short one is over.
   *
   * @param args arguments that the command line is to execute
   * @return the command line
   */
  public static CommandLine commandLine(String... args) {
    int word = 0;
    while (word < args.length && WITH_VALUE.contains(args[word])) {
      word += 2;
    }
    String name = word < args.length ? args[word] : "";
    List<Class<?>> named = COMMANDS.stream().filter(command -> isCalled(command, name)).toList();
    return new JgitS3().line(named.isEmpty() ? COMMANDS : named);
  }

  private static boolean isCalled(Class<?> command, String name) {
    return command.getAnnotation(Command.class).name().equals(name);
  }
}
