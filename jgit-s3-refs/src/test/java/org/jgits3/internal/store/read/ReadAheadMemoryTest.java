// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Memory of streams whose requests the shared threads have no time for. */
@Timeout(300)
class ReadAheadMemoryTest {
  private static final int CHUNK = 1000;

  @Test
  void a_closed_stream_keeps_no_buffer_while_the_shared_threads_are_busy() throws Exception {
    List<WeakReference<byte[]>> used = new CopyOnWriteArrayList<>();
    BusyReadThreads busy = new BusyReadThreads();
    try {
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
      System.gc();
      System.gc();
      assertThat(used.stream().filter(each -> each.get() != null)).hasSizeLessThan(10);
    } finally {
      busy.release();
    }
  }
}
