// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.jgits3.store.Crc32c;
import org.junit.jupiter.api.Test;

class CombinedCrc32cTest {
  @Test
  void sum_of_pieces_is_the_checksum_of_the_whole() {
    Random random = new Random(3);
    for (int i = 0; i < 200; i++) {
      byte[] whole = new byte[random.nextInt(10_000)];
      random.nextBytes(whole);
      int cut = random.nextInt(whole.length + 1);
      int first = Crc32c.of(Arrays.copyOf(whole, cut));
      int second = Crc32c.of(Arrays.copyOfRange(whole, cut, whole.length));
      assertThat(CombinedCrc32c.append(first, second, whole.length - cut))
          .isEqualTo(Crc32c.of(whole));
    }
  }

  @Test
  void pieces_may_be_longer_than_an_array() {
    int zeros = Crc32c.of(new byte[1 << 20]);
    int gibibytes = zeros;
    for (int i = 20; i < 33; i++) {
      gibibytes = CombinedCrc32c.append(gibibytes, gibibytes, 1L << i);
    }
    int oneByOne = 0;
    for (int i = 0; i < 1 << 13; i++) {
      oneByOne = CombinedCrc32c.append(oneByOne, zeros, 1 << 20);
    }
    assertThat(gibibytes).isEqualTo(oneByOne);
  }
}
