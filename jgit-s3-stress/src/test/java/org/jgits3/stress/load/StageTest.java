// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StageTest {
  private static final long MIB = 1 << 20;
  private static final long HEAP = 100 * MIB;
  private static final Stage FIRST = new Stage("quarter 1", 50 << 20, 20 << 20, 50, 100);

  private static Stage later(int mebibytes, int threads, int descriptors) {
    return new Stage("quarter 4", (mebibytes + 5.0) * MIB, 5 * MIB, threads, descriptors);
  }

  @Test
  void small_differences_are_no_growth() {
    assertThat(later(40, 66, 132).grownSince(FIRST, HEAP)).isEmpty();
    assertThat(later(1, 1, 1).grownSince(FIRST, HEAP)).isEmpty();
  }

  @Test
  void growth_of_each_is_found_and_told() {
    assertThat(later(41, 50, 100).grownSince(FIRST, HEAP)).isPresent();
    assertThat(later(30, 67, 100).grownSince(FIRST, HEAP)).isPresent();
    assertThat(later(30, 50, 133).grownSince(FIRST, HEAP))
        .hasValue(
            "error: quarter 4: 35.0 MiB of live heap, 5.0 of them limited, 50 threads,"
                + " 133 descriptors;"
                + " quarter 1: 50.0 MiB of live heap, 20.0 of them limited, 50 threads,"
                + " 100 descriptors");
  }

  @Test
  void at_the_end_all_of_the_heap_counts() {
    Stage full = new Stage("at the end", 61 * MIB, 31 * MIB, 50, 100);
    assertThat(full.grownSince(FIRST, HEAP)).isEmpty();
    assertThat(full.whole().grownSince(FIRST.whole(), HEAP)).isPresent();
  }
}
