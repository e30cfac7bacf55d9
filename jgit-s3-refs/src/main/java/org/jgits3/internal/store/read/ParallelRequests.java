// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.read;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgits3.internal.concurrent.Cancellable;
import org.jgits3.internal.concurrent.FirstFailure;
import org.jgits3.internal.concurrent.Uninterrupted;
import org.jgits3.internal.function.IoConsumer;
import org.jgits3.internal.function.IoRunnable;

/**
 * Runs the pieces of one task in parallel, on the caller's thread and on free threads of a small
 * pool that the process shares. Because the caller works too, no task waits for a thread.
 */
public final class ParallelRequests {
  /** Most pieces of one task in progress at a time: its requests in flight. */
  public static final int SIZE = 4;

  private ParallelRequests() {}

  /**
   * Runs an action on each piece. Returns when all pieces are done or, after a failure, when the
   * pieces that had begun have ended. Passes an interrupt of the caller on to the other threads.
   *
   * @param <T> type of the pieces
   * @param pieces the pieces, begun in order
   * @param action action on each piece; pieces that have not begun when one fails are skipped
   * @throws IOException the first failure
   */
  public static <T> void forEach(List<T> pieces, IoConsumer<T> action) throws IOException {
    Work<T> work = new Work<>(pieces, action);
    try {
      for (int i = 1; i < Math.min(pieces.size(), SIZE); i++) {
        Cancellable other = new Cancellable(work::run, failure -> {}); // noted for each piece
        work.others.add(other);
        ReadThreads.execute(other);
      }
    } finally { // after an Error, too: no request may outlive this call
      work.run();
      Uninterrupted.await(work);
      work.action = null; // a thread pool may hold the work much longer
    }
    work.failure.orReturn();
  }

  /**
   * Runs steps in parallel. Returns as {@link #forEach} does.
   *
   * @param steps the steps, begun in order
   * @throws IOException the first failure
   */
  public static void all(IoRunnable... steps) throws IOException {
    forEach(List.of(steps), IoRunnable::run);
  }

  private static final class Work<T> implements Uninterrupted.Wait<RuntimeException> {
    private final List<T> pieces;
    private IoConsumer<T> action; // null once all pieces are done
    private final List<Cancellable> others = new ArrayList<>(SIZE);
    private final AtomicInteger next = new AtomicInteger();
    private final FirstFailure failure = new FirstFailure();
    private final CountDownLatch left;

    Work(List<T> pieces, IoConsumer<T> action) {
      this.pieces = pieces;
      this.action = action;
      this.left = new CountDownLatch(pieces.size());
    }

    void run() {
      for (int i; (i = next.getAndIncrement()) < pieces.size(); ) {
        try {
          if (!failure.isThere()) {
            action.accept(pieces.get(i));
          }
        } catch (IOException | RuntimeException | Error e) {
          failure.add(e);
        } finally {
          left.countDown();
        }
      }
    }

    @Override
    public void await() throws InterruptedException {
      left.await();
    }

    @Override
    public void interrupted() {
      others.forEach(Cancellable::cancel);
    }
  }
}
