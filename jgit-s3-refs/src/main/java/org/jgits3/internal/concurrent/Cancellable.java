// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.concurrent;

import java.io.IOException;
import java.util.function.Consumer;
import org.jgits3.internal.function.IoRunnable;

/**
 * Work that one thread does, once, and another thread may cancel. Cancelling interrupts the thread
 * at work, which ends a pause between attempts of a request; work that has not begun is skipped.
 * Safe for use by many threads.
 */
public final class Cancellable implements Runnable {
  private final IoRunnable work;
  private final Consumer<Throwable> ended;

  // Guarded by this.
  private boolean begun;
  private boolean cancelled;
  private Thread thread; // at work; null before and after

  /**
   * Work to be done.
   *
   * @param work the work
   * @param ended called once, by the thread that has begun, when the work has ended or is skipped;
   *     given an {@link IOException}, {@link RuntimeException} or {@link Error}, or null
   */
  public Cancellable(IoRunnable work, Consumer<Throwable> ended) {
    this.work = work;
    this.ended = ended;
  }

  /** Does the work unless it is cancelled. Does nothing if a thread has begun. */
  @Override
  public void run() {
    if (!begin()) {
      return;
    }
    Throwable failure = null;
    try {
      if (enter()) {
        work.run();
      }
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
    } finally {
      leave();
      ended.accept(failure);
    }
  }

  private synchronized boolean begin() {
    boolean first = !begun;
    begun = true;
    return first;
  }

  private synchronized boolean enter() {
    thread = cancelled ? null : Thread.currentThread();
    return !cancelled;
  }

  /** Clears an interrupt that came too late, so that it does not hit later work of the thread. */
  private synchronized void leave() {
    if (thread != null && cancelled) {
      Thread.interrupted();
    }
    thread = null;
  }

  /** Cancels the work. Does not wait for its end. */
  public synchronized void cancel() {
    cancelled = true;
    if (thread != null) {
      thread.interrupt();
    }
  }
}
