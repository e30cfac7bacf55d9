// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.jgits3.store.ConcurrentTasks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Memory of streams and tasks that the shared threads have no time for. */
@Timeout(300)
class BusyThreadsMemoryTest {
  private static final int THREADS = 16;
  private static final int CHUNK = 1000;

  private final CountDownLatch go = new CountDownLatch(1);

  @BeforeEach
  void keep_all_threads_busy() throws InterruptedException {
    CountDownLatch busy = new CountDownLatch(THREADS);
    for (int i = 0; i < THREADS; i++) {
      ReadThreads.execute(
          () -> {
            busy.countDown();
            ConcurrentTasks.await(go);
          });
    }
    busy.await();
  }

  @AfterEach
  void release_them() {
    go.countDown();
  }

  private static long kept(List<WeakReference<byte[]>> used) {
    System.gc();
    System.gc();
    return used.stream().filter(each -> each.get() != null).count();
  }

  @Test
  void a_closed_stream_keeps_no_buffer() throws Exception {
    List<WeakReference<byte[]>> used = new CopyOnWriteArrayList<>();
    ReadAhead.Source source = (offset, dst, at, length) -> used.add(new WeakReference<>(dst));
    for (int i = 0; i < 100; i++) {
      try (ReadAhead reader =
          new ReadAhead(source, 1, 8 * CHUNK, 4 * CHUNK, new Semaphore(8 * CHUNK))) {
        ByteBuffer piece = ByteBuffer.allocate(CHUNK);
        for (long at = 0; at < 8 * CHUNK; at += CHUNK) {
          piece.clear();
          assertThat(reader.read(at, piece)).isEqualTo(CHUNK);
        }
      }
    }
    assertThat(kept(used)).isLessThan(10);
  }

  private static WeakReference<byte[]> use() throws Exception {
    byte[] whole = new byte[100_000];
    ParallelRequests.forEach(List.of(1, 2, 3, 4), i -> whole[i] = 1);
    return new WeakReference<>(whole);
  }

  @Test
  void a_task_that_is_done_keeps_nothing() throws Exception {
    List<WeakReference<byte[]>> used = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      used.add(use());
    }
    assertThat(kept(used)).isZero();
  }
}
