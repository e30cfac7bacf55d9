// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import org.jgits3.S3RepositoryManager;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.server.program.StoreCommand;
import org.jgits3.server.terminal.ProgressBar;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Deletes a repository. */
@Command(
    name = "delete",
    sortOptions = false,
    description = "Delete a repository with all its refs and history.")
final class DeleteCommand extends StoreCommand {
  @ArgGroup(exclusive = true, multiplicity = "1")
  private Subject subject;

  /** Options given by the user. */
  private static final class Subject {
    @Parameters(paramLabel = "NAME", description = "The repository.")
    private RepositoryName name;

    @Option(
        names = "--id",
        description = "The repository of this id, such as verify --names tells.")
    private String id;
  }

  @Option(
      names = "--detach",
      description = "Of a template, copy what its forks list of it into each of them first.")
  private boolean detach;

  /** Result as {@code --json} prints it. */
  private record Deleted(boolean ok, String name) {}

  @Override
  public Integer call() throws IOException {
    if (detach && subject.name == null) {
      throw usage("--detach: goes with a name");
    }
    String deleted =
        subject.name == null ? "repository " + checkedId(subject.id) : subject.name.value();
    try (ProgressBar progress = progress();
        S3RepositoryManager manager = program.open(program.settings(), progress.traffic())) {
      if (detach) {
        detachForks(manager, progress);
      }
      if (subject.name == null) {
        manager.deleteById(subject.id);
      } else {
        manager.delete(deleted);
      }
    }
    output.result(new Deleted(true, deleted), "Deleted " + deleted);
    return 0;
  }

  private void detachForks(S3RepositoryManager manager, ProgressBar progress) throws IOException {
    program.end().giveUpAtSignal(manager, progress);
    for (String fork : manager.forks(subject.name.value())) {
      progress.checkWanted();
      manager.detach(fork, progress);
      output.line("Detached " + fork);
    }
  }
}
