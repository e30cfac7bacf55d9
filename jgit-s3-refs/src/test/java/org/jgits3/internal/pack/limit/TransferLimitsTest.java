// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.limit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TransferLimitsTest {
  @Test
  void all_time_counts_where_processor_time_is_not_measured() throws Exception {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    threads.setThreadCpuTimeEnabled(false);
    try {
      TransferLimits.Transfer push = new TransferLimits(0, 1, Duration.ZERO).begin();
      push.beginWork();
      long start = System.nanoTime();
      while (System.nanoTime() - start < 2_000_000) {
        Thread.onSpinWait();
      }
      assertThatThrownBy(push::checkTime).hasMessageContaining("processorTime");
    } finally {
      threads.setThreadCpuTimeEnabled(true);
    }
  }
}
