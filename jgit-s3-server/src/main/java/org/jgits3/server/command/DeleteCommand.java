// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import org.jgits3.S3RepositoryManager;
import org.jgits3.server.program.RepositoryCommand;
import org.jgits3.server.terminal.ProgressBar;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Deletes a repository. */
@Command(name = "delete", description = "Delete a repository with all its refs and history.")
final class DeleteCommand extends RepositoryCommand {
  @Option(
      names = "--detach",
      description = "Of a template, copy what its forks list of it into each of them first.")
  private boolean detach;

  /** Result as {@code --json} prints it. */
  private record Deleted(boolean ok, String name) {}

  @Override
  public Integer call() throws IOException {
    try (ProgressBar progress = progress();
        S3RepositoryManager manager = program.open(program.settings(), progress.traffic())) {
      if (detach) {
        program.end().giveUpAtSignal(manager, progress);
        for (String fork : manager.forks(name.value())) {
          progress.checkWanted();
          manager.detach(fork, progress);
          output.line("Detached " + fork);
        }
      }
      manager.delete(name.value());
    }
    output.result(new Deleted(true, name.value()), "Deleted " + name);
    return 0;
  }
}
