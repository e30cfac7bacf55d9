// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jgits3.manifest.RepositoryName;

/**
 * Pauses of background maintenance by repository name: one after each maintenance, and a longer one
 * after each failure. Times are milliseconds since the epoch. Safe for use by many threads.
 *
 * <p>Expired entries are removed, so that the map does not grow with the number of repositories
 * ever maintained.
 */
final class MaintenancePauses {
  /** Pause after the first failure; each further one doubles it. */
  private static final Duration AFTER_FAILURE = Duration.ofMinutes(2);

  /** Failures in a row that are counted: the pause grows to at most 34 hours. */
  private static final int MOST_FAILURES = 10;

  private static final Duration LONGEST = AFTER_FAILURE.multipliedBy(1L << MOST_FAILURES);

  /** Number of entries up to which expired ones are not removed. */
  private static final int FEW = 1000;

  private final Map<RepositoryName, Pause> pauses = new HashMap<>(); // guarded by this
  private int room = FEW; // guarded by this

  /**
   * Pause of one repository.
   *
   * @param until its end
   * @param failures in a row, at most {@value #MOST_FAILURES}
   */
  private record Pause(long until, int failures) {
    /**
     * Tests whether the entry has expired: failures are forgotten after a long time without a new
     * attempt.
     */
    boolean saysNothing(long now) {
      return now >= (failures == 0 ? until : plus(until, LONGEST));
    }
  }

  /**
   * Adds a duration to a time; an overflow gives {@link Long#MAX_VALUE}, which stands for never.
   */
  static long plus(long time, Duration duration) {
    long millis = duration.toMillis();
    return time > Long.MAX_VALUE - millis ? Long.MAX_VALUE : time + millis;
  }

  /** Tests whether a repository is paused. */
  synchronized boolean isPaused(RepositoryName name, long now) {
    Pause pause = pauses.get(name);
    return pause != null && now < pause.until();
  }

  /** Pauses a repository for some time. Its failures still count. */
  synchronized void pause(RepositoryName name, long now, Duration time) {
    put(name, new Pause(plus(now, time), failures(name)), now);
  }

  /** Pauses a repository that failed, twice as long as the last time. */
  synchronized void failed(RepositoryName name, long now) {
    int before = failures(name);
    Duration time = AFTER_FAILURE.multipliedBy(1L << before);
    put(name, new Pause(plus(now, time), Math.min(MOST_FAILURES, before + 1)), now);
  }

  /** Removes a repository and its failures. */
  synchronized void clear(RepositoryName name) {
    pauses.remove(name);
  }

  /** Number of repositories with an entry. */
  synchronized int size() {
    return pauses.size();
  }

  private int failures(RepositoryName name) {
    Pause pause = pauses.get(name);
    return pause == null ? 0 : pause.failures();
  }

  private void put(RepositoryName name, Pause pause, long now) {
    pauses.put(name, pause);
    if (pauses.size() > room) {
      pauses.values().removeIf(each -> each.saysNothing(now));
      room = Math.max(FEW, 2 * pauses.size());
    }
  }
}
