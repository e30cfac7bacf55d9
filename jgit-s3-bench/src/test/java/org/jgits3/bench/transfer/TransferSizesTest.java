// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import org.jgits3.bench.Effort;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TransferSizesTest {
  @ParameterizedTest
  @CsvSource({
    "FULL, 4096, 4096", "FULL, 3000, 2048", "FULL, 64, 64",
    "QUICK, 4096, 1024", "QUICK, 700, 256", "SMALLEST, 4096, 16"
  })
  void the_largest_size_is_the_one_that_is_transferred(Effort effort, int most, int expected) {
    assertThat(TransferSuite.largest(effort, most)).isEqualTo(expected);
  }

  @Test
  void a_size_for_which_there_is_no_room_says_how_much_it_needs() {
    assertThat(TransferSuite.tooLarge(1024, 3 * 1024 + 512)).isEmpty();
    assertThat(TransferSuite.tooLarge(1024, 3 * 1024 + 511))
        .contains("needs 3,584 MB of disk, 3,583 are free");
  }
}
