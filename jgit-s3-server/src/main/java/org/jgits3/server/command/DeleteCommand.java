// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.jgits3.S3RepositoryManager;
import org.jgits3.manifest.RepositoryName;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** Deletes a repository. */
@Command(name = "delete", description = "Delete a repository with all its refs and history.")
final class DeleteCommand implements Callable<Integer> {
  @ParentCommand private JgitS3 program;
  @Mixin private Output output;

  @Parameters(paramLabel = "NAME", description = "The repository.")
  private RepositoryName name;

  /** Result as {@code --json} prints it. */
  private record Deleted(boolean ok, String name) {}

  @Override
  public Integer call() throws IOException {
    try (S3RepositoryManager manager = program.open()) {
      manager.delete(name.value());
    }
    if (output.json()) {
      output.value(new Deleted(true, name.value()));
    } else {
      output.line("Deleted " + name);
    }
    return 0;
  }
}
