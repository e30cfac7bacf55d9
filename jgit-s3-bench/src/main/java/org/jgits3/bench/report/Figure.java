// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import java.util.Arrays;
import java.util.List;

/**
 * A measured quantity.
 *
 * @param samples one value per iteration, at least one
 */
public record Figure(List<Double> samples) {
  /** Keeps a copy of the values. */
  public Figure {
    samples = List.copyOf(samples);
    if (samples.isEmpty()) {
      throw new IllegalArgumentException("a figure of no values");
    }
  }

  /**
   * A quantity that was counted, not sampled.
   *
   * @param value the count
   * @return a figure without spread
   */
  public static Figure exactly(double value) {
    return new Figure(List.of(value));
  }

  /**
   * Sums up iterations.
   *
   * @param values one value per iteration, at least one
   * @return their figure
   */
  public static Figure of(double... values) {
    return new Figure(Arrays.stream(values).boxed().toList());
  }

  private double[] sorted() {
    return samples.stream().mapToDouble(Double::doubleValue).sorted().toArray();
  }

  /**
   * The value in the middle.
   *
   * @return the median of the iterations
   */
  public double median() {
    double[] sorted = sorted();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /**
   * The least value.
   *
   * @return the lowest iteration
   */
  public double low() {
    return sorted()[0];
  }

  /**
   * The greatest value.
   *
   * @return the highest iteration
   */
  public double high() {
    double[] sorted = sorted();
    return sorted[sorted.length - 1];
  }
}
