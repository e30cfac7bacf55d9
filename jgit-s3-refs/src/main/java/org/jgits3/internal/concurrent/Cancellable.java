// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.concurrent;

/**
 * Work of one thread that another thread may cancel. Cancelling interrupts the thread at work,
 * which ends a pause between attempts of a request; work that has not begun is skipped. Safe for
 * use by many threads.
 */
public final class Cancellable {
  /** Thread at work; null before and after. Guarded by this. */
  private Thread thread;

  /** Guarded by this. */
  private boolean cancelled;

  /**
   * Cancellable work.
   *
   * @param <E> type of its failure
   */
  @FunctionalInterface
  public interface Work<E extends Exception> {
    /** Runs the work. */
    void run() throws E;
  }

  /**
   * Runs the work, unless it is already cancelled.
   *
   * @throws E if the work fails, for instance because it is cancelled
   */
  public <E extends Exception> void run(Work<E> work) throws E {
    if (begin()) {
      try {
        work.run();
      } finally {
        end();
      }
    }
  }

  private synchronized boolean begin() {
    if (!cancelled) {
      thread = Thread.currentThread();
    }
    return !cancelled;
  }

  /** Clears an interrupt that came too late, so that it does not hit later work of the thread. */
  private synchronized void end() {
    thread = null;
    if (cancelled) {
      Thread.interrupted();
    }
  }

  /** Cancels the work. Does not wait for its end. */
  public synchronized void cancel() {
    cancelled = true;
    if (thread != null) {
      thread.interrupt();
    }
  }
}
