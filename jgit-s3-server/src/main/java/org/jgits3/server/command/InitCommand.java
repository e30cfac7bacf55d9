// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.server.program.Program;
import org.jgits3.server.terminal.Output;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** Creates a repository. */
@Command(name = "init", description = "Create an empty repository.")
final class InitCommand implements Callable<Integer> {
  @ParentCommand private Program program;
  @Mixin private Output output;

  @Parameters(paramLabel = "NAME", description = "Its name, with or without .git.")
  private RepositoryName name;

  /** Result as {@code --json} prints it. */
  private record Created(boolean ok, String name, String store) {}

  @Override
  public Integer call() throws IOException {
    try (S3RepositoryManager manager = program.open();
        S3Repository repository = manager.createRepository(name.value())) {
      String store = manager.store().location();
      if (output.json()) {
        output.value(new Created(true, name.value(), store));
      } else {
        output.line(
            "Initialized empty Git repository "
                + name
                + " on "
                + repository.getFullBranch()
                + " in "
                + store);
      }
    }
    return 0;
  }
}
