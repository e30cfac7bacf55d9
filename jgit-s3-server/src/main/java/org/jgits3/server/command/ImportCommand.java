// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import java.time.Duration;
import org.jgits3.S3RepositoryManager;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.server.program.StoreCommand;
import org.jgits3.server.terminal.ProgressBar;
import org.jgits3.server.terminal.Quantity;
import org.jgits3.transfer.ImportSource;
import org.jgits3.transfer.Importer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Imports a repository from a directory or a URL. */
@Command(
    name = "import",
    description = "Make a repository from one elsewhere; repeated after a failure it begins again.")
final class ImportCommand extends StoreCommand {
  @Parameters(
      index = "0",
      paramLabel = "SOURCE",
      description = "Directory of a repository, a bundle, or a URL to fetch from.")
  private String location;

  @Parameters(index = "1", paramLabel = "NAME", description = "The name it gets.")
  private RepositoryName name;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "120",
      description = "Give up a server that is silent for so long (${DEFAULT-VALUE}).")
  private int timeoutSeconds;

  /** Result as {@code --json} prints it. */
  private record Report(
      boolean ok, String name, String source, int refs, long objects, long packBytes) {}

  @Override
  public Integer call() throws IOException {
    if (timeoutSeconds < 1) {
      throw usage("Invalid value for option '--timeout': it is less than 1");
    }
    try (ImportSource source = ImportSource.open(location, Duration.ofSeconds(timeoutSeconds))) {
      print(source.toString(), importFrom(source));
    }
    return 0;
  }

  private Importer.Imported importFrom(ImportSource source) throws IOException {
    try (ProgressBar progress = progress();
        S3RepositoryManager manager = program.open(program.settings(), progress.traffic())) {
      program.end().giveUpAtSignal(manager, progress);
      return new Importer(manager, progress).run(source, name);
    }
  }

  private void print(String source, Importer.Imported imported) {
    output.result(
        new Report(
            true, name.value(), source, imported.refs(), imported.objects(), imported.bytes()),
        "Imported "
            + name
            + " from "
            + source
            + ": "
            + Quantity.of(imported.refs(), imported.objects(), imported.bytes()));
  }
}
