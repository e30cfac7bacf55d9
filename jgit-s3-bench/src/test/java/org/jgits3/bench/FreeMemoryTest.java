// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class FreeMemoryTest {
  private static final long GIB = 1L << 30;

  @Test
  void half_of_what_is_free_is_left_alone() {
    assertThat(FreeMemory.megabytes(4 * GIB, 16 * GIB)).isEqualTo(4096);
    assertThat(FreeMemory.megabytes(4 * GIB, 2 * GIB)).isEqualTo(1024);
  }

  @Test
  void a_jvm_accepts_what_it_is_asked_for_however_little_that_is() throws Exception {
    Process process =
        new ProcessBuilder(FreeMemory.command(FreeMemory.megabytes(0, 0)))
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor()).as(said).isZero();
  }
}
