// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.commons.statistics.descriptive.Mean;
import org.apache.commons.statistics.descriptive.Median;
import org.apache.commons.statistics.descriptive.StandardDeviation;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * A measured quantity, which is not negative.
 *
 * @param samples one value per iteration, at least one
 */
public record Figure(List<Double> samples) {
  /** Share of the intervals that hold the mean. */
  public static final double CONFIDENCE = 0.99;

  /**
   * Where the mean is, at {@link #CONFIDENCE}.
   *
   * @param low lower end
   * @param high upper end
   */
  public record Interval(double low, double high) {}

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

  /** The values as they came. */
  double[] values() {
    return samples.stream().mapToDouble(Double::doubleValue).toArray();
  }

  /**
   * The value in the middle.
   *
   * @return the median of the iterations
   */
  public double median() {
    return Median.withDefaults().evaluate(values());
  }

  /**
   * The least value.
   *
   * @return the lowest iteration
   */
  public double low() {
    return Arrays.stream(values()).min().orElseThrow();
  }

  /**
   * The greatest value.
   *
   * @return the highest iteration
   */
  public double high() {
    return Arrays.stream(values()).max().orElseThrow();
  }

  /**
   * The arithmetic mean.
   *
   * @return the mean of the iterations
   */
  public double mean() {
    return Mean.of(values()).getAsDouble();
  }

  /**
   * Where the mean would be if there were very many iterations, by Student's t-distribution.
   *
   * @return the interval, cut off at zero; empty if there is only one iteration
   */
  public Optional<Interval> interval() {
    int n = samples.size();
    if (n < 2) {
      return Optional.empty();
    }
    double t = TDistribution.of(n - 1).inverseSurvivalProbability((1 - CONFIDENCE) / 2);
    double half = t * StandardDeviation.of(values()).getAsDouble() / Math.sqrt(n);
    return Optional.of(new Interval(Math.max(0, mean() - half), mean() + half));
  }
}
