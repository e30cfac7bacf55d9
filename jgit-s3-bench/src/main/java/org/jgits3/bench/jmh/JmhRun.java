// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.jmh;

import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jgits3.bench.process.Leftovers;
import org.jgits3.bench.profile.FlameGraphs;
import org.jgits3.bench.report.Figure;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.BenchmarkException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Runs single benchmarks.
 *
 * @param jvmOptions options of the JVMs that are forked
 * @param log file that gets what JMH prints of the last benchmark
 * @param flameGraphs profiles the benchmarks; empty as a rule, since that takes time
 */
public record JmhRun(List<String> jvmOptions, Path log, Optional<FlameGraphs> flameGraphs) {
  private static final String ALLOCATED = "gc.alloc.rate.norm";

  /**
   * Measures one benchmark with one set of parameters.
   *
   * @param benchmark class that has it
   * @param method name of the benchmark
   * @param parameters values of the parameters by name
   * @param schedule how long
   * @return what it took
   * @throws RunnerException if it failed, with one line that says why; the log has the rest
   */
  public Measurement measure(
      Class<?> benchmark, String method, Map<String, String> parameters, Schedule schedule)
      throws RunnerException {
    Leftovers.proceed(); // JMH starts its JVMs itself
    List<String> forked = new ArrayList<>(jvmOptions);
    flameGraphs.ifPresent(f -> forked.addAll(f.jvmOptions(name(benchmark, method, parameters))));
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include("^" + Pattern.quote(benchmark.getName() + "." + method) + "$")
            .mode(schedule.mode())
            .timeUnit(TimeUnit.NANOSECONDS)
            .forks(flameGraphs.isPresent() ? Math.max(1, schedule.forks()) : schedule.forks())
            .warmupIterations(schedule.warmups())
            .warmupTime(TimeValue.milliseconds(schedule.millis()))
            .measurementIterations(schedule.iterations())
            .measurementTime(TimeValue.milliseconds(schedule.millis()))
            .shouldFailOnError(true)
            .addProfiler(GCProfiler.class)
            .jvmArgsAppend(forked.toArray(String[]::new))
            .output(log.toString());
    parameters.forEach(options::param);
    try {
      return measurement(new Runner(options.build()).runSingle());
    } catch (RunnerException e) {
      throw new RunnerException(reason(e), e);
    }
  }

  /**
   * Message of the exception that the benchmark threw, which JMH wraps more than once, or of JMH's
   * own.
   */
  private static String reason(RunnerException e) {
    Throwable at = e;
    for (Optional<Throwable> next = wrapped(at); next.isPresent(); next = wrapped(at)) {
      at = next.get();
    }
    String message = at.getMessage();
    boolean told = message != null && !message.isBlank();
    return (told ? message : at.getClass().getSimpleName()).replaceAll("\\p{Cntrl}+", " ").strip();
  }

  private static Optional<Throwable> wrapped(Throwable e) {
    boolean wrapper =
        e instanceof RunnerException
            || e instanceof BenchmarkException
            || e instanceof ExecutionException
            || e instanceof InvocationTargetException
            || e.getClass() == Exception.class;
    return !wrapper
        ? Optional.empty()
        : Optional.ofNullable(e.getCause()).or(() -> Arrays.stream(e.getSuppressed()).findFirst());
  }

  private static String name(Class<?> benchmark, String method, Map<String, String> parameters) {
    return benchmark.getSimpleName()
        + "."
        + method
        + " "
        + String.join(" ", new TreeMap<>(parameters).values());
  }

  private static Measurement measurement(RunResult result) {
    int jvms = result.getBenchmarkResults().size();
    List<IterationResult> iterations =
        result.getBenchmarkResults().stream()
            .map(BenchmarkResult::getIterationResults)
            .flatMap(Collection::stream)
            .toList();
    return new Measurement(
        figure(iterations, jvms, JmhRun::time).orElseThrow(),
        figure(iterations, jvms, JmhRun::allocated));
  }

  private static OptionalDouble time(IterationResult iteration) {
    return OptionalDouble.of(iteration.getPrimaryResult().getScore());
  }

  private static OptionalDouble allocated(IterationResult iteration) {
    return iteration.getSecondaryResults().keySet().stream()
        .filter(name -> name.endsWith(ALLOCATED))
        .mapToDouble(name -> iteration.getSecondaryResults().get(name).getScore())
        .findFirst();
  }

  private static Optional<Figure> figure(
      List<IterationResult> iterations, int jvms, Function<IterationResult, OptionalDouble> which) {
    double[] values =
        iterations.stream().map(which).flatMapToDouble(OptionalDouble::stream).toArray();
    return values.length == 0
        ? Optional.empty()
        : Optional.of(new Figure(Arrays.stream(values).boxed().toList(), jvms));
  }
}
