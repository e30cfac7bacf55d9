// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Repository;
import org.jgits3.bench.Effort;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.jmh.JmhRun;
import org.jgits3.bench.jmh.Measurement;
import org.jgits3.bench.jmh.Schedule;
import org.jgits3.bench.process.Leftovers;
import org.jgits3.bench.report.ErrorLine;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.Unit;
import org.jgits3.bench.served.ServedRefs;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.openjdk.jmh.runner.RunnerException;

/** One run of the suite: the data, then all cases with all engines. Used by one thread, once. */
final class RefsRun {
  /** Refs of a repository that is small. */
  private static final int FEW = 10;

  /** JVMs for what the suite is judged by. */
  private static final int JVMS = 3;

  /** The same in a full run. */
  private static final int JVMS_OF_FULL = 5;

  /**
   * Milliseconds of an iteration of hits, of which a server does so many that it has compiled them:
   * a request over the client of S3 takes twice as long until some seconds have gone by.
   */
  private static final int HITS = 200;

  /** Milliseconds of an iteration of updates, which take some milliseconds each. */
  private static final int UPDATES = 100;

  /**
   * Batches in which some engine takes seconds for each: so many before the measurement, and in it.
   */
  private static final int BATCHES = 4;

  /** The same for half a million creations, and for uploads of as many bytes. */
  private static final int LARGE_BATCHES = 15;

  /** Engines whose requests are counted. */
  private static final List<RefsEngine> COUNTED = List.of(RefsEngine.DIRECTORY, RefsEngine.S3);

  private final SuiteContext context;
  private final DataSet data;
  private final Set<RefsEngine> engines;
  private final List<String> jvmOptions = new ArrayList<>();
  private final List<Row> rows = new ArrayList<>();

  /** Rows that follow those of a case. */
  private final List<Row> allocated = new ArrayList<>();

  RefsRun(SuiteContext context, DataSet data, Set<RefsEngine> engines) {
    this.context = context;
    this.data = data;
    this.engines = engines;
    BenchmarkData.useHere(data.base(), context.givenRefs());
    jvmOptions.addAll(BenchmarkData.jvmOptions(data.base(), context.givenRefs()));
    jvmOptions.add("-Xmx3g");
  }

  /** Adds options for all JVMs that are started. */
  RefsRun with(List<String> options) {
    jvmOptions.addAll(options);
    return this;
  }

  List<Row> run() throws IOException, InterruptedException {
    context.progress().expect(cases());
    prepare();
    for (RefsCase what : RefsCase.values()) {
      for (RefsEngine engine : engines) {
        if (what.concerns(engine)) {
          measure(what, engine, data.refs(), what.title());
          if (what == RefsCase.UPDATE && COUNTED.contains(engine)) {
            // At once, since what it is compared with wavers from minute to minute.
            measure(what, engine, FEW, "single update of a repository of " + FEW + " refs");
            rows.add(requestsOfUpdate(engine));
          }
        }
      }
      rows.addAll(allocated);
      allocated.clear();
    }
    for (RefsEngine engine : engines) {
      if (engine.differsWhenCold()) {
        measureHeap(engine);
      }
    }
    return rows;
  }

  /** Number of measurements. */
  private int cases() {
    int cases = (int) engines.stream().filter(RefsEngine::differsWhenCold).count(); // heap
    for (RefsCase what : RefsCase.values()) {
      cases += (int) engines.stream().filter(what::concerns).count();
    }
    cases += (int) engines.stream().filter(COUNTED::contains).count();
    return cases + ServedRefs.cases(context);
  }

  private void prepare() throws IOException {
    RefSet refs = data.set();
    for (RefsEngine engine : engines) {
      if (engine.prepare(data, refs)) {
        context.progress().note("generated " + data.refs() + " refs for " + engine.id());
      }
    }
  }

