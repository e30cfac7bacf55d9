// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.express;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.jgits3.bench.Effort;
import org.jgits3.bench.WrongUsageException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExpressEnvironmentTest {
  private static ExpressEnvironment of(Map<String, String> variables) {
    return ExpressEnvironment.of(variables, Effort.FULL);
  }

  @Test
  void nothing_set_gives_the_defaults_of_the_known_suite() {
    ExpressEnvironment environment = of(Map.of());

    assertThat(environment.buckets()).isEmpty();
    assertThat(environment.iterations()).isEqualTo(20);
    assertThat(environment.samples()).isEqualTo(10);
    assertThat(environment.clientOnly()).isFalse();
  }

  @Test
  void directory_buckets_and_general_purpose_ones_can_be_mixed() {
    assertThat(of(Map.of("BUCKETS", "test0--usw2-az1--x-s3, my.bucket,,my-bucket-2")).buckets())
        .containsExactly("test0--usw2-az1--x-s3", "my.bucket", "my-bucket-2");
  }

  @Test
  void numbers_are_read() {
    ExpressEnvironment environment =
        of(
            Map.of(
                "NUMBER_OF_ITERATIONS", "7",
                "SAMPLE_SIZE", "3",
                "CLIENT_ONLY", "true"));

    assertThat(environment.iterations()).isEqualTo(7);
    assertThat(environment.samples()).isEqualTo(3);
    assertThat(environment.clientOnly()).isTrue();
  }

  @Test
  void names_of_cases_tell_settings_without_which_figures_are_others() {
    assertThat(of(Map.of()).title(ExpressCase.GET_64K))
        .isEqualTo("get_object/size/65536, 20 calls");
    ExpressEnvironment environment =
        of(Map.of("BUCKETS", "test0--usw2-az1--x-s3,my-bucket", "NUMBER_OF_ITERATIONS", "7"));
    assertThat(environment.title(ExpressCase.GET_64K))
        .isEqualTo("get_object/size/65536, 7 calls of test0--usw2-az1--x-s3, my-bucket");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          NUMBER_OF_ITERATIONS | 0         | NUMBER_OF_ITERATIONS: '0' is no number from 1
          NUMBER_OF_ITERATIONS | 1.5       | NUMBER_OF_ITERATIONS: '1.5' is no number from 1
          SAMPLE_SIZE          | 1         | SAMPLE_SIZE: '1' is no number from 2
          CLIENT_ONLY          | yes       | CLIENT_ONLY: 'yes' is neither true nor false
          """)
  void wrong_value_is_named_in_one_line(String name, String value, String message) {
    assertThatThrownBy(() -> of(Map.of(name, value)))
        .isInstanceOf(WrongUsageException.class)
        .hasMessageStartingWith(message);
  }
}
