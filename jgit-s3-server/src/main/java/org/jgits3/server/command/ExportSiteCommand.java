// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Set;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.RepositoryCache.FileKey;
import org.eclipse.jgit.util.FS;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.server.program.StoreCommand;
import org.jgits3.server.site.SiteDirectory;
import org.jgits3.server.site.SiteReport;
import org.jgits3.server.site.SiteReport.Outcome;
import org.jgits3.server.terminal.ProgressBar;
import org.jgits3.transfer.Exporter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Exports all repositories. */
@Command(
    name = "export-site",
    description = {
      "Write all repositories to a directory, such as git/ of a Gerrit.",
      "Repeated, it goes on with those that are missing there; --update copies what has changed."
    })
final class ExportSiteCommand extends StoreCommand {
  @Parameters(index = "0", paramLabel = "DIR", description = "Where each goes as NAME.git.")
  private Path directory;

  @Option(
      names = "--update",
      description = "Give repositories that are in DIR the refs of the store, and no others.")
  private boolean update;

  @Override
  public Integer call() throws IOException {
    SiteReport report = new SiteReport(output);
    try (ProgressBar progress = progress();
        S3RepositoryManager manager = program.openToRead(progress.traffic())) {
      Set<String> names = manager.list();
      for (String name : names) {
        one(manager, new Exporter(progress), name, report);
      }
      reportOthers(names, report);
    }
    return report.end(
        directory.toString(),
        "",
        Outcome.EXPORTED,
        Outcome.UPDATED,
        Outcome.EQUAL,
        Outcome.NOT_IN_STORE);
  }

  private void one(S3RepositoryManager manager, Exporter exporter, String name, SiteReport report)
      throws IOException {
    try (S3Repository repository = manager.openRepository(name)) {
      Path target = directory.resolve(name + Constants.DOT_GIT_EXT);
      if (FileKey.isGitRepository(target.toFile(), FS.DETECTED)) {
        report.add(name, update(exporter, repository, target));
      } else {
        exporter.run(repository, target);
        report.add(name, Outcome.EXPORTED);
      }
    } catch (ProgressBar.Stopped e) {
      throw e;
    } catch (IOException | InvalidPathException e) {
      report.failed(name, e.getMessage());
    } catch (RuntimeException e) { // JGit throws some for objects that it cannot take
      report.failed(name, e.toString());
    }
  }

  private Outcome update(Exporter exporter, S3Repository repository, Path target)
      throws IOException {
    if (exporter.isEqual(repository, target)) {
      return Outcome.EQUAL;
    }
    if (!update) {
      throw new IOException(target + " has other refs than the store; --update gives it those");
    }
    exporter.update(repository, target);
    return Outcome.UPDATED;
  }

  /** Names the repositories that only the directory has. They stay, but may be unwanted there. */
  private void reportOthers(Set<String> names, SiteReport report) throws IOException {
    if (Files.isDirectory(directory)) {
      for (String name : SiteDirectory.find(directory).repositories().keySet()) {
        if (!names.contains(name)) {
          report.add(name, Outcome.NOT_IN_STORE);
        }
      }
    }
  }
}
