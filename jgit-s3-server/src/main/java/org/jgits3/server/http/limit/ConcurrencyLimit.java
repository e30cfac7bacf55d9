// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.limit;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Bounds the number of threads that do some work at a time, the number of waiting threads, and the
 * time they wait. Safe for use by many threads.
 */
public final class ConcurrencyLimit {
  private final Semaphore atWork;

  /** Permits of the threads that work or wait. */
  private final Semaphore present;

  private final Duration patience;

  /**
   * Creates a limit.
   *
   * @param atOnce maximum number of working threads
   * @param waiting maximum number of waiting threads
   * @param patience maximum time to wait
   */
  public ConcurrencyLimit(int atOnce, int waiting, Duration patience) {
    this.atWork = new Semaphore(atOnce, true);
    this.present = new Semaphore(atOnce + waiting);
    this.patience = patience;
  }

  /**
   * Waits for a turn, in the order of arrival.
   *
   * @return true if the caller has a turn now, which it has to {@link #end}; false if too many
   *     wait, if it has waited for the maximum time, or if it is interrupted
   */
  public boolean take() {
    if (!present.tryAcquire()) {
      return false;
    }
    boolean taken = false;
    try {
      taken = atWork.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      if (!taken) {
        present.release();
      }
    }
    return taken;
  }

  /** Ends a turn that was taken. */
  public void end() {
    atWork.release();
    present.release();
  }

  /**
   * Tests whether a thread waits.
   *
   * @return true if a thread waits for its turn
   */
  boolean awaited() {
    return atWork.hasQueuedThreads();
  }
}
