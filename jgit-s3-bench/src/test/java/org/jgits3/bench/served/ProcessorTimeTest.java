// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.served;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class ProcessorTimeTest {
  @Test
  void time_of_a_program_counts_when_it_has_ended() throws Exception {
    ProcessorTime before = ProcessorTime.of("self");
    Process sum =
        new ProcessBuilder("sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done").start();
    assertThat(sum.waitFor()).isZero();
    ProcessorTime after = ProcessorTime.of(Long.toString(ProcessHandle.current().pid()));
    assertThat(after.ofEnded()).isGreaterThan(before.ofEnded());
    assertThat(after.own()).isGreaterThanOrEqualTo(before.own());
  }
}
