// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PartSizesTest {
  private static final long LARGEST_OBJECT = 5L << 40;
  private static final long LARGEST_PART = 5L << 30;

  @ParameterizedTest
  @ValueSource(
      ints = {
        UploadOptions.MIN_PART_SIZE,
        UploadOptions.MIN_PART_SIZE + 1,
        UploadOptions.DEFAULT_PART_SIZE,
        64 << 20,
        UploadOptions.MAX_PART_SIZE
      })
  void the_parts_S3_allows_hold_the_largest_object_it_allows(int first) {
    long total = 0;
    long before = first;
    for (int number = 1; number <= PartSizes.S3.parts(); number++) {
      long size = PartSizes.S3.of(number, first);
      assertThat(size).isBetween(before, LARGEST_PART);
      before = size;
      total += size;
    }
    assertThat(PartSizes.S3.of(1, first)).isEqualTo(first);
    assertThat(total).isGreaterThanOrEqualTo(LARGEST_OBJECT);
  }

  /** Parts from memory count as little as S3 allows; what is put together is at least so large. */
  @ParameterizedTest
  @ValueSource(
      ints = {
        UploadOptions.MIN_PART_SIZE,
        UploadOptions.MIN_PART_SIZE + 1,
        UploadOptions.DEFAULT_PART_SIZE,
        64 << 20,
        UploadOptions.MAX_PART_SIZE
      })
  void so_they_do_whatever_memory_there_is(int first) {
    long total = 0;
    for (int number = 1; number <= PartSizes.S3.parts(); number++) {
      long least = PartSizes.S3.least(number, first);
      total += Math.max(least, UploadOptions.MIN_PART_SIZE);
      // A first piece is less than that, and what follows are pieces of one buffer.
      assertThat(least + first).isLessThanOrEqualTo(LARGEST_PART);
    }
    assertThat(total).isGreaterThanOrEqualTo(LARGEST_OBJECT);
  }

  @Test
  void by_default_the_first_300_GB_come_from_memory() {
    long memory = (long) UploadOptions.DEFAULT_PART_SIZE * 7;
    long total = 0;
    for (int number = 1; number <= PartSizes.S3.fromMemory(); number++) {
      assertThat(PartSizes.S3.least(number, UploadOptions.DEFAULT_PART_SIZE)).isZero();
      total += Math.min(memory, PartSizes.S3.of(number, UploadOptions.DEFAULT_PART_SIZE));
    }
    assertThat(total).isGreaterThan(300_000_000_000L);
  }

  @Test
  void by_default_buffers_take_less_than_64_MB_and_a_quarter_of_the_heap() {
    UploadOptions options = UploadOptions.DEFAULT;
    assertThat((long) options.partSize() * options.buffers())
        .isLessThanOrEqualTo(64_000_000)
        .isLessThanOrEqualTo(Runtime.getRuntime().maxMemory() / 4);
    assertThat(UploadOptions.ofPartSize(UploadOptions.MAX_PART_SIZE).buffers()).isEqualTo(1);
  }
}
