// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.jgits3.S3RepositoryManager;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.server.program.StoreCommand;
import org.jgits3.server.site.SiteDirectory;
import org.jgits3.server.site.SiteReport;
import org.jgits3.server.site.SiteReport.Outcome;
import org.jgits3.server.terminal.ProgressBar;
import org.jgits3.transfer.ImportSource;
import org.jgits3.transfer.Importer;
import org.jgits3.transfer.Mirror;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Imports all repositories below a directory. */
@Command(
    name = "import-site",
    description = {
      "Make a repository of each one below a directory, such as git/ of a Gerrit.",
      "Repeated, it goes on with those that are missing; --update copies what has changed."
    })
final class ImportSiteCommand extends StoreCommand {
  @Parameters(index = "0", paramLabel = "DIR", description = "Directory of all repositories.")
  private Path directory;

  @Option(
      names = "--update",
      description = "Give repositories that exist the refs of the directory, and no others.")
  private boolean update;

  @Option(names = "--dry-run", description = "Say what would be done, and do nothing.")
  private boolean dryRun;

  @Override
  public Integer call() throws IOException {
    SiteDirectory site = SiteDirectory.read(directory);
    SiteReport report = new SiteReport(output);
    site.refused().forEach(report::failed);
    try (ProgressBar progress = progress();
        S3RepositoryManager manager =
            dryRun
                ? program.openToRead(progress.traffic())
                : program.open(program.settings(), progress.traffic())) {
      program.end().giveUpAtSignal(manager, progress);
      Set<String> existing = manager.list();
      for (Map.Entry<String, Path> each : site.repositories().entrySet()) {
        one(manager, progress, existing, each, report);
      }
    }
    String before = dryRun ? "Nothing was done: " : "";
    return report.end(
        directory.toString(), before, Outcome.IMPORTED, Outcome.UPDATED, Outcome.EQUAL);
  }

  private void one(
      S3RepositoryManager manager,
      ProgressBar progress,
      Set<String> existing,
      Map.Entry<String, Path> each,
      SiteReport report)
      throws IOException {
    try {
      RepositoryName name = new RepositoryName(each.getKey());
      report.add(
          each.getKey(),
          existing.contains(name.value())
              ? update(new Mirror(manager, progress), name, each.getValue())
              : make(manager, progress, name, each.getValue()));
    } catch (ProgressBar.Stopped e) {
      throw e;
    } catch (IOException | IllegalArgumentException e) {
      report.failed(each.getKey(), e.getMessage());
    }
  }

  private Outcome make(
      S3RepositoryManager manager, ProgressBar progress, RepositoryName name, Path path)
      throws IOException {
    if (!dryRun) {
      try (ImportSource source = ImportSource.open(path.toString())) {
        new Importer(manager, progress).run(source, name);
      }
    }
    return Outcome.IMPORTED;
  }

  private Outcome update(Mirror mirror, RepositoryName name, Path path) throws IOException {
    if (mirror.isEqual(path, name)) {
      return Outcome.EQUAL;
    }
    if (!update) {
      throw new IOException("has other refs than " + path + "; --update gives it those");
    }
    if (!dryRun) {
      mirror.update(path, name);
    }
    return Outcome.UPDATED;
  }
}
