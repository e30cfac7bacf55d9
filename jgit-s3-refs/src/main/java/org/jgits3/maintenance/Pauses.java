// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jgits3.manifest.RepositoryName;

/**
 * Until when repositories are left alone, by name: a while after they were maintained, and longer
 * after each failure. Times are milliseconds since the epoch. Safe for use by many threads.
 *
 * <p>What says nothing any more is forgotten, so that this does not grow with the number of
 * repositories that were ever maintained.
 */
final class Pauses {
  /** How long after a failure the next try is; each doubles it. */
  private static final Duration AFTER_FAILURE = Duration.ofMinutes(2);

  /** What keeps failing is tried every 34 hours then. */
  private static final int MOST_FAILURES = 10;

  private static final Duration LONGEST = AFTER_FAILURE.multipliedBy(1L << MOST_FAILURES);

  /** So many are not worth looking through. */
  private static final int FEW = 1000;

  private final Map<RepositoryName, Pause> pauses = new HashMap<>(); // guarded by this
  private int room = FEW; // guarded by this

  /**
   * One pause.
   *
   * @param until its end
   * @param failures in a row, at most {@value #MOST_FAILURES}
   */
  private record Pause(long until, int failures) {
    /** Failures are forgotten if nobody has tried again for long. */
    boolean saysNothing(long now) {
      return now >= (failures == 0 ? until : plus(until, LONGEST));
    }
  }

  /** Adds a duration to a time, which may be that of never. */
  static long plus(long time, Duration duration) {
    long millis = duration.toMillis();
    return time > Long.MAX_VALUE - millis ? Long.MAX_VALUE : time + millis;
  }

  /** Whether a repository is to be left alone. */
  synchronized boolean isPaused(RepositoryName name, long now) {
    Pause pause = pauses.get(name);
    return pause != null && now < pause.until();
  }

  /** Leaves a repository alone for some time. Its failures still count. */
  synchronized void pause(RepositoryName name, long now, Duration time) {
    put(name, new Pause(plus(now, time), failures(name)), now);
  }

  /** Leaves a repository alone that failed, twice as long as the last time. */
  synchronized void failed(RepositoryName name, long now) {
    int before = failures(name);
    Duration time = AFTER_FAILURE.multipliedBy(1L << before);
    put(name, new Pause(plus(now, time), Math.min(MOST_FAILURES, before + 1)), now);
  }

  /** Forgets a repository, its failures too. */
  synchronized void clear(RepositoryName name) {
    pauses.remove(name);
  }

  /** How many repositories something is known of. */
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
