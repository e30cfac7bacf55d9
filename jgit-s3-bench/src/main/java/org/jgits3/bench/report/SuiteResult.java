// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Results of a suite.
 *
 * @param suite its name
 * @param headline the figures it is judged by, without those that could not be measured
 * @param missing keys of headline figures that could not be measured, with the reason where that is
 *     not plain from the rows, and empty where it is
 * @param rows everything that was measured
 */
public record SuiteResult(
    String suite, Map<String, Estimate> headline, Map<String, String> missing, List<Row> rows) {
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
      String suite, Map<String, Optional<Estimate>> headline, List<Row> rows, String reference) {
    Map<String, Estimate> known = new LinkedHashMap<>();
    headline.forEach((key, figure) -> figure.ifPresent(f -> known.put(key, f)));
    return new SuiteResult(
        suite, known, Map.of(), rows.stream().map(row -> compared(row, rows, reference)).toList());
  }

  /**
   * This result without figures that it is judged by, which would be those of something else.
   *
   * @param keys the keys of these figures
   * @param why what was measured instead
   * @return the result
   */
  public SuiteResult withoutHeadline(List<String> keys, String why) {
    Map<String, Estimate> left = new LinkedHashMap<>(headline);
    Map<String, String> reasons = new LinkedHashMap<>(missing);
    for (String key : keys) {
      left.remove(key);
      reasons.put(key, why);
    }
    return new SuiteResult(suite, left, reasons, rows);
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
    return new SuiteResult(suite, Map.of(), Map.of(), List.of(row));
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
    Map<String, Estimate> ordered = new LinkedHashMap<>();
    Map<String, String> absent = new LinkedHashMap<>();
    for (String key : keys) {
      if (headline.containsKey(key)) {
        ordered.put(key, headline.get(key));
      } else {
        absent.put(key, missing.getOrDefault(key, ""));
      }
    }
    return new SuiteResult(suite, ordered, absent, rows);
  }
}
