// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.read;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgits3.internal.concurrent.Cancellable;
import org.jgits3.internal.concurrent.FirstFailure;

/**
 * Does pieces of one work at the same time: the caller's thread, and as many of a few threads that
 * all of the process shares as are free. Since the caller works too, nothing waits for a thread.
 */
public final class Gang {
  /** Pieces of one work that are worked on at the same time, at most: its requests in flight. */
  public static final int SIZE = 4;

  private Gang() {}

  /**
   * A piece of work.
   *
   * @param <T> what it is done to
   */
  @FunctionalInterface
  public interface Action<T> {
    /**
     * Does it.
     *
     * @param piece what to do it to
     * @throws IOException if it cannot be done; pieces that have not begun are left out then
     */
    void run(T piece) throws IOException;
  }

  /**
   * Does something to each piece. Returns when all are done; after a failure, when those that had
   * begun are. An interrupt of the caller is passed on to the threads that help.
   *
   * @param <T> type of the pieces
   * @param pieces what to do it to, begun in order
   * @param action what to do
   * @throws IOException the first failure
   */
  public static <T> void forEach(List<T> pieces, Action<T> action) throws IOException {
    Work<T> work = new Work<>(pieces, action);
    List<Cancellable> others = new ArrayList<>(SIZE);
    for (int i = 1; i < Math.min(pieces.size(), SIZE); i++) {
      Cancellable other = new Cancellable();
      others.add(other);
      ReadThreads.execute(() -> other.run(work));
    }
    work.run();
    work.await(others);
  }

  /** A step of a work whose steps are different. */
  @FunctionalInterface
  public interface Step {
    /**
     * Does it.
     *
     * @throws IOException if it cannot be done; steps that have not begun are left out then
     */
    void run() throws IOException;
  }

  /**
   * Does some steps at the same time. Returns as {@link #forEach} does.
   *
   * @param steps what to do, begun in order
   * @throws IOException the first failure
   */
  public static void all(Step... steps) throws IOException {
    forEach(List.of(steps), Step::run);
  }

  private static final class Work<T> implements Cancellable.Work<RuntimeException> {
    private final List<T> pieces;
    private final Action<T> action;
    private final AtomicInteger next = new AtomicInteger();
    private final FirstFailure failure = new FirstFailure();
    private final CountDownLatch left;

    Work(List<T> pieces, Action<T> action) {
      this.pieces = pieces;
      this.action = action;
      this.left = new CountDownLatch(pieces.size());
    }

    @Override
    public void run() {
      for (int i; (i = next.getAndIncrement()) < pieces.size(); ) {
        try {
          if (!failure.isThere()) {
            action.run(pieces.get(i));
          }
        } catch (IOException | RuntimeException | Error e) {
          failure.add(e);
        } finally {
          left.countDown();
        }
      }
    }

    void await(List<Cancellable> others) throws IOException {
      boolean interrupted = false;
      while (true) {
        try {
          left.await();
          break;
        } catch (InterruptedException e) {
          interrupted = true;
          others.forEach(Cancellable::cancel);
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
      failure.orReturn();
    }
  }
}
