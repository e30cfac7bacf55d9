// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Memory of tasks that the shared threads have no time for. */
@Timeout(300)
class ParallelMemoryTest {
  private static final int THREADS = 16;

  private static WeakReference<byte[]> use() throws Exception {
    byte[] whole = new byte[100_000];
    ParallelRequests.forEach(List.of(1, 2, 3, 4), i -> whole[i] = 1);
    return new WeakReference<>(whole);
  }

  @Test
  void a_task_that_is_done_keeps_nothing_while_the_shared_threads_are_busy() throws Exception {
    CountDownLatch busy = new CountDownLatch(THREADS);
    CountDownLatch go = new CountDownLatch(1);
    List<WeakReference<byte[]>> used = new ArrayList<>();
    try {
      for (int i = 0; i < THREADS; i++) {
        ReadThreads.execute(
            () -> {
              busy.countDown();
              try {
                go.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
      }
      busy.await();
      for (int i = 0; i < 50; i++) {
        used.add(use());
      }
      System.gc();
      assertThat(used.stream().filter(each -> each.get() != null).count()).isZero();
    } finally {
      go.countDown();
    }
  }
}
