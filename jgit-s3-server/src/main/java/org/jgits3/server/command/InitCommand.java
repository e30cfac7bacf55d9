// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.server.program.RepositoryCommand;
import picocli.CommandLine.Command;

/** Creates a repository. */
@Command(name = "init", description = "Create an empty repository.")
final class InitCommand extends RepositoryCommand {
  /** Result as {@code --json} prints it. */
  private record Created(boolean ok, String name, String store) {}

  @Override
  public Integer call() throws IOException {
    try (S3RepositoryManager manager = program.open();
        S3Repository repository = manager.createRepository(name.value())) {
      String store = manager.store().location();
      output.result(
          new Created(true, name.value(), store),
          "Initialized empty Git repository "
              + name
              + " on "
              + repository.getFullBranch()
              + " in "
              + store);
    }
    return 0;
  }
}
