// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.RepositoryCache.FileKey;
import org.eclipse.jgit.util.FS;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.server.program.StoreCommand;
import org.jgits3.server.site.SiteReport;
import org.jgits3.server.site.SiteReport.Outcome;
import org.jgits3.server.terminal.ProgressBar;
import org.jgits3.transfer.Exporter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Exports all repositories. */
@Command(
    name = "export-site",
    description = {
      "Write all repositories to a directory, such as git/ of a Gerrit.",
      "Repeated, it goes on with those that are missing there."
    })
final class ExportSiteCommand extends StoreCommand {
  @Parameters(index = "0", paramLabel = "DIR", description = "Where each goes as NAME.git.")
  private Path directory;

  @Override
  public Integer call() throws IOException {
    SiteReport report = new SiteReport(output);
    try (ProgressBar progress = progress();
        S3RepositoryManager manager = program.openToRead(progress.traffic())) {
      for (String name : manager.list()) {
        one(manager, progress, name, report);
      }
    }
    return report.end(directory.toString(), "", Outcome.EXPORTED, Outcome.THERE);
  }

  private void one(
      S3RepositoryManager manager, ProgressBar progress, String name, SiteReport report)
      throws IOException {
    try {
      Path target = directory.resolve(name + Constants.DOT_GIT_EXT);
      if (FileKey.isGitRepository(target.toFile(), FS.DETECTED)) {
        report.add(name, Outcome.THERE);
        return;
      }
      try (S3Repository repository = manager.openRepository(name)) {
        new Exporter(progress).run(repository, target);
      }
      report.add(name, Outcome.EXPORTED);
    } catch (ProgressBar.Stopped e) {
      throw e;
    } catch (IOException | InvalidPathException e) {
      report.failed(name, e.getMessage());
    }
  }
}
