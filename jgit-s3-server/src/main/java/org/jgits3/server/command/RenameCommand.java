// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import org.jgits3.S3RepositoryManager;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.server.program.StoreCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Renames a repository. */
@Command(
    name = "rename",
    description = "Rename a repository; repeated after a failure it goes on where it stopped.")
final class RenameCommand extends StoreCommand {
  @Parameters(index = "0", paramLabel = "OLD", description = "Its name.")
  private RepositoryName from;

  @Parameters(index = "1", paramLabel = "NEW", description = "The name it gets.")
  private RepositoryName to;

  /** Result as {@code --json} prints it. */
  private record Renamed(boolean ok, String from, String to) {}

  @Override
  public Integer call() throws IOException {
    try (S3RepositoryManager manager = program.open()) {
      manager.rename(from.value(), to.value());
    }
    output.result(new Renamed(true, from.value(), to.value()), "Renamed " + from + " to " + to);
    return 0;
  }
}
