// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Bounds how many threads do a thing at a time, how many wait for their turn, and how long. Safe
 * for use by many threads.
 */
final class Turns {
  private final Semaphore atWork;

  /** Those at work and those who wait. */
  private final Semaphore present;

  private final Duration patience;

  /**
   * Nobody is at work yet.
   *
   * @param atOnce most threads at work
   * @param waiting most threads that wait
   * @param patience longest wait
   */
  Turns(int atOnce, int waiting, Duration patience) {
    this.atWork = new Semaphore(atOnce, true);
    this.present = new Semaphore(atOnce + waiting);
    this.patience = patience;
  }

  /**
   * Waits for a turn, in the order of arrival.
   *
   * @return true if the caller has a turn now, which it has to {@link #end}; false if too many
   *     wait, if it waited for as long as it may, or if it is interrupted
   */
  boolean take() {
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
  void end() {
    atWork.release();
    present.release();
  }

  /**
   * Whether anybody waits.
   *
   * @return true if a thread waits for its turn
   */
  boolean awaited() {
    return atWork.hasQueuedThreads();
  }
}
