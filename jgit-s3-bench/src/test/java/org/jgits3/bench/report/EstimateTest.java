// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class EstimateTest {
  private static Estimate quotient(Figure a, Figure b) {
    return Estimate.quotient(a, b).orElseThrow();
  }

  private static Figure ofLogarithms(double... logarithms) {
    return Figure.of(Arrays.stream(logarithms).map(Math::exp).toArray());
  }

  private static void assertInterval(Estimate estimate, double value, double factor) {
    assertThat(estimate.value()).isCloseTo(value, withinPercentage(0.01));
    Figure.Interval interval = estimate.interval().orElseThrow();
    assertThat(interval.low()).isCloseTo(value / factor, withinPercentage(0.01));
    assertThat(interval.high()).isCloseTo(value * factor, withinPercentage(0.01));
  }

  @Test
  void interval_of_a_quotient_is_that_of_students_t_distribution_around_it() {
    Figure three = ofLogarithms(1, 2, 3);

    // 9.9248 is the quantile of 99.5 % for two degrees of freedom, 4.6041 that for four
    assertInterval(
        quotient(three, Figure.exactly(1)), Math.exp(2), Math.exp(9.9248 * 1 / Math.sqrt(3)));
    assertInterval(
        quotient(Figure.exactly(1), three), Math.exp(-2), Math.exp(9.9248 * 1 / Math.sqrt(3)));
    assertInterval(quotient(three, three), 1, Math.exp(4.6041 * Math.sqrt(2.0 / 3)));
  }

  @Test
  void jvms_count_by_their_medians() {
    List<Double> samples = List.of(1.0, 1.0, 90.0, 2.0, 2.0, 90.0);
    Figure medians = Figure.of(1, 2);

    Estimate twoJvms = quotient(new Figure(samples, 2), Figure.exactly(2));
    assertInterval(
        twoJvms, 1, quotient(medians, Figure.exactly(1.5)).interval().orElseThrow().high());
  }

  @Test
  void median_lies_in_an_interval_that_one_odd_round_does_not_move() {
    Figure ratios =
        Figure.of(1.1, 1.2, 1.0, 1.15, 1.05, 1.1, 1.12, 1.08, 1.11, 1.09, 1.06, 1.14, 9);
    Estimate estimate = Estimate.median(ratios);

    assertThat(estimate.value()).isEqualTo(1.1);
    Figure.Interval interval = estimate.interval().orElseThrow();
    assertThat(interval.low()).isBetween(1.0, 1.1);
    assertThat(interval.high()).isBetween(1.1, 1.2);
    assertThat(Estimate.median(Figure.exactly(3))).isEqualTo(Estimate.exactly(3));
  }

  @Test
  void same_samples_have_the_same_interval() {
    Figure a = Figure.of(1, 2, 3, 4);
    Figure b = Figure.of(5, 6, 9);

    assertThat(quotient(a, b)).isEqualTo(quotient(a, b));
  }

  @Test
  void jvms_that_differ_make_the_interval_wider_than_their_iterations_as_one() {
    List<Double> samples = List.of(10.0, 10.1, 10.2, 20.0, 20.1, 20.2, 15.0, 15.1, 15.2);
    Figure one = Figure.of(1, 1);

    Figure.Interval asOne = quotient(new Figure(samples), one).interval().orElseThrow();
    Figure.Interval asThree = quotient(new Figure(samples, 3), one).interval().orElseThrow();

    assertThat(asThree.low()).isLessThan(asOne.low() + 0.001);
    assertThat(asThree.high()).isGreaterThanOrEqualTo(20.0);
    assertThat(asThree.high() - asThree.low()).isGreaterThanOrEqualTo(asOne.high() - asOne.low());
  }

  @Test
  void counts_have_no_interval() {
    assertThat(quotient(Figure.exactly(6), Figure.exactly(3))).isEqualTo(Estimate.exactly(2));
  }

  @Test
  void nothing_is_compared_with_zero() {
    assertThat(Estimate.quotient(Figure.of(1, 2), Figure.exactly(0))).isEmpty();
  }
}
