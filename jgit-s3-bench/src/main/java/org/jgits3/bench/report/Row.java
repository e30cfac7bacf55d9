// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import java.util.Optional;

/**
 * Result of one engine in one case, or the reason why there is none.
 *
 * @param name the case
 * @param engine what was measured
 * @param unit unit of the figure
 * @param figure what was measured; empty if missing
 * @param ratio comparison with another engine in the same case and run; empty if there is none
 * @param missing why there is no figure; empty if there is one
 * @param failed whether the figure is missing because the engine failed
 * @param place where the figure is on a line of the chart of a case that was measured at several
 *     sizes; empty if the case is one of its own
 */
public record Row(
    String name,
    String engine,
    Unit unit,
    Optional<Figure> figure,
    Optional<Ratio> ratio,
    String missing,
    boolean failed,
    Optional<Place> place) {
  /**
   * A figure's place on a line that shows how figures grow.
   *
   * @param chart title of the chart, the same for all rows of it
   * @param x where on the horizontal axis
   * @param unit unit of that axis
   */
  public record Place(String chart, double x, String unit) {}

  /**
   * Comparison within a run.
   *
   * @param to the other engine
   * @param value how many times better than the other one
   */
  public record Ratio(String to, double value) {}

  /**
   * A figure.
   *
   * @param name the case
   * @param engine what was measured
   * @param unit unit of the figure
   * @param figure what was measured
   * @return the row
   */
  public static Row of(String name, String engine, Unit unit, Figure figure) {
    return row(name, engine, unit, Optional.of(figure), "", false);
  }

  /**
   * A figure that cannot be had.
   *
   * @param name the case
   * @param engine what would have been measured
   * @param unit unit it would have
   * @param why one line
   * @return the row
   */
  public static Row missing(String name, String engine, Unit unit, String why) {
    return row(name, engine, unit, Optional.empty(), why, false);
  }

  /**
   * A figure that should have been measured, but the engine failed.
   *
   * @param name the case
   * @param engine what failed
   * @param unit unit it would have
   * @param why one line
   * @return the row
   */
  public static Row failed(String name, String engine, Unit unit, String why) {
    return row(name, engine, unit, Optional.empty(), why, true);
  }

  private static Row row(
      String name,
      String engine,
      Unit unit,
      Optional<Figure> figure,
      String missing,
      boolean failed) {
    return new Row(
        name,
        engine,
        unit,
        figure,
        Optional.empty(),
        ErrorLine.of(missing),
        failed,
        Optional.empty());
  }

  /**
   * This row, as a point of a chart with one line per engine.
   *
   * @param chart title of the chart, the same for all rows of it
   * @param x where on the horizontal axis, the size for example
   * @param xUnit unit of that axis
   * @return the row
   */
  public Row at(String chart, double x, String xUnit) {
    Optional<Place> at = Optional.of(new Place(chart, x, xUnit));
    return new Row(name, engine, unit, figure, ratio, missing, failed, at);
  }

  /** This row, compared. */
  Row with(Ratio comparison) {
    return new Row(name, engine, unit, figure, Optional.of(comparison), missing, failed, place);
  }
}
