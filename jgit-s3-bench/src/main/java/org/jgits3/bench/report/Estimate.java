// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import java.util.Arrays;
import java.util.Optional;
import org.apache.commons.statistics.descriptive.Median;
import org.apache.commons.statistics.descriptive.Variance;
import org.apache.commons.statistics.distribution.BinomialDistribution;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * A figure that a suite is judged by.
 *
 * @param value the figure
 * @param interval where it is, at {@link Figure#CONFIDENCE}; empty if it was counted
 */
public record Estimate(double value, Optional<Figure.Interval> interval) {
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
   * Quotient of two figures. Its interval comes from Welch's t-test on the logarithms of the
   * samples: the iterations if one JVM has measured, which says nothing about differences between
   * JVMs, or the median of each JVM if there are several. With few JVMs it is wide.
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
    double[] first = logarithms(a);
    double[] second = logarithms(b);
    if (value == 0 || Math.max(first.length, second.length) < 2) {
      return Optional.of(exactly(value));
    }
    double margin = Math.exp(margin(first, second));
    return Optional.of(
        new Estimate(value, Optional.of(new Figure.Interval(value / margin, value * margin))));
  }

  /**
   * The same of figures that may be missing.
   *
   * @param a a figure
   * @param b another one
   * @return the quotient of the medians; empty if one is missing, or the second is zero
   */
  public static Optional<Estimate> quotient(Optional<Figure> a, Optional<Figure> b) {
    return a.flatMap(x -> b.flatMap(y -> quotient(x, y)));
  }

  private static double[] logarithms(Figure figure) {
    double[] values =
        figure.jvms() == 1
            ? figure.values()
            : figure.byJvm().stream().mapToDouble(Estimate::median).toArray();
    return Arrays.stream(values).map(Math::log).toArray();
  }

  /** Half of the interval of the difference of two means. */
  private static double margin(double[] a, double[] b) {
    double ofA = errorSquared(a);
    double ofB = errorSquared(b);
    double both = ofA + ofB;
    if (both == 0) {
      return 0;
    }
    double freedom = both * both / (part(ofA, a) + part(ofB, b));
    double t = TDistribution.of(freedom).inverseSurvivalProbability((1 - Figure.CONFIDENCE) / 2);
    return t * Math.sqrt(both);
  }

  /** Of a mean; that of a single value, which was counted or published, is taken as none. */
  private static double errorSquared(double... values) {
    return values.length < 2 ? 0 : Variance.of(values).getAsDouble() / values.length;
  }

  private static double part(double errorSquared, double... values) {
    return values.length < 2 ? 0 : errorSquared * errorSquared / (values.length - 1);
  }

  private static double median(double... values) {
    return Median.withDefaults().evaluate(values);
  }

  /**
   * The median of a figure. Its interval is that of order statistics, whatever the distribution:
   * the narrowest pair of samples, as far from the lowest as from the highest, that holds the
   * median with {@link Figure#CONFIDENCE}; of few samples the lowest and the highest.
   *
   * @param figure the figure: ratios of what was measured in turns, as a rule, which say more than
   *     the ratio of two medians if what else the machine did met both sides of each
   * @return the median, of one JVM
   */
  public static Estimate median(Figure figure) {
    double[] sorted = Arrays.stream(figure.values()).sorted().toArray();
    int n = sorted.length;
    if (n == 1) {
      return exactly(sorted[0]);
    }
    int below =
        BinomialDistribution.of(n, 0.5).inverseCumulativeProbability((1 - Figure.CONFIDENCE) / 2);
    int first = Math.max(0, below - 1);
    return new Estimate(
        figure.median(), Optional.of(new Figure.Interval(sorted[first], sorted[n - 1 - first])));
  }
}