  private void measure(RefsCase what, RefsEngine engine, int refs, String title) {
    context.progress().begin(title + ", " + engine.id());
    Schedule planned = planned(what, engine, context.effort());
    Map<String, String> parameters = Map.of("engine", engine.id(), "refs", "" + refs);
    JmhRun jmh = context.jmh(jvmOptions);
    try {
      Measurement measured = jmh.measure(what.benchmark(), what.method(), parameters, planned);
      rows.add(Row.of(title, engine.id(), Unit.NANOSECONDS, measured.nanos()));
      measured
          .bytes()
          .ifPresent(
              bytes ->
                  allocated.add(
                      Row.of(title + RefsHeadline.ALLOCATED, engine.id(), Unit.BYTES, bytes)));
    } catch (RunnerException e) {
      Leftovers.failed();
      rows.add(Row.failed(title, engine.id(), Unit.NANOSECONDS, ErrorLine.of(e)));
      context.progress().note("failed: " + ErrorLine.of(e) + "; see " + jmh.log());
    }
  }

  /**
   * Depends on the engine only in what follows the warm-up, which is the same for all of a case.
   */
  static Schedule planned(RefsCase what, RefsEngine engine, Effort effort) {
    Schedule schedule = planned(what, effort);
    if (RefsHeadline.JUDGED.getOrDefault(what, Set.of()).contains(engine)) {
      schedule = schedule.inJvms(effort == Effort.FULL ? JVMS_OF_FULL : JVMS);
    }
    return what == RefsCase.UPDATE && COUNTED.contains(engine) ? schedule.longer(3) : schedule;
  }

  private static Schedule planned(RefsCase what, Effort effort) {
    Schedule average = Schedule.average(effort);
    Schedule shots = Schedule.singleShot(effort);
    return switch (what) {
      case HIT -> average.iterationsOf(HITS);
      case UPDATE, FORK, CREATE -> average.iterationsOf(UPDATES);
      case MISS, PREFIX, ALL, TIPS, RECENT, BASE -> average;
      case COLD, DOWNLOAD -> shots;
      case BATCH -> shots.atMost(BATCHES);
      case CREATE_ALL, UPLOAD -> shots.atMost(LARGE_BATCHES);
    };
  }

  /** Counts the requests of one update by a process that has updated before. */
  Row requestsOfUpdate(RefsEngine engine) {
    RequestCounts counts = new RequestCounts();
    try (LibraryRefs library = engine.scratchLibrary(data, counts);
        Repository repository = library.create(RefsEngine.scratchName(), data.set())) {
      List<ObjectId> targets = SingleUpdate.targets(repository);
      SingleUpdate.run(repository, targets.get(0));
      RequestCounts.Snapshot before = counts.snapshot();
      SingleUpdate.run(repository, targets.get(1));
      RequestCounts.Snapshot since = counts.snapshot().since(before);
      context.progress().note(RefsHeadline.REQUESTS + ", " + engine.id() + ": " + since);
      Figure total = Figure.exactly((double) since.total());
      return Row.of(RefsHeadline.REQUESTS, engine.id(), Unit.REQUESTS, total);
    } catch (IOException e) {
      return Row.failed(RefsHeadline.REQUESTS, engine.id(), Unit.REQUESTS, ErrorLine.of(e));
    }
  }

  private void measureHeap(RefsEngine engine) throws InterruptedException {
    context.progress().begin(RefsHeadline.HEAP + ", " + engine.id());
    try {
      List<String> options = new ArrayList<>(jvmOptions);
      options.addAll(context.profilerOptions("heap of " + engine.id()));
      double bytes =
          (double)
              HeapOfRefs.measure(engine, data.refs(), options, data.base().resolve("heap.log"));
      rows.add(
          Row.of(RefsHeadline.HEAP, engine.id(), Unit.BYTES, Figure.exactly(bytes / data.refs())));
    } catch (IOException e) {
      rows.add(Row.failed(RefsHeadline.HEAP, engine.id(), Unit.BYTES, ErrorLine.of(e)));
    }
  }
}
