// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jgits3.S3RepositoryManager;
import org.jgits3.fleet.Fleet;
import org.jgits3.internal.store.probe.Leftovers;
import org.jgits3.maintenance.Sweep;
import org.jgits3.server.program.Selection;
import org.jgits3.server.program.StoreCommand;
import org.jgits3.server.terminal.Quantity;
import org.jgits3.store.ObjectStore;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Deletes stored objects that no repository needs any more. */
@Command(
    name = "sweep",
    sortOptions = false,
    description =
        "Delete stored objects that no manifest lists, and abort uploads of processes that died.")
final class SweepCommand extends StoreCommand {
  @Mixin private Selection selection;

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

  @Option(
      names = "--full",
      description = "With --all, also repositories without a change since nothing was left.")
  private boolean full;

  /** Result for one repository as {@code --json} prints it. */
  private record Row(
      String name,
      long boundary,
      long objects,
      long bytes,
      int uploads,
      boolean dryRun,
      String fork) {
    static Row of(String name, Sweep.Report r) {
      return new Row(
          name,
          r.sweepBoundary(),
          r.objects(),
          r.bytes(),
          r.uploads(),
          r.dryRun(),
          r.fork().orElse(""));
    }
  }

  @Override
  public Integer call() throws IOException {
    if (graceHours < 0) {
      throw usage("--grace-hours is less than 0");
    }
    List<Row> rows = new ArrayList<>();
    try (S3RepositoryManager manager = dryRun ? program.openToRead() : program.open()) {
      selection.forEach(
          manager,
          () -> new Fleet(manager).sweepPass(full),
          output,
          target -> {
            Sweep.Report report = sweep(manager, target);
            print(rows, Row.of(target.toString(), report));
            return report.upToDate();
          });
      sweepProbes(manager.store());
    } finally {
      output.value(rows);
    }
    return 0;
  }

  private void sweepProbes(ObjectStore store) throws IOException {
    Leftovers left = Leftovers.find(store, Instant.now());
    if (!dryRun) {
      left.delete(store);
    }
    if (!left.keys().isEmpty() || !left.uploads().isEmpty()) {
      output.line(
          "probes of the store: "
              + deleted()
              + Quantity.of(left.keys().size(), "object")
              + " and "
              + Quantity.of(left.uploads().size(), "unfinished upload"));
    }
  }

  private Sweep.Report sweep(S3RepositoryManager manager, Selection.Target target)
      throws IOException {
    Duration grace = Duration.ofHours(graceHours);
    return target.id().isPresent()
        ? manager.sweepById(target.id().get(), grace, dryRun)
        : manager.sweep(target.name().orElseThrow(), grace, dryRun);
  }

  private String deleted() {
    return dryRun ? "would delete " : "deleted ";
  }

  private void print(List<Row> rows, Row row) {
    rows.add(row);
    if (row.objects() > 0 || row.uploads() > 0 || !row.fork().isEmpty()) {
      output.line(
          row.name()
              + ": "
              + deleted()
              + Quantity.of(row.objects(), "object")
              + ", "
              + Quantity.of(row.bytes(), "byte")
              + ", and "
              + Quantity.of(row.uploads(), "unfinished upload")
              + (row.fork().isEmpty() ? "" : "; the fork " + row.fork() + " needs this template"));
    }
  }
}
