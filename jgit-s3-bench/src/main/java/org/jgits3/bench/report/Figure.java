// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import java.util.Arrays;

/**
 * A measured quantity.
 *
 * @param median median of the iterations
 * @param low lowest iteration
 * @param high highest iteration
 */
public record Figure(double median, double low, double high) {
  /**
   * A quantity that was counted, not sampled.
   *
   * @param value the count
   * @return a figure without spread
   */
  public static Figure exactly(double value) {
    return new Figure(value, value, value);
  }

  /**
   * Sums up iterations.
   *
   * @param values one value per iteration, at least one
   * @return their median and range
   */
  public static Figure of(double... values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    double median =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return new Figure(median, sorted[0], sorted[sorted.length - 1]);
  }
}
