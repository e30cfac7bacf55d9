// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.robust;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jgits3.bench.report.Estimate;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.SuiteResult;
import org.jgits3.bench.report.Unit;

/** Figures, each beside what is asked of it if anything is. Safe for use by many threads. */
final class Findings {
  /** Engine of the rows that say what is asked. */
  static final String ASKED = "asked";

  private final boolean fullSize;
  private final List<Row> rows = new ArrayList<>(); // guarded by this, as is the other
  private final Map<String, Double> headline = new LinkedHashMap<>();

  /** No figures yet. Those that depend on sizes are not judged if these are smaller than asked. */
  Findings(boolean fullSize) {
    this.fullSize = fullSize;
  }

  /** Notes a figure. */
  synchronized void note(String title, String engine, Unit unit, double value) {
    rows.add(Row.of(title, engine, unit, Figure.exactly(value)));
  }

  /** Notes a count. */
  void count(String title, String engine, double value) {
    note(title, engine, Unit.COUNT, value);
  }

  /** Notes a count that is to be zero: a failure otherwise. */
  void none(String title, String engine, long value) {
    judge(title, engine, Unit.COUNT, (double) value, 0, value == 0);
  }

  /** Notes a figure that is to be at least something. */
  void atLeast(String title, String engine, Unit unit, double value, double asked) {
    judge(title, engine, unit, value, asked, value >= asked || !fullSize);
  }

  /** Notes a figure that is to be at most something. */
  void atMost(String title, String engine, Unit unit, double value, double asked) {
    judge(title, engine, unit, value, asked, value <= asked || !fullSize);
  }

  private synchronized void judge(
      String title, String engine, Unit unit, double value, double asked, boolean met) {
    note(title, engine, unit, value);
    if (SuiteResult.figure(rows, title, ASKED).isEmpty()) {
      note(title, ASKED, unit, asked);
    }
    if (!met) {
      failed(title + ": missed", engine, unit, "%.3g, asked %.3g".formatted(value, asked));
    }
  }

  /** Notes that something could not be measured because it failed. */
  synchronized void failed(String title, String engine, Unit unit, String why) {
    rows.add(Row.failed(title, engine, unit, why));
  }

  /** Notes that something cannot be measured here. */
  synchronized void missing(String title, String why) {
    rows.add(Row.missing(title, "s3", Unit.COUNT, why));
  }

  /** Notes one of the figures that the suite is judged by. */
  synchronized void headline(String key, double value) {
    headline.merge(key, value, Double::sum);
  }

  /** Returns all of them. */
  synchronized SuiteResult result(String suite) {
    Map<String, Optional<Estimate>> figures = new LinkedHashMap<>();
    headline.forEach((key, value) -> figures.put(key, Optional.of(Estimate.exactly(value))));
    return SuiteResult.of(suite, figures, rows, ASKED);
  }
}
