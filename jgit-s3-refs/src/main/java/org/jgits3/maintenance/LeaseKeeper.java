// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews a lease while work goes on, by a thread of its own, which gives it back and ends when this
 * is closed. A lease that is lost, or that another process has, is tried for again and again; none
 * of that fails or delays the work.
 */
final class LeaseKeeper implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseKeeper.class);

  /** How often a lease is renewed: often enough that one or two failures do not lose it. */
  static final Duration EVERY = Duration.ofSeconds(30);

  /** How often it is looked whether a lease that another process has is free. */
  private static final Duration POLL = Duration.ofSeconds(1);

  /** How long the end of the work waits for the lease to be given back. */
  private static final Duration FAREWELL = Duration.ofSeconds(10);

  private final Lease lease;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread;

  /** How to let time pass. */
  @FunctionalInterface
  interface Pause {
    /** Until it has passed. */
    Pause REAL = time -> TimeUnit.MILLISECONDS.sleep(time.toMillis());

    /**
     * Lets time pass.
     *
     * @param time how much
     * @throws InterruptedException if the thread is interrupted
     */
    void pass(Duration time) throws InterruptedException;
  }

  private LeaseKeeper(Lease lease, Duration every) {
    this.lease = lease;
    this.thread = new Thread(() -> keep(every), "jgit-s3-lease");
    thread.setDaemon(true);
  }

  /**
   * Keeps a lease.
   *
   * @param lease the lease, acquired or not
   * @return what keeps it until it is closed
   */
  static LeaseKeeper of(Lease lease) {
    return of(lease, EVERY);
  }

  /** As {@link #of(Lease)}, renewed as often as a test wants it to be. */
  static LeaseKeeper of(Lease lease, Duration every) {
    LeaseKeeper keeper = new LeaseKeeper(lease, every);
    keeper.thread.start();
    return keeper;
  }

  /**
   * Gets a lease and keeps it. If another process has it, waits for as long as one lasts that
   * nobody renews; then the work begins without.
   *
   * @param lease the lease
   * @param monitor told of the wait; may cancel it
   * @param pause how to wait
   * @return what keeps the lease, or tries to get it, until it is closed
   */
  static LeaseKeeper await(Lease lease, ProgressMonitor monitor, Pause pause) {
    try {
      if (!lease.acquire()) {
        LOG.info("waiting for maintenance of the same repository elsewhere, 2 minutes at most");
        await(lease, (int) Lease.TERM.dividedBy(POLL), monitor, pause);
      }
    } catch (IOException | RuntimeException e) {
      LOG.debug("working without a lease", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return of(lease);
  }

  private static void await(Lease lease, int polls, ProgressMonitor monitor, Pause pause)
      throws IOException, InterruptedException {
    monitor.beginTask("Waiting for maintenance elsewhere", polls);
    try {
      for (int i = 0; i < polls && !monitor.isCancelled(); i++) {
        pause.pass(POLL);
        monitor.update(1);
        if (lease.acquire()) {
          return;
        }
      }
      LOG.info("beginning beside maintenance of the same repository elsewhere");
    } finally {
      monitor.endTask();
    }
  }

  /** As {@link Lease#collects}. */
  void collects(long generation) {
    lease.collects(generation);
  }

  private void keep(Duration every) {
    try {
      while (!closing.await(every.toMillis(), TimeUnit.MILLISECONDS)) {
        renew();
      }
      lease.release();
    } catch (InterruptedException e) {
      LOG.debug("a lease is left to end by itself");
    } catch (IOException | RuntimeException e) {
      LOG.debug("a lease is left to end by itself", e);
    }
  }

  private void renew() {
    try {
      lease.renew();
    } catch (IOException | RuntimeException e) {
      LOG.debug("a lease was not renewed", e);
    }
  }

  /** Whether the lease is being renewed. */
  boolean isRunning() {
    return thread.isAlive();
  }

  /**
   * Gives the lease back. Waits for that a little, and not at all if the thread is interrupted,
   * whose status stays; the thread that keeps the lease ends all the same.
   */
  @Override
  public void close() {
    closing.countDown();
    try {
      thread.join(FAREWELL.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    thread.interrupt(); // nothing, if it has ended
  }
}
