// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.UnknownOutcomeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compacts the packs of one repository in the background when pushes have left enough small ones,
 * one step at a time, while no other process does. Safe for use by many threads.
 */
public final class AutoCompaction {
  private static final Logger LOG = LoggerFactory.getLogger(AutoCompaction.class);

  /** A pack that cannot be read stays; after so many failures one push in 1024 tries again. */
  private static final int MOST_FAILURES = 10;

  private final Maintenance maintenance;
  private final Executor background;
  private final AtomicBoolean scheduled = new AtomicBoolean();

  /**
   * Failures in a row, at most {@value #MOST_FAILURES}. Written by the step that is scheduled, and
   * by whoever finds that nothing is left of what it failed on.
   */
  private volatile int failures;

  /** Calls of {@link #consider} since the last step that had something to do. */
  private final AtomicInteger passed = new AtomicInteger();

  /**
   * Compaction of a repository, which begins with the next call of {@link #consider}.
   *
   * @param maintenance maintenance of the repository
   * @param background runs the steps
   */
  public AutoCompaction(Maintenance maintenance, Executor background) {
    this.maintenance = maintenance;
    this.background = background;
  }

  /**
   * Schedules a step if there is something to do. While steps fail, each failure halves how often
   * one is tried, until one merges packs or another process has. Quick, and never throws.
   *
   * @param newest newest manifest
   */
  public void consider(Manifest newest) {
    if (PackCompaction.due(newest.packs()).isEmpty()) {
      failures = 0;
      return;
    }
    if (passed.incrementAndGet() < 1 << failures || !scheduled.compareAndSet(false, true)) {
      return;
    }
    passed.set(0);
    try {
      background.execute(this::step);
    } catch (RejectedExecutionException | OutOfMemoryError e) { // or no thread can be had
      scheduled.set(false);
      LOG.debug("packs are not compacted while there is no thread for it", e);
    }
  }

  private void step() {
    boolean again = false;
    try {
      again = maintenance.compactIfFree();
      if (again) { // otherwise another process is at it, and may fail on the same pack
        failures = 0;
      }
    } catch (UnknownOutcomeException e) {
      LOG.warn("it is not known whether packs were compacted: {}", e.getMessage());
    } catch (IOException e) {
      failed();
      LOG.info("packs were not compacted, a later push tries again: {}", e.getMessage());
    } catch (RuntimeException | Error e) { // memory may be had when the next one is tried
      failed();
      LOG.error("packs were not compacted, a later push tries again", e);
    } finally {
      scheduled.set(false);
    }
    if (again) {
      maintenance.newest().ifPresent(this::consider);
    }
  }

  private void failed() {
    failures = Math.min(MOST_FAILURES, failures + 1);
  }
}
