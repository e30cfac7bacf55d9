// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import java.util.Optional;

/**
 * What one engine did in one case, or why that is not known.
 *
 * @param name the case
 * @param engine what was measured
 * @param unit unit of the figure
 * @param figure what was measured; empty if missing
 * @param ratio comparison with another engine in the same case and run; empty if there is none
 * @param missing why there is no figure; empty if there is one
 * @param failed whether the figure is missing because the engine failed
 */
public record Row(
    String name,
    String engine,
    Unit unit,
    Optional<Figure> figure,
    Optional<Ratio> ratio,
    String missing,
    boolean failed) {
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
    return new Row(name, engine, unit, Optional.of(figure), Optional.empty(), "", false);
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
    return new Row(name, engine, unit, Optional.empty(), Optional.empty(), why, false);
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
    return new Row(name, engine, unit, Optional.empty(), Optional.empty(), why, true);
  }

  /** This row, compared. */
  Row with(Ratio comparison) {
    return new Row(name, engine, unit, figure, Optional.of(comparison), missing, failed);
  }
}
