// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.express;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.jmh.JmhRun;
import org.jgits3.bench.jmh.Measurement;
import org.jgits3.bench.jmh.Schedule;
import org.jgits3.bench.process.Leftovers;
import org.jgits3.bench.report.ErrorLine;
import org.jgits3.bench.report.Estimate;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.SuiteResult;
import org.jgits3.bench.report.Unit;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.runner.RunnerException;

/** One run of the suite. Used by one thread, once. */
final class ExpressRun {
  static final String GET_CLIENT = "get_64k_client_us";
  static final String PUT_CLIENT = "put_64k_client_us";

  static final String CLIENT_ONLY = "client only, per call: ";

  /** JVMs that measure one after the other, since no two of them compile the same way. */
  private static final int FORKS = 3;

  private static final List<String> ENGINES =
      List.of(ExpressBenchmark.SDK, ExpressBenchmark.LIBRARY);

  private final SuiteContext context;
  private final ExpressEnvironment environment;
  private final List<Row> rows = new ArrayList<>();

  ExpressRun(SuiteContext context, ExpressEnvironment environment) {
    this.context = context;
    this.environment = environment;
    int network = environment.clientOnly() ? 0 : ExpressCase.values().length;
    long single = Arrays.stream(ExpressCase.values()).filter(ExpressCase::single).count();
    context.progress().expect((int) ((network + single) * ENGINES.size()));
  }

  /** Measures requests to buckets. */
  void measure(ExpressTarget target) {
    target.useHere();
    for (ExpressCase what : ExpressCase.values()) {
      for (String engine : ENGINES) {
        String title = environment.title(what);
        measure(target, what, engine, title, false)
            .map(measured -> Row.of(title, engine, Unit.NANOSECONDS, measured.nanos()))
            .ifPresent(rows::add);
      }
    }
  }

  /** Measures what needs no network. */
  void measureClient() {
    ExpressTarget nowhere = ExpressTarget.nowhere(environment.iterations());
    nowhere.useHere();
    try {
      for (ExpressCase what : ExpressCase.values()) {
        for (String engine : what.single() ? ENGINES : List.<String>of()) {
          String title = CLIENT_ONLY + what.title();
          measure(nowhere, what, engine, title, true)
              .ifPresent(measured -> addPerCall(title, engine, measured));
        }
      }
    } finally {
      nowhere.endpoint().orElseThrow().forgetHere();
    }
  }

  private void addPerCall(String title, String engine, Measurement measured) {
    rows.add(Row.of(title, engine, Unit.NANOSECONDS, perCall(measured.nanos())));
    measured
        .bytes()
        .map(bytes -> Row.of(title + ": bytes allocated", engine, Unit.BYTES, perCall(bytes)))
        .ifPresent(rows::add);
  }

  private Optional<Measurement> measure(
      ExpressTarget target, ExpressCase what, String engine, String title, boolean stub) {
    context.progress().begin(title + ", " + engine);
    Map<String, String> parameters =
        Map.of("stub", "" + stub, "engine", engine, "size", "" + what.size());
    int warmups = stub ? 100 : 20;
    int samples = environment.samples();
    Schedule schedule =
        switch (context.effort()) {
          case SMALLEST -> new Schedule(Mode.SingleShotTime, 0, 0, samples, 1);
          case QUICK -> new Schedule(Mode.SingleShotTime, 1, warmups, samples, 1);
          case FULL -> new Schedule(Mode.SingleShotTime, FORKS, warmups, samples, 1);
        };
    JmhRun jmh = context.jmh(target.jvmOptions());
    try {
      return Optional.of(jmh.measure(ExpressBenchmark.class, what.method(), parameters, schedule));
    } catch (RunnerException e) {
      Leftovers.failed();
      String why = ErrorLine.of(e);
      rows.add(Row.failed(title, engine, Unit.NANOSECONDS, why));
      context.progress().note("failed: " + why + "; see " + jmh.log());
      return Optional.empty();
    }
  }

  /** Tells that objects were left in buckets, which does not make what was measured worthless. */
  void left(IOException e) {
    Leftovers.failed();
    String why = ErrorLine.of(e);
    rows.add(Row.failed("removal of the objects", ExpressBenchmark.SDK, Unit.REQUESTS, why));
    context.progress().note("failed: " + why);
  }

  private Figure perCall(Figure sample) {
    return new Figure(
        sample.samples().stream().map(v -> v / environment.iterations()).toList(), sample.jvms());
  }

  SuiteResult result() {
    Map<String, Optional<Estimate>> headline = new LinkedHashMap<>();
    headline.put(GET_CLIENT, microseconds(ExpressCase.GET_64K));
    headline.put(PUT_CLIENT, microseconds(ExpressCase.PUT_64K));
    return SuiteResult.of("express", headline, rows, ExpressBenchmark.SDK);
  }

  /** Time of the library's client for a call. */
  private Optional<Estimate> microseconds(ExpressCase what) {
    return SuiteResult.median(rows, CLIENT_ONLY + what.title(), ExpressBenchmark.LIBRARY)
        .map(nanos -> Estimate.exactly(nanos / 1e3));
  }
}
