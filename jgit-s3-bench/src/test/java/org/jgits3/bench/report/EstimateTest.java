// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class EstimateTest {
  private static Estimate quotient(Figure a, Figure b) {
    return Estimate.quotient(a, b).orElseThrow();
  }

  @Test
  void quotient_is_that_of_the_medians_and_lies_in_its_interval() {
    Estimate estimate = quotient(Figure.of(90, 100, 110, 120, 80), Figure.of(10, 11, 9, 10, 12));

    assertThat(estimate.value()).isEqualTo(10);
    Figure.Interval interval = estimate.interval().orElseThrow();
    assertThat(interval.low()).isBetween(80.0 / 12, 10.0);
    assertThat(interval.high()).isBetween(10.0, 120.0 / 9);
    assertThat(interval.low()).isLessThan(interval.high());
  }

  @Test
  void median_lies_in_an_interval_that_one_odd_round_does_not_move() {
    Figure ratios = Figure.of(1.1, 1.2, 1.0, 1.15, 1.05, 1.1, 1.12, 1.08, 1.11, 1.09, 9);
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
