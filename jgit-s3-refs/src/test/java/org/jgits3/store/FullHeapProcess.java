// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jgits3.testing.FullHeap;

/** Processes whose heap is full at a moment when others wait for what a thread has to clean up. */
final class FullHeapProcess {
  private FullHeapProcess() {}

  /**
   * Does something twice, the second time in a full heap, and then says whether all goes on.
   *
   * @param args what
   */
  public static void main(String[] args) throws Exception {
    FullHeap.during(
        switch (args[0]) {
          case "request" -> FullHeapProcess::shareRequest;
          default -> throw new IllegalArgumentException(args[0]);
        });
  }

  private static void shareRequest() throws Exception {
    AtomicInteger requests = new AtomicInteger();
    AtomicReference<Thread> waiter = new AtomicReference<>();
    AtomicReference<SharedRequest<String>> shared = new AtomicReference<>();
    shared.set(
        new SharedRequest<>(
            "state",
            () -> {
              int n = requests.incrementAndGet();
              if (n == 1) {
                throw new OutOfMemoryError("as if");
              } else if (n == 2) {
                waiter.set(FullHeap.start(() -> answer(shared.get())));
                FullHeap.awaitWaiting(waiter.get());
                FullHeap.overflow();
              }
              return "up";
            }));
    for (int i = 0; i < 2; i++) {
      FullHeap.tryInFull(() -> shared.get().get());
    }
    waiter.get().join();
  }

  private static void answer(SharedRequest<String> shared) throws IOException {
    while (true) {
      try {
        System.out.println(shared.get());
        return;
      } catch (OutOfMemoryError e) {
        Thread.onSpinWait(); // there will be room
      }
    }
  }
}
