// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.upload;

import java.io.IOException;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jgits3.internal.concurrent.SharedRequest;
import org.jgits3.internal.function.IoConsumer;
import org.jgits3.internal.store.read.ParallelRequests;
import org.jgits3.store.UploadOptions;
import org.jgits3.testing.FullHeap;

/** Processes whose heap is full at a moment when others wait for what a thread has to clean up. */
public final class FullHeapProcess {
  private static final int PART = UploadOptions.MIN_PART_SIZE;

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
          case "buffers" -> FullHeapProcess::giveBuffersBack;
          case "upload" -> FullHeapProcess::giveAnUploadUp;
          case "gang" -> FullHeapProcess::readWithoutHelp;
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
    FullHeap.inFull(true, () -> shared.get().get());
    answer(shared.get());
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

  private static void giveBuffersBack() throws Exception {
    PartBuffers buffers = new PartBuffers(new UploadOptions(PART, 2));
    for (boolean full : new boolean[] {false, true}) {
      List<byte[]> taken = new ArrayList<>();
      buffers.take(taken);
      buffers.take(taken);
      List<byte[]> got = new ArrayList<>(1);
      Thread waiter =
          FullHeap.start(
              () -> {
                buffers.take(got);
                buffers.give(got);
              });
      FullHeap.awaitWaiting(waiter);
      FullHeap.inFull(full, () -> buffers.give(taken));
      waiter.join();
    }
    System.out.println(buffers.inUse() + " in use");
  }

  private static void giveAnUploadUp() throws Exception {
    PartStore store = new PartStore();
    try (PackUploads uploads = new PackUploads(store, new UploadOptions(PART, 1))) {
      for (boolean full : new boolean[] {false, true}) {
        PackUpload upload = uploads.begin("full " + full);
        upload.write(new byte[PART + 100_000]); // a part, and a buffer that is partly filled
        Error failure = new OutOfMemoryError("as if");
        FullHeap.inFull(full, () -> upload.fail(failure));
      }
      try (PackUpload next = uploads.begin("next")) {
        next.write(new byte[2 * PART + 1]);
      }
      System.out.printf("%d parts, %d in use", store.parts("next").size(), uploads.buffersInUse());
    }
  }

  private static void readWithoutHelp() throws Exception {
    AtomicInteger done = new AtomicInteger();
    IoConsumer<String> action = piece -> done.incrementAndGet();
    List<String> three = List.of("a", "b", "c");
    ParallelRequests.forEach(three, action);
    AtomicInteger asked = new AtomicInteger();
    List<String> pieces =
        new AbstractList<>() {
          @Override
          public String get(int index) {
            return three.get(0);
          }

          @Override
          public int size() {
            if (asked.incrementAndGet() == 2) { // once to count them, and then for the threads
              FullHeap.fill();
            }
            return ParallelRequests.SIZE;
          }
        };
    FullHeap.tryInFull(() -> ParallelRequests.forEach(pieces, action));
    System.out.println(done.get() + " done");
  }
}
