// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
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

  private final Maintenance maintenance;
  private final Executor background;
  private final AtomicBoolean scheduled = new AtomicBoolean();

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
   * Schedules a step if there is something to do. Quick, and never throws.
   *
   * @param newest newest manifest
   */
  public void consider(Manifest newest) {
    if (PackCompaction.due(newest.packs()).isEmpty() || !scheduled.compareAndSet(false, true)) {
      return;
    }
    try {
      background.execute(this::step);
    } catch (RejectedExecutionException e) {
      scheduled.set(false);
      LOG.debug("packs are not compacted while background work is being stopped", e);
    }
  }

  private void step() {
    boolean again = false;
    try {
      again = maintenance.compactIfFree();
    } catch (UnknownOutcomeException e) {
      LOG.warn("it is not known whether packs were compacted: {}", e.getMessage());
    } catch (IOException e) {
      LOG.info("packs were not compacted, a later push tries again: {}", e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("packs were not compacted, a later push tries again", e);
    } finally {
      scheduled.set(false);
    }
    if (again) {
      maintenance.newest().ifPresent(this::consider);
    }
  }
}
