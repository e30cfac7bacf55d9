// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.fleet.Fleet;
import org.jgits3.maintenance.GarbageCollection;
import org.jgits3.maintenance.Maintenance;
import org.jgits3.server.program.Selection;
import org.jgits3.server.program.StoreCommand;
import org.jgits3.server.terminal.ProgressBar;
import org.jgits3.server.terminal.Quantity;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Repacks repositories. */
@Command(
    name = "gc",
    sortOptions = false,
    description =
        "Repack what refs lead to, with bitmaps and a commit graph, and leave out old garbage.")
final class GcCommand extends StoreCommand {
  @Mixin private Selection selection;

  @Option(
      names = "--force",
      description = "Repack also if nothing has changed since the last collection.")
  private boolean force;

  @Option(
      names = "--full",
      description = "With --all, also repositories without a change since the last pass.")
  private boolean full;

  @Option(names = "--refs", description = "Collect nothing, but write all refs as one table.")
  private boolean refs;

  @Option(
      names = "--detach",
      description =
          "Of a fork, collect all with the objects of its template, which it needs no more then.")
  private boolean detach;

  @Option(
      names = "--dry-run",
      description = "Say what would be repacked and dropped, and change nothing.")
  private boolean dryRun;

  /** Plan for one repository as {@code --json} prints it. */
  private record Plan(String name, int packs, long bytes, long expired) {}

  /** Result for one repository as {@code --json} prints it. */
  private record Row(
      String name,
      int packsBefore,
      long bytesBefore,
      int packsAfter,
      long bytesAfter,
      boolean garbageKept,
      boolean skipped) {
    static Row of(String name, GarbageCollection.Report r) {
      return new Row(
          name,
          r.packsBefore(),
          r.bytesBefore(),
          r.packsAfter(),
          r.bytesAfter(),
          r.garbageKept(),
          r.skipped());
    }
  }

  /** Result of {@code --refs} for one repository as {@code --json} prints it. */
  private record Table(String name, boolean written) {}

  @Override
  public Integer call() throws IOException {
    if (refs && (force || full)) {
      throw usage("--refs: goes neither with --force nor --full");
    }
    if (detach && (force || full || refs)) {
      throw usage("--detach: goes with none of --force, --full, --refs");
    }
    if (dryRun && (force || refs || detach)) {
      throw usage("--dry-run: goes with none of --force, --refs, --detach");
    }
    List<Record> rows = new ArrayList<>();
    ProgressBar progress = progress();
    try (S3RepositoryManager manager = dryRun ? program.openToRead() : program.open()) {
      program.end().giveUpAtSignal(manager, progress);
      selection.forEachNamed(
          manager,
          () -> new Fleet(manager).collectionPass(full || force || refs || detach),
          output,
          name -> {
            progress.checkWanted();
            if (dryRun) {
              rows.add(plan(manager, name, progress));
              return Optional.empty();
            }
            if (refs) {
              rows.add(writeRefs(manager, name));
              return Optional.empty(); // says nothing of garbage
            }
            GarbageCollection.Report report = collect(manager, name, progress);
            rows.add(Row.of(name, report));
            return detach ? Optional.empty() : report.upToDate();
          });
    } finally {
      output.value(rows);
    }
    return 0;
  }

  private Plan plan(S3RepositoryManager manager, String name, ProgressMonitor progress)
      throws IOException {
    GarbageCollection.Plan plan = manager.maintenance(name).planGarbageCollection(progress);
    if (plan.packs() > 0) {
      output.line(
          name
              + ": would repack "
              + Quantity.of(plan.packs(), "pack")
              + ", "
              + Quantity.of(plan.bytes(), "byte")
              + (plan.expired() == 0
                  ? ""
                  : ", and drop up to " + Quantity.of(plan.expired(), "object") + " of garbage"));
    }
    return new Plan(name, plan.packs(), plan.bytes(), plan.expired());
  }

  /** Writes all refs as one table, unless they are in one already. */
  private Table writeRefs(S3RepositoryManager manager, String name) throws IOException {
    try (S3Repository repository = manager.openRepository(name, Purpose.request())) {
      boolean written = repository.manifest().refs().hasRecent();
      if (written) {
        repository.getRefDatabase().compact();
        output.line(name + ": refs written as one table");
      }
      return new Table(name, written);
    }
  }

  private GarbageCollection.Report collect(
      S3RepositoryManager manager, String name, ProgressMonitor progress) throws IOException {
    GarbageCollection.Report report;
    if (detach) {
      report = manager.detach(name, progress);
    } else {
      Maintenance maintenance = manager.maintenance(name);
      report = force ? maintenance.repack(progress) : maintenance.collectGarbage(progress);
    }
    if (!report.skipped()) {
      output.line(
          name
              + ": "
              + Quantity.of(report.packsAfter(), "pack")
              + ", "
              + Quantity.of(report.bytesAfter(), "byte")
              + ", of "
              + Quantity.of(report.packsBefore(), "pack")
              + ", "
              + Quantity.of(report.bytesBefore(), "byte")
              + (report.garbageKept() ? "; old garbage stays until the next gc" : ""));
    }
    return report;
  }
}
