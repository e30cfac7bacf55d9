// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.concurrent;

/**
 * Work of one thread that another thread may cancel. The thread at work is interrupted then, which
 * ends a pause between attempts of a request; work that has not begun is left out. Safe for use by
 * many threads.
 */
public final class Cancellable {
  /** Thread at work; null before and after. Guarded by this. */
  private Thread thread;

  /** Guarded by this. */
  private boolean cancelled;

  /**
   * Work that may fail.
   *
   * @param <E> how it may fail
   */
  @FunctionalInterface
  public interface Work<E extends Exception> {
    /** Does it. */
    void run() throws E;
  }

  /**
   * Does the work, unless it is cancelled already.
   *
   * @throws E if the work fails, because it is cancelled for one
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

  /** An interrupt that came too late must not hit what the thread does next. */
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
