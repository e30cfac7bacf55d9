// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RangeChecksumsTest {
  private static final int RANGE = RangeChecksums.RANGE;

  private final Random random = new Random(3);

  private byte[] pack(int size) {
    byte[] pack = new byte[size];
    random.nextBytes(pack);
    return pack;
  }

  private byte[] stored(byte[] pack) {
    RangeChecksums.Writer writer = new RangeChecksums.Writer();
    for (int at = 0; at < pack.length; ) {
      int n = Math.min(1 + random.nextInt(3 * RANGE), pack.length - at);
      writer.update(pack, at, n);
      at += n;
    }
    return writer.end();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, RANGE - 1, RANGE, RANGE + 1, 40 * RANGE, 40 * RANGE + 17})
  void a_flipped_bit_is_found_in_its_range_and_in_no_other(int size) {
    byte[] pack = pack(size);
    byte[] stored = stored(pack);
    assertThat(stored).hasSize(RangeChecksums.length(size, RANGE));
    RangeChecksums checksums = RangeChecksums.of(stored, size, RANGE).orElseThrow();
    assertThat(checksums.damaged(0, pack, 0, size)).isEmpty();
    for (int i = 0; i < 100; i++) {
      int at = random.nextInt(size);
      pack[at] ^= 1;
      int from = at - at % RANGE;
      int length = Math.min(RANGE, size - from);
      assertThat(checksums.damaged(0, pack, 0, size)).hasValue(from);
      assertThat(checksums.damaged(from, pack, from, length)).hasValue(from);
      if (from > 0) {
        assertThat(checksums.damaged(0, pack, 0, from)).isEmpty();
      }
      pack[at] ^= 1;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3 * RANGE})
  void checksums_with_other_bytes_than_were_written_are_refused(int size) {
    byte[] stored = stored(pack(size));
    for (int bit = 0; bit < 8 * stored.length; bit++) {
      stored[bit / 8] ^= (byte) (1 << bit % 8);
      assertThat(RangeChecksums.of(stored, size, RANGE)).isEmpty();
      stored[bit / 8] ^= (byte) (1 << bit % 8);
    }
    assertThat(RangeChecksums.of(Arrays.copyOf(stored, stored.length - 4), size, RANGE)).isEmpty();
    assertThat(RangeChecksums.of(stored, size + RANGE, RANGE)).isEmpty();
  }
}
