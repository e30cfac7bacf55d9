// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.express;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.express.CallTimes.Share;
import org.jgits3.bench.jmh.JmhRun;
import org.jgits3.bench.jmh.Measurement;
import org.jgits3.bench.jmh.Schedule;
import org.jgits3.bench.process.Leftovers;
import org.jgits3.bench.report.ErrorLine;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.SuiteResult;
import org.jgits3.bench.report.Unit;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.RunnerException;

/** One run of the suite. Used by one thread, once. */
final class ExpressRun {
  static final String GET_CLIENT = "get_64k_client_us";
  static final String PUT_CLIENT = "put_64k_client_us";

  static final String CLIENT_ONLY = "client only, per call: ";
  private static final String PER_CALL = ", per call: ";

  /** Source of the published figures. */
  static final String PUBLISHED = "published: Rust SDK, c5.4xlarge, S3 of us-west-2";

  /** Calls of a sample of what was published. */
  private static final int PUBLISHED_CALLS = 20;

  /** JVMs that measure one after the other, since no two of them compile the same way. */
  private static final int FORKS = 3;

  /** Part of the name of JMH's results, so that those of earlier runs stay. */
  private static final DateTimeFormatter END_TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT).withZone(ZoneOffset.UTC);

  private static final List<String> ENGINES =
      List.of(ExpressBenchmark.SDK, ExpressBenchmark.LIBRARY);

  private static final List<ExpressCase> OBSERVED =
      List.of(ExpressCase.GET_64K, ExpressCase.PUT_64K);

  private final SuiteContext context;
  private final ExpressEnvironment environment;
  private final Path times;
  private final List<Row> rows = new ArrayList<>();
  private final List<RunResult> results = new ArrayList<>();
  private final List<String> lines = new ArrayList<>();
  private final Map<String, Optional<Double>> headline = new LinkedHashMap<>();

  ExpressRun(SuiteContext context, ExpressEnvironment environment) {
    this.context = context;
    this.environment = environment;
    this.times = context.data().resolve("express-times.txt");
    int network = environment.clientOnly() ? 0 : ExpressCase.values().length;
    long single = Arrays.stream(ExpressCase.values()).filter(ExpressCase::single).count();
    context.progress().expect((int) ((network + single + OBSERVED.size()) * ENGINES.size()));
  }

  /**
   * Measures requests to buckets.
   *
   * @param target the buckets
   * @param jvmOptions options that tell a JVM the credentials
   */
  void measure(ExpressTarget target, List<String> jvmOptions) throws IOException {
    JmhRun jmh = jmh(target, jvmOptions);
    for (ExpressCase what : ExpressCase.values()) {
      for (String engine : ENGINES) {
        String title = environment.title(what);
        context.progress().begin(title + ", " + engine);
        try {
          RunResult result = run(jmh, what, engine, Map.of(), 20);
          line(what, engine, result);
          rows.add(Row.of(title, engine, Unit.NANOSECONDS, JmhRun.measurement(result).nanos()));
        } catch (RunnerException e) {
          failed(title, engine, jmh, e);
        }
      }
      published(what).ifPresent(rows::add);
    }
    split(jmh, false, 60);
  }

  /** Returns the published figure of a case. */
  private Optional<Row> published(ExpressCase what) {
    if (what.publishedMillis().isEmpty()) {
      return Optional.empty();
    }
    String title = environment.title(what);
    Figure figure = Figure.exactly(what.publishedMillis().getAsDouble() * 1e6);
    return Optional.of(
        environment.iterations() == PUBLISHED_CALLS
            ? Row.of(title, PUBLISHED, Unit.NANOSECONDS, figure)
            : Row.missing(title, PUBLISHED, Unit.NANOSECONDS, "of 20 calls"));
  }

  /** Measures what needs no network. */
  void measureClient() throws IOException {
    ExpressTarget nowhere = ExpressTarget.nowhere(environment.iterations());
    JmhRun jmh = jmh(nowhere, StubCredentials.jvmOptions());
    StubCredentials here = StubCredentials.useHere();
    try {
      for (ExpressCase what : ExpressCase.values()) {
        for (String engine : what.single() ? ENGINES : List.<String>of()) {
          measureClient(jmh, what, engine);
        }
      }
      if (environment.clientOnly()) {
        split(jmh, true, 100);
      }
    } finally {
      here.close();
    }
  }

  private void measureClient(JmhRun jmh, ExpressCase what, String engine) {
    String title = CLIENT_ONLY + what.title();
    context.progress().begin(title + ", " + engine);
    try {
      RunResult result = run(jmh, what, engine, Map.of("stub", "true"), 100);
      Measurement measured = JmhRun.measurement(result);
      rows.add(Row.of(title, engine, Unit.NANOSECONDS, perCall(measured.nanos())));
      measured
          .bytes()
          .ifPresent(
              bytes ->
                  rows.add(
                      Row.of(title + ": bytes allocated", engine, Unit.BYTES, perCall(bytes))));
    } catch (RunnerException e) {
      failed(title, engine, jmh, e);
    }
  }

  private JmhRun jmh(ExpressTarget target, List<String> more) {
    target.useHere();
    System.setProperty(ExpressBenchmark.TIMES, times.toString());
    List<String> options = new ArrayList<>(more);
    options.addAll(target.jvmOptions());
    options.add("-D" + ExpressBenchmark.TIMES + "=" + times);
    return context.jmh(options);
  }

  private RunResult run(
      JmhRun jmh, ExpressCase what, String engine, Map<String, String> more, int warmups)
      throws RunnerException {
    Map<String, String> parameters = new LinkedHashMap<>(more);
    parameters.put("engine", engine);
    parameters.put("size", Integer.toString(what.size()));
    int samples = environment.samples();
    Schedule schedule =
        switch (context.effort()) {
          case SMALLEST -> new Schedule(Mode.SingleShotTime, 0, 0, samples, 1);
          case QUICK -> new Schedule(Mode.SingleShotTime, 1, warmups, samples, 1);
          case FULL -> new Schedule(Mode.SingleShotTime, FORKS, warmups, samples, 1);
        };
    RunResult result = jmh.run(ExpressBenchmark.class, what.method(), parameters, schedule);
    results.add(result);
    return result;
  }

  private void failed(String title, String engine, JmhRun jmh, Exception e) {
    Leftovers.failed();
    String why = ErrorLine.of(e);
    rows.add(Row.failed(title, engine, Unit.NANOSECONDS, why));
    context.progress().note("failed: " + why + "; see " + jmh.log());
  }

  /** Tells that objects were left in buckets, which does not make what was measured worthless. */
  void left(IOException e) {
    Leftovers.failed();
    String why = ErrorLine.of(e);
    rows.add(Row.failed("removal of the objects", ExpressBenchmark.SDK, Unit.REQUESTS, why));
    context.progress().note("failed: " + why);
  }

  private void line(ExpressCase what, String engine, RunResult result) {
    String name = engine.equals(ExpressBenchmark.SDK) ? "" : " (" + engine + ")";
    Figure nanos = JmhRun.measurement(result).nanos();
    lines.add(what.title() + name + " " + time(nanos, environment.confidenceLevel()));
  }

  /** The mean and its interval. */
  static String time(Figure nanos, double confidence) {
    double unknown = Double.NaN;
    Figure.Interval interval =
        nanos.interval(confidence).orElse(new Figure.Interval(unknown, unknown));
    return time(interval.low(), nanos.mean(), interval.high());
  }

  /** An interval in the form of the suite that others know. */
  static String time(double low, double middle, double high) {
    return "time: [" + time(Math.max(0, low)) + " " + time(middle) + " " + time(high) + "]";
  }

  private static String time(double nanos) {
    if (Double.isNaN(nanos)) {
      return "unknown"; // a single sample has no interval
    }
    if (nanos < 1e6) {
      return String.format(Locale.ROOT, "%.2f µs", nanos / 1e3);
    }
    return nanos < 1e9
        ? String.format(Locale.ROOT, "%.2f ms", nanos / 1e6)
        : String.format(Locale.ROOT, "%.4f s", nanos / 1e9);
  }

  private Figure perCall(Figure sample) {
    return new Figure(
        sample.samples().stream().map(v -> v / environment.iterations()).toList(), sample.jvms());
  }

  /** Splits the time of calls into that of the client and that of the service. */
  private void split(JmhRun jmh, boolean stub, int warmups) throws IOException {
    for (ExpressCase what : OBSERVED) {
      for (String engine : ENGINES) {
        String title = (stub ? "stub, " + what.title() : environment.place(what)) + PER_CALL;
        context.progress().begin(title + "shares, " + engine);
        Files.deleteIfExists(times);
        try {
          Map<String, String> observed = Map.of("stub", Boolean.toString(stub), "observed", "true");
          int jvms = run(jmh, what, engine, observed, warmups).getBenchmarkResults().size();
          List<CallTimes.Sample> samples = CallTimes.read(times);
          for (Share share : Share.values()) {
            rows.add(
                Row.of(
                    title + share.name().toLowerCase(Locale.ROOT),
                    engine,
                    Unit.NANOSECONDS,
                    figure(samples, jvms, share)));
          }
          if (engine.equals(ExpressBenchmark.LIBRARY) && !stub) {
            headline.put(
                what == ExpressCase.GET_64K ? GET_CLIENT : PUT_CLIENT,
                Optional.of(figure(samples, jvms, Share.CLIENT).median() / 1e3));
          }
        } catch (RunnerException e) {
          failed(title + "shares", engine, jmh, e);
        }
      }
    }
  }

  private static Figure figure(List<CallTimes.Sample> samples, int jvms, Share share) {
    return new Figure(samples.stream().map(s -> s.nanos().getOrDefault(share, 0.0)).toList(), jvms);
  }

  /** Sums up, writes JMH's own JSON and prints the lines of the suite that others know. */
  SuiteResult finish() throws IOException {
    Path json = context.data().resolve("express-jmh-" + END_TIME.format(Instant.now()) + ".json");
    try (PrintStream out = new PrintStream(json.toFile(), StandardCharsets.UTF_8)) {
      ResultFormatFactory.getInstance(ResultFormatType.JSON, out).writeOut(results);
    }
    lines.forEach(System.out::println);
    context.progress().note("JMH's results are in " + json);
    return SuiteResult.of("express", headline, rows, ExpressBenchmark.SDK);
  }
}
