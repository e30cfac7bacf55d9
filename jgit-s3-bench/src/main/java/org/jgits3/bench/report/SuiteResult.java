// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Results of a suite.
 *
 * @param suite its name
 * @param headline the figures it is judged by, without those that could not be measured
 * @param missing headline keys that could not be measured
 * @param rows everything that was measured
 * @param intervals where headline figures are that are ratios of what was measured
 * @param reasons why headline figures are missing, where that is not plain from the rows
 */
public record SuiteResult(
    String suite,
    Map<String, Double> headline,
    List<String> missing,
    List<Row> rows,
    Map<String, Figure.Interval> intervals,
    Map<String, String> reasons) {
  /**
   * A result whose headline figures have no intervals.
   *
   * @param suite its name
   * @param headline the figures it is judged by, without those that could not be measured
   * @param missing headline keys that could not be measured
   * @param rows everything that was measured
   */
  public SuiteResult(
      String suite, Map<String, Double> headline, List<String> missing, List<Row> rows) {
    this(suite, headline, missing, rows, Map.of(), Map.of());
  }

  /**
   * A result whose rows are compared with one engine.
   *
   * @param suite name of the suite
   * @param headline figures the suite is judged by; absent or empty ones are missing
   * @param rows everything that was measured
   * @param reference engine that all others are compared with, where it has a figure
   * @return the result
   */
  public static SuiteResult of(
      String suite, Map<String, Optional<Double>> headline, List<Row> rows, String reference) {
    Map<String, Double> known = new LinkedHashMap<>();
    headline.forEach((key, value) -> value.ifPresent(v -> known.put(key, v)));
    return new SuiteResult(
        suite, known, List.of(), rows.stream().map(row -> compared(row, rows, reference)).toList());
  }

  /**
   * The same with the intervals of the figures that the suite is judged by.
   *
   * @param suite name of the suite
   * @param headline figures the suite is judged by; absent or empty ones are missing
   * @param rows everything that was measured
   * @param reference engine that all others are compared with, where it has a figure
   * @return the result
   */
  public static SuiteResult estimated(
      String suite, Map<String, Optional<Estimate>> headline, List<Row> rows, String reference) {
    Map<String, Optional<Double>> values = new LinkedHashMap<>();
    Map<String, Figure.Interval> known = new LinkedHashMap<>();
    headline.forEach(
        (key, estimate) -> {
          values.put(key, estimate.map(Estimate::value));
          estimate.flatMap(Estimate::interval).ifPresent(interval -> known.put(key, interval));
        });
    SuiteResult result = of(suite, values, rows, reference);
    return new SuiteResult(suite, result.headline, List.of(), result.rows, known, Map.of());
  }

  /**
   * This result with more of the same suite.
   *
   * @param more what was measured, too
   * @param figures figures that it is judged by, too; empty ones are missing
   * @return the result
   */
  public SuiteResult and(List<Row> more, Map<String, Optional<Estimate>> figures) {
    List<Row> both = new ArrayList<>(rows);
    both.addAll(more);
    Map<String, Double> values = new LinkedHashMap<>(headline);
    Map<String, Figure.Interval> known = new LinkedHashMap<>(intervals);
    figures.forEach(
        (key, figure) -> {
          figure.ifPresent(estimate -> values.put(key, estimate.value()));
          figure.flatMap(Estimate::interval).ifPresent(interval -> known.put(key, interval));
        });
    return new SuiteResult(suite, values, missing, both, known, reasons);
  }

  /**
   * This result without figures that it is judged by, which would be those of something else.
   *
   * @param keys the keys of these figures
   * @param why what was measured instead
   * @return the result
   */
  public SuiteResult withoutHeadline(List<String> keys, String why) {
    Map<String, Double> left = new LinkedHashMap<>(headline);
    Map<String, String> all = new LinkedHashMap<>(reasons);
    for (String key : keys) {
      left.remove(key);
      all.put(key, why);
    }
    return new SuiteResult(suite, left, missing, rows, intervals, all);
  }

  /**
   * The result of a suite that measured nothing because it failed.
   *
   * @param suite name of the suite
   * @param why one line
   * @return the result
   */
  public static SuiteResult failed(String suite, String why) {
    Row row = Row.failed("all cases", "all engines", Unit.NANOSECONDS, why);
    return new SuiteResult(suite, Map.of(), List.of(), List.of(row));
  }

  private static Row compared(Row row, List<Row> rows, String reference) {
    Optional<Double> other = median(rows, row.name(), reference);
    return row.figure()
        .map(Figure::median)
        .filter(own -> own > 0)
        .flatMap(own -> other.map(o -> row.unit().moreIsBetter() ? own / o : o / own))
        .filter(Double::isFinite)
        .map(ratio -> row.with(new Row.Ratio(reference, ratio)))
        .orElse(row);
  }

  /**
   * Median of one engine in one case.
   *
   * @param rows rows to look in
   * @param name the case
   * @param engine the engine
   * @return the median; empty if it is missing
   */
  public static Optional<Double> median(List<Row> rows, String name, String engine) {
    return figure(rows, name, engine).map(Figure::median);
  }

  /**
   * Figure of one engine in one case.
   *
   * @param rows rows to look in
   * @param name the case
   * @param engine the engine
   * @return the figure; empty if it is missing
   */
  public static Optional<Figure> figure(List<Row> rows, String name, String engine) {
    return rows.stream()
        .filter(row -> row.name().equals(name) && row.engine().equals(engine))
        .flatMap(row -> row.figure().stream())
        .findFirst();
  }

  /**
   * This result, with all headline keys in order and those that are missing named.
   *
   * @param keys keys the suite is judged by
   * @return the result
   */
  public SuiteResult checkedAgainst(List<String> keys) {
    Map<String, Double> ordered = new LinkedHashMap<>();
    List<String> absent = new ArrayList<>();
    for (String key : keys) {
      if (headline.containsKey(key)) {
        ordered.put(key, headline.get(key));
      } else {
        absent.add(key);
      }
    }
    return new SuiteResult(suite, ordered, absent, rows, intervals, reasons);
  }
}
