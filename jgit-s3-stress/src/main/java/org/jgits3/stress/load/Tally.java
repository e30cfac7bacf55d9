// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.load;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.commons.statistics.descriptive.Quantile;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.Unit;

/** Counts operations: how long each took, and how often the server was busy. Thread-safe. */
final class Tally {
  private static final String ENGINE = "serve";

  /** Pause before a client that was rejected tries again. */
  private static final long PAUSE_MILLIS = 1000;

  /** Nanoseconds of each, from the first attempt to success. */
  private final Map<Operation, List<Double>> done = new EnumMap<>(Operation.class);

  private final Map<Operation, Integer> rejected = new EnumMap<>(Operation.class);
  private final List<String> errors = new ArrayList<>();
  private int cutOff;

  /** Counts an operation that began at some time of {@link System#nanoTime}. */
  synchronized void done(Operation operation, long began) {
    double nanos = System.nanoTime() - began;
    done.computeIfAbsent(operation, o -> new ArrayList<>()).add(nanos);
  }

  /** Counts a rejection, and waits for as long as a client does before it tries again. */
  void rejected(Operation operation) throws InterruptedException {
    synchronized (this) {
      rejected.merge(operation, 1, Integer::sum);
    }
    TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
  }

  synchronized void failed(String error) {
    errors.add("error: " + error.strip());
  }

  /** Counts a client whose operation failed because the server was told to end. */
  synchronized void cutOff() {
    cutOff++;
  }

  synchronized int count(Operation operation) {
    return done.getOrDefault(operation, List.of()).size();
  }

  synchronized long operations() {
    return done.values().stream().mapToLong(List::size).sum();
  }

  synchronized long rejections() {
    return rejected.values().stream().mapToLong(Integer::longValue).sum();
  }

  synchronized List<String> errors() {
    return List.copyOf(errors);
  }

  /** Counts, rejections and latencies of each kind of operation. */
  synchronized List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (Operation each : Operation.values()) {
      String name = each.words() + ": ";
      double[] nanos =
          done.getOrDefault(each, List.of()).stream().mapToDouble(Double::doubleValue).toArray();
      rows.add(count(name + "done", nanos.length));
      rows.add(count(name + "rejected", rejected.getOrDefault(each, 0)));
      if (nanos.length > 0) {
        double[] values = Quantile.withDefaults().evaluate(nanos, 0.5, 0.95, 0.99, 1);
        rows.add(time(name + "median", values[0]));
        rows.add(time(name + "95 %", values[1]));
        rows.add(time(name + "99 %", values[2]));
        rows.add(time(name + "longest", values[3]));
      }
    }
    rows.add(count("cut off by the end of the server", cutOff));
    return rows;
  }

  private static Row count(String name, int value) {
    return Row.of(name, ENGINE, Unit.COUNT, Figure.exactly(value));
  }

  private static Row time(String name, double nanos) {
    return Row.of(name, ENGINE, Unit.NANOSECONDS, Figure.exactly(nanos));
  }
}
