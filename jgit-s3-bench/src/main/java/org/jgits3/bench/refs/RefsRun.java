// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Repository;
import org.jgits3.bench.Effort;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.jmh.JmhRun;
import org.jgits3.bench.jmh.Measurement;
import org.jgits3.bench.jmh.Schedule;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.SuiteResult;
import org.jgits3.bench.report.Unit;
import org.jgits3.store.RequestCounts;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.runner.RunnerException;

/** One run of the suite: the data, then all cases with all engines. Used by one thread, once. */
final class RefsRun {
  /** Refs of a repository that is small. */
  private static final int FEW = 10;

  /** Iterations until the client of S3 is compiled: much code, and few calls in each of them. */
  private static final int WARMUPS_ON_S3 = 14;

  /** Single calls whose time wavers, on a machine that does other work too, are many. */
  private static final int MANY_SHOTS = 25;

  /** Calls of seconds each, which compile what they run within the first. */
  private static final int FEW_SHOTS = 5;

  private static final int WARMUPS_OF_SLOW = 3;

  /** What all engines are compared with: JGit where file times cannot be trusted. */
  private static final RefsEngine REFERENCE = RefsEngine.JGIT_NEVER;

  /** Engines whose requests are counted. */
  private static final List<RefsEngine> COUNTED = List.of(RefsEngine.DIRECTORY, RefsEngine.S3);

  private final SuiteContext context;
  private final DataSet data;
  private final Set<RefsEngine> engines;
  private final UnaryOperator<Schedule> schedule;
  private final List<String> jvmOptions = new ArrayList<>();
  private final List<Row> rows = new ArrayList<>();

  /** Rows that follow those of a case. */
  private final List<Row> allocated = new ArrayList<>();

  RefsRun(
      SuiteContext context,
      DataSet data,
      Set<RefsEngine> engines,
      UnaryOperator<Schedule> schedule) {
    this.context = context;
    this.data = data;
    this.engines = engines;
    this.schedule = schedule;
    BenchmarkData.useHere(data.base());
    jvmOptions.add(BenchmarkData.jvmOption(data.base()));
    jvmOptions.add("-Xmx3g");
  }

  /** Adds options for all JVMs that are started. */
  RefsRun with(List<String> options) {
    jvmOptions.addAll(options);
    return this;
  }

  SuiteResult run() throws IOException, InterruptedException {
    context.progress().expect(cases());
    prepare();
    for (RefsCase what : RefsCase.values()) {
      for (RefsEngine engine : engines) {
        if (what.concerns(engine)) {
          measure(what, engine, data.refs(), what.title());
          if (what == RefsCase.UPDATE && COUNTED.contains(engine)) {
            // At once, since what it is compared with wavers from minute to minute.
            measure(what, engine, FEW, "single update of a repository of " + FEW + " refs");
            countRequests(engine);
          }
        }
      }
      rows.addAll(allocated);
      allocated.clear();
    }
    for (RefsEngine engine : engines) {
      measureHeap(engine);
    }
    return SuiteResult.of(
        "refs", new RefsHeadline(rows, data.refs()).figures(), rows, REFERENCE.id());
  }

  /** How many measurements there are. */
  private int cases() {
    int cases = engines.size(); // heap
    for (RefsCase what : RefsCase.values()) {
      cases += (int) engines.stream().filter(what::concerns).count();
    }
    return cases + (int) engines.stream().filter(COUNTED::contains).count();
  }

  private void prepare() throws IOException {
    GerritRefs refs = GerritRefs.of(data.refs());
    for (RefsEngine engine : engines) {
      if (engine.prepare(data, refs)) {
        context.progress().note("generated " + data.refs() + " refs for " + engine.id());
      }
    }
  }

  private void measure(RefsCase what, RefsEngine engine, int refs, String title) {
    context.progress().begin(title + ", " + engine.id());
    Schedule planned = planned(what, engine);
    Map<String, String> parameters = Map.of("engine", engine.id(), "refs", "" + refs);
    JmhRun jmh = context.jmh(jvmOptions);
    try {
      Measurement measured =
          jmh.measure(what.benchmark(), what.method(), parameters, schedule.apply(planned));
      rows.add(Row.of(title, engine.id(), Unit.NANOSECONDS, measured.nanos()));
      measured
          .bytes()
          .ifPresent(
              bytes ->
                  allocated.add(
                      Row.of(title + RefsHeadline.ALLOCATED, engine.id(), Unit.BYTES, bytes)));
    } catch (RunnerException e) {
      rows.add(Row.failed(title, engine.id(), Unit.NANOSECONDS, e.getMessage()));
      context.progress().note("failed; see " + jmh.log());
    }
  }

  private Schedule planned(RefsCase what, RefsEngine engine) {
    if (what.mode() == Mode.AverageTime) {
      Schedule average = Schedule.average(context.effort()).warmedUp(warmups(engine));
      return what == RefsCase.UPDATE && COUNTED.contains(engine) ? average.longer(3) : average;
    }
    Schedule shots = Schedule.singleShot(context.effort());
    if (context.effort() == Effort.SMALLEST) {
      return shots;
    }
    return what == RefsCase.BATCH && engine.isRefDirectory()
        ? shots(shots, WARMUPS_OF_SLOW, FEW_SHOTS)
        : shots(shots, shots.warmups(), MANY_SHOTS);
  }

  private static Schedule shots(Schedule like, int warmups, int iterations) {
    return new Schedule(like.mode(), like.forks(), warmups, iterations, like.millis());
  }

  private int warmups(RefsEngine engine) {
    return engine.onS3() && context.effort() != Effort.SMALLEST ? WARMUPS_ON_S3 : 0;
  }

  /** Counts the requests of one update by a process that has updated before. */
  private void countRequests(RefsEngine engine) throws IOException {
    RequestCounts counts = new RequestCounts();
    try (LibraryRefs library = engine.scratchLibrary(data, counts);
        Repository repository =
            library.create(RefsEngine.scratchName(), GerritRefs.of(data.refs()))) {
      List<ObjectId> targets = SingleUpdate.targets(repository);
      SingleUpdate.run(repository, targets.get(0));
      RequestCounts.Snapshot before = counts.snapshot();
      SingleUpdate.run(repository, targets.get(1));
      RequestCounts.Snapshot since = counts.snapshot().since(before);
      context.progress().note(RefsHeadline.REQUESTS + ", " + engine.id() + ": " + since);
      rows.add(
          Row.of(
              RefsHeadline.REQUESTS,
              engine.id(),
              Unit.REQUESTS,
              Figure.exactly((double) since.total())));
    }
  }

  private void measureHeap(RefsEngine engine) throws InterruptedException {
    context.progress().begin(RefsHeadline.HEAP + ", " + engine.id());
    try {
      List<String> options = new ArrayList<>(jvmOptions);
      options.addAll(context.profilerOptions("heap of " + engine.id()));
      double bytes = (double) HeapOfRefs.measure(engine, data.refs(), options);
      rows.add(
          Row.of(RefsHeadline.HEAP, engine.id(), Unit.BYTES, Figure.exactly(bytes / data.refs())));
    } catch (IOException e) {
      rows.add(Row.failed(RefsHeadline.HEAP, engine.id(), Unit.BYTES, e.getMessage()));
    }
  }
}
