// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import org.jgits3.S3RepositoryManager;
import org.jgits3.server.program.RepositoryCommand;
import picocli.CommandLine.Command;

/** Deletes a repository. */
@Command(name = "delete", description = "Delete a repository with all its refs and history.")
final class DeleteCommand extends RepositoryCommand {
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
