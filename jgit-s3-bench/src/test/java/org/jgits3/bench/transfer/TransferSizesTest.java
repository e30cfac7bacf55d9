// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import org.jgits3.bench.Effort;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TransferSizesTest {
  @ParameterizedTest
  @CsvSource({
    "FULL, 4096, 4096", "FULL, 3000, 2048", "FULL, 64, 64",
    "QUICK, 4096, 1024", "QUICK, 700, 512", "SMALLEST, 4096, 16"
  })
  void the_largest_size_is_the_one_that_is_transferred(Effort effort, int most, int expected) {
    assertThat(TransferSuite.largest(effort, most)).isEqualTo(expected);
  }
}
