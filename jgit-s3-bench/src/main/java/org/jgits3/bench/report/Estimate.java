// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;
import org.apache.commons.statistics.descriptive.Median;

/**
 * A figure that a suite is judged by.
 *
 * @param value the figure
 * @param interval where it is, at {@link Figure#CONFIDENCE}; empty if it was counted
 */
public record Estimate(double value, Optional<Figure.Interval> interval) {
  private static final int RESAMPLED = 10_000;

  /** The same samples always have the same interval. */
  private static final long SEED = 20_261_121;

  /**
   * A figure without spread.
   *
   * @param value the figure
   * @return the estimate
   */
  public static Estimate exactly(double value) {
    return new Estimate(value, Optional.empty());
  }

  /**
   * How many times as large one figure is as another. Its interval is that of a percentile
   * bootstrap: the JVMs that have measured are drawn at random as often as there are, and so are
   * the iterations of each. With one JVM it says nothing about how JVMs differ.
   *
   * @param a a figure
   * @param b another one
   * @return the quotient of the medians; empty if the second is zero
   */
  public static Optional<Estimate> quotient(Figure a, Figure b) {
    if (b.median() == 0) {
      return Optional.empty();
    }
    double value = a.median() / b.median();
    if (a.samples().size() == 1 && b.samples().size() == 1) {
      return Optional.of(exactly(value));
    }
    return Optional.of(
        new Estimate(
            value, Optional.of(interval(random -> median(a, random) / median(b, random)))));
  }

  /**
   * The median of a figure. Its interval is that of the same bootstrap.
   *
   * @param figure the figure: ratios of what was measured in turns, as a rule, which say more than
   *     the ratio of two medians if what else the machine did met both sides of each
   * @return the median
   */
  public static Estimate median(Figure figure) {
    return figure.samples().size() == 1
        ? exactly(figure.median())
        : new Estimate(figure.median(), Optional.of(interval(random -> median(figure, random))));
  }

  private static Figure.Interval interval(ToDoubleFunction<SplittableRandom> drawn) {
    SplittableRandom random = new SplittableRandom(SEED);
    double[] values = new double[RESAMPLED];
    for (int i = 0; i < RESAMPLED; i++) {
      values[i] = drawn.applyAsDouble(random);
    }
    Arrays.sort(values);
    int cut = (int) Math.round(RESAMPLED * (1 - Figure.CONFIDENCE) / 2);
    return new Figure.Interval(values[cut], values[RESAMPLED - 1 - cut]);
  }

  /** Median of a figure as it might have been measured as well. */
  private static double median(Figure figure, SplittableRandom random) {
    List<double[]> jvms = figure.byJvm();
    double[] drawn = new double[figure.samples().size()];
    int each = drawn.length / jvms.size();
    double[] jvm = jvms.get(0);
    for (int i = 0; i < drawn.length; i++) {
      if (i % each == 0) {
        jvm = jvms.get(random.nextInt(jvms.size()));
      }
      drawn[i] = jvm[random.nextInt(each)];
    }
    return Median.withDefaults().evaluate(drawn);
  }
}
