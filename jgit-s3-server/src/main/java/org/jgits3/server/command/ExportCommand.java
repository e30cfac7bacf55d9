// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import java.nio.file.Path;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.server.program.RepositoryCommand;
import org.jgits3.server.terminal.ProgressBar;
import org.jgits3.server.terminal.Quantity;
import org.jgits3.transfer.Exporter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Writes a repository to a directory. */
@Command(
    name = "export",
    description = "Write a repository to a directory, as a bare one that Git can use.")
final class ExportCommand extends RepositoryCommand {
  @Parameters(index = "1", paramLabel = "DIR", description = "Where it goes; missing or empty.")
  private Path directory;

  /** Result as {@code --json} prints it. */
  private record Report(
      boolean ok, String name, String directory, int refs, long objects, long packBytes) {}

  @Override
  public Integer call() throws IOException {
    print(export());
    return 0;
  }

  private Exporter.Exported export() throws IOException {
    try (ProgressBar progress = progress();
        S3RepositoryManager manager = program.openToRead(progress.traffic());
        S3Repository repository = manager.openRepository(name.value())) {
      return new Exporter(progress).run(repository, directory);
    }
  }

  private void print(Exporter.Exported exported) {
    output.result(
        new Report(
            true,
            name.value(),
            directory.toString(),
            exported.refs(),
            exported.objects(),
            exported.bytes()),
        "Exported "
            + name
            + " to "
            + directory
            + ": "
            + Quantity.of(exported.refs(), exported.objects(), exported.bytes()));
  }
}
