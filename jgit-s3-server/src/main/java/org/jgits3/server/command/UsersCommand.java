// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jgits3.server.http.users.UsersEdit;
import org.jgits3.server.terminal.NewPassword;
import org.jgits3.server.terminal.Output;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Changes the file of users that {@code serve} reads. */
@Command(
    name = "users",
    description = "Add, list and remove users of serve. Servers see a change at once.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {UsersCommand.Add.class, UsersCommand.Names.class, UsersCommand.Remove.class})
final class UsersCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "give one of add, list, remove");
  }

  /** File that a command changes. */
  private abstract static class FileCommand implements Callable<Integer> {
    @Mixin Output output;

    @Option(
        names = "--users",
        paramLabel = "FILE",
        required = true,
        description = "htpasswd file (bcrypt), as serve --users has it.")
    private Path file;

    /** Names a user whose line was changed as {@code --json} prints it. */
    record Changed(boolean ok, String name) {}

    final UsersEdit users() {
      return new UsersEdit(file);
    }
  }

  /** Adds a user. */
  @Command(
      name = "add",
      sortOptions = false,
      description = "Add a user, or change the password of one. Asks for the password.")
  static final class Add extends FileCommand {
    @Parameters(paramLabel = "NAME", description = "Name of the user.")
    private String name;

    @Option(
        names = "--password-stdin",
        description = "Read the password from standard input instead of the terminal.")
    private boolean standardInput;

    @Override
    public Integer call() throws IOException {
      String password = standardInput ? NewPassword.read(System.in) : NewPassword.typed(name);
      boolean added = users().put(name, password);
      output.result(
          new Changed(true, name), added ? "Added " + name : "Changed the password of " + name);
      return 0;
    }
  }

  /** Lists the users. */
  @Command(name = "list", description = "List the names of the users.")
  static final class Names extends FileCommand {
    @Override
    public Integer call() throws IOException {
      List<String> names = users().names();
      output.value(names);
      names.forEach(output::line);
      return 0;
    }
  }

  /** Removes a user. */
  @Command(name = "remove", sortOptions = false, description = "Remove a user.")
  static final class Remove extends FileCommand {
    @Parameters(paramLabel = "NAME", description = "Name of the user.")
    private String name;

    @Override
    public Integer call() throws IOException {
      users().remove(name);
      output.result(new Changed(true, name), "Removed " + name);
      return 0;
    }
  }
}
