// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.concurrent.Callable;
import org.eclipse.jgit.lib.Constants;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.server.terminal.Output;
import org.jgits3.server.terminal.Progress;
import org.jgits3.server.terminal.ProgressBar;
import org.jgits3.server.terminal.Quantity;
import org.jgits3.transfer.Exporter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** Exports all repositories. */
@Command(
    name = "export-site",
    description = {
      "Write all repositories to a directory, such as git/ of a Gerrit.",
      "Repeated, it goes on with those that are missing there."
    })
final class ExportSiteCommand implements Callable<Integer> {
  @ParentCommand private JgitS3 program;
  @Mixin private Output output;
  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "DIR", description = "Where each goes as NAME.git.")
  private Path directory;

  /** Result as {@code --json} prints it. */
  private record Report(boolean ok, String directory, List<String> exported, List<String> there) {}

  @Override
  public Integer call() throws IOException {
    List<String> exported = new ArrayList<>();
    List<String> there = new ArrayList<>();
    try (ProgressBar progress = Progress.of(spec.commandLine(), output);
        S3RepositoryManager manager = program.openToRead(progress.traffic())) {
      SortedSet<String> names = manager.list();
      for (String name : names) {
        Path target = directory.resolve(name + Constants.DOT_GIT_EXT);
        if (Files.exists(target)) {
          there.add(name);
        } else {
          try (S3Repository repository = manager.openRepository(name)) {
            new Exporter(progress).run(repository, target);
          }
          exported.add(name);
          if (!output.json()) {
            output.line(name + ": exported");
          }
        }
      }
    }
    if (output.json()) {
      output.value(new Report(true, directory.toString(), exported, there));
    } else {
      output.line(
          "Exported "
              + Quantity.of(exported.size(), "project")
              + " to "
              + directory
              + "; "
              + there.size()
              + " were there already");
    }
    return 0;
  }
}
