// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.upload;

import static org.assertj.core.api.Assertions.assertThat;

import org.jgits3.store.UploadOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PartSizesTest {
  private static final long LARGEST_PART = 5L << 30;

  @Test
  void parts_double_after_800_up_to_half_of_the_buffers() {
    UploadOptions options = new UploadOptions(UploadOptions.DEFAULT_PART_SIZE, 7);
    assertThat(PartSizes.S3.buffers(1, options)).isEqualTo(1);
    assertThat(PartSizes.S3.buffers(800, options)).isEqualTo(1);
    assertThat(PartSizes.S3.buffers(801, options)).isEqualTo(2);
    assertThat(PartSizes.S3.buffers(1601, options)).isEqualTo(3);
    assertThat(PartSizes.S3.buffers(10_000, options)).isEqualTo(3);
  }

  /** The table of operations.md. */
  @ParameterizedTest
  @CsvSource({
    "5, 1, 52428800000",
    "8, 1, 83886080000",
    "8, 7, 231525580800",
    "8, 16, 557003571200",
    "8, 64, 1818650214400",
    "64, 8, 2415919104000",
    "64, 32, 5497558138880",
    "1024, 10, 5497558138880"
  })
  void the_largest_object_is_as_documented(int megabytes, int buffers, long bytes) {
    UploadOptions options = new UploadOptions(megabytes << 20, buffers);
    assertThat(PartSizes.S3.largest(options)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @CsvSource({"5, 1", "5, 10000", "8, 7", "1000, 10000", "1024, 10000"})
  void no_part_is_larger_than_S3_allows(int megabytes, int buffers) {
    UploadOptions options = new UploadOptions(megabytes << 20, buffers);
    for (int number = 1; number <= PartSizes.S3.parts(); number++) {
      long bytes = (long) PartSizes.S3.buffers(number, options) * options.partSize();
      assertThat(bytes).isBetween((long) options.partSize(), LARGEST_PART);
    }
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
