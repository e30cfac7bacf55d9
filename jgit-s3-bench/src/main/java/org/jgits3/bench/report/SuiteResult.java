// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a suite measured.
 *
 * @param suite its name
 * @param headline the figures it is judged by, without those that could not be measured
 * @param missing headline keys that could not be measured
 * @param rows everything that was measured
 */
public record SuiteResult(
    String suite, Map<String, Double> headline, List<String> missing, List<Row> rows) {
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
    return rows.stream()
        .filter(row -> row.name().equals(name) && row.engine().equals(engine))
        .flatMap(row -> row.figure().stream())
        .map(Figure::median)
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
    return new SuiteResult(suite, ordered, absent, rows);
  }
}
