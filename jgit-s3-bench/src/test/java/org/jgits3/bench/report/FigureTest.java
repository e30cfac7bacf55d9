// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FigureTest {
  @Test
  void interval_is_that_of_students_t_distribution() {
    Figure.Interval interval = Figure.of(10, 11, 12, 13, 14).interval().orElseThrow();

    // 12 ± 4.6041 * 1.5811 / √5
    assertThat(interval.low()).isCloseTo(8.7444, within(0.001));
    assertThat(interval.high()).isCloseTo(15.2556, within(0.001));
  }

  @Test
  void interval_does_not_go_below_zero() {
    assertThat(Figure.of(1, 2, 9).interval().orElseThrow().low()).isZero();
  }

  @Test
  void interval_of_several_jvms_is_that_of_their_means() {
    Figure figure = new Figure(List.of(9.0, 11.0, 11.0, 13.0, 13.0, 15.0), 3);

    // 12 ± 9.9248 * 2 / √3
    assertThat(figure.interval().orElseThrow().low()).isCloseTo(0.5397, within(0.001));
    assertThat(figure.interval().orElseThrow().high()).isCloseTo(23.4603, within(0.001));
    assertThat(figure.median()).isEqualTo(12);
  }

  @Test
  void jvms_without_an_equal_share_of_the_samples_are_refused() {
    assertThatIllegalArgumentException().isThrownBy(() -> new Figure(List.of(1.0, 2.0, 3.0), 2));
  }

  @Test
  void one_sample_has_no_interval() {
    assertThat(Figure.exactly(7).interval()).isEmpty();
  }

  @Test
  void median_of_an_even_number_of_samples_is_between_the_middle_ones() {
    Figure figure = Figure.of(4, 1, 3, 10);

    assertThat(figure.median()).isEqualTo(3.5);
    assertThat(figure.low()).isEqualTo(1);
    assertThat(figure.high()).isEqualTo(10);
    assertThat(figure.mean()).isEqualTo(4.5);
  }

  @Test
  void figure_of_no_samples_is_refused() {
    assertThatIllegalArgumentException().isThrownBy(() -> Figure.of());
  }

  @Test
  void twice_the_rate_is_twice_as_good() {
    List<Row> rows =
        List.of(
            Row.of("upload", "ours", Unit.MEGABYTES_PER_SECOND, Figure.exactly(400)),
            Row.of("upload", "other", Unit.MEGABYTES_PER_SECOND, Figure.exactly(200)));

    SuiteResult result = SuiteResult.of("transfer", Map.of(), rows, "other");

    assertThat(result.rows().get(0).ratio()).isEqualTo(Optional.of(new Row.Ratio("other", 2)));
  }
}
