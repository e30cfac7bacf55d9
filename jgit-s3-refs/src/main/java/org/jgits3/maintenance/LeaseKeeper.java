// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.jgits3.store.ObjectStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews a lease during work, in a thread of its own, which releases the lease and ends when this
 * is closed. Keeps trying to acquire a lease that is lost, or that another process has; a failure
 * neither fails nor delays the work. So two processes may have the same lease for a time: it saves
 * work, and nothing may depend on it.
 */
public final class LeaseKeeper implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseKeeper.class);

  /** Interval of renewals: short enough that one or two failures do not lose the lease. */
  static final Duration EVERY = Duration.ofSeconds(30);

  /** Interval between attempts to acquire a lease that another process has. */
  private static final Duration POLL = Duration.ofSeconds(1);

  /** Maximum time that the end of the work waits for the release of the lease. */
  private static final Duration FAREWELL = Duration.ofSeconds(10);

  private final Lease lease;
  private volatile boolean released = true;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread;

  /** Waits for some time. */
  @FunctionalInterface
  interface Pause {
    /** Waits in real time. */
    Pause REAL = time -> TimeUnit.MILLISECONDS.sleep(time.toMillis());

    /**
     * Waits.
     *
     * @param time time to wait
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
   * Acquires a lease for work that is not of one repository, and keeps it until it is closed. If
   * the process dies, the lease ends by itself after some two minutes.
   *
   * @param store store that the processes share
   * @param key key of an object that is for this lease alone
   * @return the lease; empty if another process has it, or the store does not tell who has it
   * @throws IOException if the store does not answer or refuses
   */
  public static Optional<LeaseKeeper> tryAcquire(ObjectStore store, String key) throws IOException {
    Lease lease = Lease.at(store, key);
    return lease.acquire() ? Optional.of(of(lease)) : Optional.empty();
  }

  /**
   * Keeps a lease.
   *
   * @param lease the lease, acquired or not
   * @return the keeper, to be closed
   */
  static LeaseKeeper of(Lease lease) {
    return of(lease, EVERY);
  }

  /** As {@link #of(Lease)}, with an interval chosen by a test. */
  static LeaseKeeper of(Lease lease, Duration every) {
    LeaseKeeper keeper = new LeaseKeeper(lease, every);
    keeper.thread.start();
    return keeper;
  }

  /**
   * Acquires a lease and keeps it. If another process has it, waits at most one term; then the work
   * begins without the lease.
   *
   * @param lease the lease
   * @param monitor receives the progress of the wait; may cancel it
   * @param pause waits between attempts
   * @return the keeper, to be closed
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
      if (released) {
        lease.release();
      }
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

  /**
   * Ends as {@link #close} does, but leaves the lease to end by itself, in some two minutes at
   * most. For work that is due in all processes at the same moment by their clocks, and that only
   * the first of them is to do.
   */
  public void leave() {
    released = false;
    close();
  }

  /** Tests whether the lease is being renewed. */
  boolean isRunning() {
    return thread.isAlive();
  }

  /**
   * Releases the lease. Waits a short time for that, or not at all if the calling thread is
   * interrupted; its interrupted status is kept. The thread that keeps the lease ends in any case.
   */
  @Override
  public void close() {
    closing.countDown();
    try {
      thread.join(FAREWELL.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    thread.interrupt(); // without effect if it has ended
  }
}
