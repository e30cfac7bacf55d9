// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.read;

import java.util.concurrent.CountDownLatch;

/** Keeps all threads of {@link ReadThreads} busy until they are released. */
final class BusyReadThreads {
  private static final int THREADS = 16;

  private final CountDownLatch go = new CountDownLatch(1);

  BusyReadThreads() throws InterruptedException {
    CountDownLatch busy = new CountDownLatch(THREADS);
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
  }

  /** Lets the threads go. */
  void release() {
    go.countDown();
  }
}
