// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.upload;

import static org.assertj.core.api.Assertions.assertThat;

import org.jgits3.store.UploadOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UploadSizesTest {
  /** The sizes of operations.md. */
  @ParameterizedTest
  @CsvSource({
    "5, 52428800000",
    "8, 83886080000",
    "524, 5494538240000",
    "525, 5497558138880",
    "1024, 5497558138880"
  })
  void the_largest_object_is_as_documented(int megabytes, long bytes) {
    try (PackUploads uploads =
        new PackUploads(new PartStore(), new UploadOptions(megabytes << 20, 1))) {
      assertThat(uploads.largest()).isEqualTo(bytes);
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
