// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.jgits3.S3RepositoryManager;
import org.jgits3.manifest.Manifest;
import org.jgits3.server.program.RepositoryCommand;
import org.jgits3.server.terminal.LogLine;
import org.jgits3.server.terminal.ProgressBar;
import org.jgits3.server.terminal.Quantity;
import org.jgits3.transfer.Restorer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Restores refs and objects from a copy of an older manifest. */
@Command(
    name = "restore",
    sortOptions = false,
    description =
        "Show what it takes for refs and objects to be as in a copy of an older manifest; with"
            + " --apply, do it in one transaction.")
final class RestoreCommand extends RepositoryCommand {
  @Parameters(
      index = "1",
      paramLabel = "FILE",
      description = "The copy: an old version that the bucket keeps, or one from a backup.")
  private Path file;

  @Option(names = "--apply", description = "Restore; without it nothing is changed.")
  private boolean apply;

  /** Result as {@code --json} prints it. */
  private record Row(
      String name,
      long generation,
      boolean applied,
      int packs,
      long bytes,
      List<LogLine.Row> changes) {}

  @Override
  public Integer call() throws IOException {
    Manifest copy = Manifest.decode(file.toString(), read());
    try (S3RepositoryManager manager = apply ? program.open() : program.openToRead()) {
      ProgressBar progress = progress();
      if (apply) {
        program.end().giveUpAtSignal(manager, progress);
      }
      Restorer restorer = new Restorer(manager, progress);
      print(apply ? restorer.run(name, copy) : restorer.plan(name, copy));
    }
    return 0;
  }

  private byte[] read() throws IOException {
    try {
      return Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      throw new IOException(file + ": no such file", e);
    }
  }

  private void print(Restorer.Report report) {
    if (output.json()) {
      output.value(
          new Row(
              name.value(),
              report.generation(),
              apply,
              report.packs(),
              report.bytes(),
              report.changes().stream().map(LogLine.Row::of).toList()));
      return;
    }
    report.changes().forEach(change -> output.line(LogLine.of(change)));
    String what =
        Quantity.of(report.changes().size(), "ref")
            + " and "
            + Quantity.of(report.packs(), "pack")
            + ", "
            + Quantity.of(report.bytes(), "byte")
            + ", of generation "
            + report.generation();
    output.line(
        apply
            ? "Restored " + what
            : what + " would be restored; nothing was changed, add --apply to do it");
  }
}
