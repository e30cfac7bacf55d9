// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.eclipse.jgit.annotations.Nullable;
import org.jgits3.S3RepositoryManager;
import org.jgits3.maintenance.FleetPass;
import org.jgits3.maintenance.NameIndex;
import org.jgits3.maintenance.Sweep;
import org.jgits3.server.program.Program;
import org.jgits3.server.program.Selection;
import org.jgits3.server.terminal.Output;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** Deletes stored objects that no repository needs any more. */
@Command(
    name = "sweep",
    sortOptions = false,
    description =
        "Delete stored objects that no manifest lists, and abort uploads of processes that died.")
final class SweepCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @ParentCommand private Program program;
  @Mixin private Selection selection;
  @Mixin private Output output;

  @Option(names = "--dry-run", description = "Say what would be deleted, and change nothing.")
  private boolean dryRun;

  @Option(
      names = "--grace-hours",
      paramLabel = "HOURS",
      defaultValue = "24",
      description =
          "Leave alone what was begun, replaced or deleted within so many hours"
              + " (${DEFAULT-VALUE}); a push, gc or clone that takes longer may have to be"
              + " repeated.")
  private int graceHours;

  @Nullable private NameIndex nameIndex;

  /** Result for one repository as {@code --json} prints it. */
  private record Row(
      String name, long boundary, long objects, long bytes, int uploads, boolean dryRun) {
    static Row of(String name, Sweep.Report r) {
      return new Row(name, r.sweepBoundary(), r.objects(), r.bytes(), r.uploads(), r.dryRun());
    }
  }

  @Override
  public Integer call() throws IOException {
    if (graceHours < 0) {
      throw new ParameterException(spec.commandLine(), "--grace-hours is less than 0");
    }
    List<Row> rows = new ArrayList<>();
    try (S3RepositoryManager manager = dryRun ? program.openToRead() : program.open()) {
      selection.forEach(
          () -> {
            FleetPass pass = manager.sweepPass(Duration.ofHours(graceHours), true);
            names(manager);
            return pass;
          },
          output,
          name -> {
            sweep(manager, names(manager), name).ifPresent(row -> print(rows, row));
            return Optional.empty();
          });
    } finally {
      if (output.json()) {
        output.value(rows);
      }
    }
    return 0;
  }

  /** Reads all names, after the listing of those to be swept, so that it knows each of them. */
  private NameIndex names(S3RepositoryManager manager) throws IOException {
    if (nameIndex == null) {
      nameIndex = manager.nameIndex();
    }
    return nameIndex;
  }

  private Optional<Row> sweep(S3RepositoryManager manager, NameIndex nameIndex, String name)
      throws IOException {
    return manager
        .sweep(nameIndex, name, Duration.ofHours(graceHours), dryRun)
        .map(report -> Row.of(name, report));
  }

  private void print(List<Row> rows, Row row) {
    rows.add(row);
    if (!output.json()) {
      output.line(
          String.format(
              "%s: %s %d objects, %d bytes, and %d unfinished uploads",
              row.name(),
              row.dryRun() ? "would delete" : "deleted",
              row.objects(),
              row.bytes(),
              row.uploads()));
    }
  }
}
