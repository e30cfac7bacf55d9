// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.requests;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.git.GitClient;
import org.jgits3.bench.git.SyntheticRepository;
import org.jgits3.bench.process.ScratchDirectory;
import org.jgits3.bench.report.ErrorLine;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.SuiteResult;
import org.jgits3.bench.report.Unit;
import org.jgits3.internal.pack.file.RangeChecksums;

/**
 * One run of the suite, in a directory that it deletes. Used by one thread, once.
 *
 * @param context what to do
 * @param scratch the directory
 * @param source a bare repository on disk
 * @param git the client
 * @param rows what was counted
 */
record RequestsRun(
    SuiteContext context, ScratchDirectory scratch, Path source, GitClient git, List<Row> rows)
    implements Closeable {
  /** Name of the budget among the engines. */
  static final String BUDGET = "budget";

  /** Least bytes of the pack that is cloned: some ranges. */
  private static final long PACK_BYTES = 20_000_000;

  /** Memory for reading ahead; a request reads a quarter of it, rounded to what is checked. */
  private static final int STREAM_BUFFER = 8 << 20;

  private static final int RANGE = STREAM_BUFFER / 4 / RangeChecksums.RANGE * RangeChecksums.RANGE;

  static RequestsRun in(SuiteContext context) throws IOException, InterruptedException {
    Path data = Files.createDirectories(context.data().resolve("requests"));
    ScratchDirectory scratch = ScratchDirectory.create(data.resolve("scratch"));
    try {
      GitClient git = GitClient.in(scratch.path().resolve("home"));
      Path source = data.resolve("source.git");
      SyntheticRepository.generate(git, source, PACK_BYTES);
      return new RequestsRun(context, scratch, source, git, new ArrayList<>());
    } catch (IOException | InterruptedException e) {
      scratch.close();
      throw e;
    }
  }

  Path directory() {
    return scratch.path().resolve("store");
  }

  /** Counts in one store, which is empty. */
  void count(String engine, String config) throws IOException, InterruptedException {
    context.progress().begin(engine);
    Path clones = Files.createDirectories(scratch.path().resolve("clones-" + engine));
    Operations operations =
        new Operations(
            config + "[core \"dfs\"]\n\tstreamBuffer = " + STREAM_BUFFER + "\n",
            source,
            clones,
            git);
    operations.prepare();
    Closeable profile = context.profiled("requests " + engine);
    try (profile) {
      for (BudgetedOperation operation : BudgetedOperation.values()) {
        count(operation, operations, engine);
      }
    }
  }

  private void count(BudgetedOperation operation, Operations operations, String engine)
      throws InterruptedException {
    try {
      Cost cost = operation.costIn(operations);
      add(operation, engine, cost, besides(operation, operations));
    } catch (IOException e) {
      rows.add(Row.failed(operation.title(), engine, Unit.REQUESTS, ErrorLine.of(e)));
    }
  }

  /** Requests that an operation takes beside its budget. */
  private static int besides(BudgetedOperation operation, Operations operations)
      throws IOException {
    return switch (operation) {
      case COLD_CLONE -> ranges(operations);
      case IDLE_COLLECTIONS, IDLE_SWEEPS -> operations.unversioned();
      default -> 0;
    };
  }

  private static int ranges(Operations operations) throws IOException {
    return Math.toIntExact((operations.packBytes() + RANGE - 1) / RANGE);
  }

  /** Notes what an operation cost, of which some requests are beside its budget. */
  private void add(BudgetedOperation operation, String engine, Cost cost, int besides) {
    int budget = operation.budget() + besides;
    String title = operation.title();
    if (cost.total() > budget) {
      String requests = cost.total() == 1 ? "request" : "requests";
      String over =
          "%d %s (%s), budget %d".formatted(cost.total(), requests, cost.byKind(), budget);
      rows.add(Row.failed(title, engine, Unit.REQUESTS, over));
    } else {
      rows.add(counted(title, engine, Unit.REQUESTS, cost.total()));
    }
    if (SuiteResult.median(rows, title, BUDGET).isEmpty()) {
      rows.add(counted(title, BUDGET, Unit.REQUESTS, budget));
    }
    cost.byKind()
        .forEach((kind, n) -> rows.add(counted(title + ": " + kind, engine, Unit.REQUESTS, n)));
    rows.add(counted(title + ": sequential depth", engine, Unit.REQUESTS, cost.depth()));
    rows.add(counted(title + ": bytes", engine, Unit.BYTES, cost.bytes()));
  }

  private static Row counted(String title, String engine, Unit unit, long count) {
    return Row.of(title, engine, unit, Figure.exactly((double) count));
  }

  SuiteResult result() {
    return SuiteResult.of("requests", Map.of(), rows, BUDGET);
  }

  @Override
  public void close() throws IOException {
    scratch.close();
  }
}
