// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.commons.statistics.descriptive.Mean;
import org.apache.commons.statistics.descriptive.Median;
import org.apache.commons.statistics.descriptive.StandardDeviation;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * A measured quantity, which is not negative.
 *
 * @param samples one value per iteration, at least one, those of each JVM together
 * @param jvms JVMs that have measured, one after the other, with as many iterations each
 */
public record Figure(List<Double> samples, int jvms) {
  /** Share of the intervals that hold the mean. */
  public static final double CONFIDENCE = 0.99;

  /**
   * Confidence interval of the mean, at {@link #CONFIDENCE}.
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
    if (jvms < 1 || samples.size() % jvms != 0) {
      throw new IllegalArgumentException(samples.size() + " values of " + jvms + " JVMs");
    }
  }

  /**
   * A quantity that one JVM has measured.
   *
   * @param samples one value per iteration, at least one
   */
  public Figure(List<Double> samples) {
    this(samples, 1);
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

  /** The values of each JVM. */
  List<double[]> byJvm() {
    double[] all = values();
    int each = all.length / jvms;
    return IntStream.range(0, jvms)
        .mapToObj(i -> Arrays.copyOfRange(all, i * each, (i + 1) * each))
        .toList();
  }

  /**
   * Values that do not depend on each other: the iterations of one JVM share what it has compiled
   * and where its memory is, so that several JVMs count by the mean of each.
   */
  double[] independent() {
    return jvms == 1
        ? values()
        : byJvm().stream().mapToDouble(values -> Mean.of(values).getAsDouble()).toArray();
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
   * Confidence interval of the mean by Student's t-distribution, over iterations or, where several
   * JVMs have measured, over JVMs.
   *
   * @return the interval, cut off at zero; empty if there is only one iteration
   */
  public Optional<Interval> interval() {
    double[] values = independent();
    int n = values.length;
    if (n < 2) {
      return Optional.empty();
    }
    double t = TDistribution.of(n - 1).inverseSurvivalProbability((1 - CONFIDENCE) / 2);
    double half = t * StandardDeviation.of(values).getAsDouble() / Math.sqrt(n);
    return Optional.of(new Interval(Math.max(0, mean() - half), mean() + half));
  }
}
