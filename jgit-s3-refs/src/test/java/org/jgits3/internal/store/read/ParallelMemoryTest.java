// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Memory of tasks that the shared threads have no time for. */
@Timeout(300)
class ParallelMemoryTest {

  private static WeakReference<byte[]> use() throws Exception {
    byte[] whole = new byte[100_000];
    ParallelRequests.forEach(List.of(1, 2, 3, 4), i -> whole[i] = 1);
    return new WeakReference<>(whole);
  }

  @Test
  void a_task_that_is_done_keeps_nothing_while_the_shared_threads_are_busy() throws Exception {
    List<WeakReference<byte[]>> used = new ArrayList<>();
    BusyReadThreads busy = new BusyReadThreads();
    try {
      for (int i = 0; i < 50; i++) {
        used.add(use());
      }
      System.gc();
      assertThat(used.stream().filter(each -> each.get() != null).count()).isZero();
    } finally {
      busy.release();
    }
  }
}
