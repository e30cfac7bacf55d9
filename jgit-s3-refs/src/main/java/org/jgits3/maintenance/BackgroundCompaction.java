// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.io.IOException;
import java.time.Duration;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.RepositoryName;

/**
 * Compacts the packs of the repositories of a process in the background when pushes have left
 * enough small ones, one step at a time, while no other process maintains the repository. Safe for
 * use by many threads.
 */
final class BackgroundCompaction extends BackgroundSteps {
  /** Steps at a time, each of another repository: one that stalls must not block the others. */
  static final int THREADS = 2;

  /**
   * Pause after a failure. Short, because a busy repository fills its manifest with packs in less
   * than a minute, and then refuses pushes.
   */
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(2);

  /** Failures in a row that lengthen the pause, to 8.5 minutes. */
  private static final int MOST_FAILURES = 8;

  /**
   * Creates a scheduler for the repositories of a process.
   *
   * @param host the process
   */
  BackgroundCompaction(Host host) {
    super("compacted", host, new MaintenancePauses(AFTER_FAILURE, MOST_FAILURES));
  }

  /**
   * Schedules a step if there is something to do. Each failure in a row delays the next step, until
   * a step or another process merges packs. Quick, and never throws.
   *
   * @param name name of a repository
   * @param newest its newest manifest
   */
  void consider(RepositoryName name, Manifest newest) {
    if (isDue(newest)) {
      add(name);
    } else {
      succeeded(name);
    }
  }

  private static boolean isDue(Manifest newest) {
    return !PackCompaction.due(newest.ownPacks()).isEmpty();
  }

  @Override
  boolean step(RepositoryName name, Maintenance repository) throws IOException {
    if (!repository.compactIfFree()) {
      return false; // another process merges them, and may fail on the same pack
    }
    succeeded(name);
    return repository.newest().filter(BackgroundCompaction::isDue).isPresent();
  }
}
