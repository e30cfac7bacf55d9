// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jgits3.manifest.RepositoryName;

/**
 * Pauses of background maintenance by repository name: one after each maintenance, and a longer one
 * after each failure. Times are milliseconds since the epoch. Safe for use by many threads.
 *
 * <p>Bounded in number: beyond it, the ones that have not been set for the longest time are
 * dropped, and their repositories maintained a little too early.
 */
final class MaintenancePauses {
  /** Most repositories with an entry. */
  private static final int MOST = 10_000;

  private final Duration afterFailure;
  private final int mostFailures;

  /** In the order they were set; guarded by this. */
  private final Map<RepositoryName, Pause> pauses =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<RepositoryName, Pause> eldest) {
          return size() > MOST;
        }
      };

  /**
   * Pause of one repository.
   *
   * @param until its end
   * @param failures in a row, as far as they lengthen it
   */
  private record Pause(long until, int failures) {}

  /**
   * Pauses nothing yet.
   *
   * @param afterFailure pause after the first failure
   * @param mostFailures failures in a row that lengthen the pause; each doubles it
   */
  MaintenancePauses(Duration afterFailure, int mostFailures) {
    this.afterFailure = afterFailure;
    this.mostFailures = mostFailures;
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
    put(name, new Pause(plus(now, time), failures(name)));
  }

  /** Pauses a repository that failed, twice as long as the last time. */
  synchronized void failed(RepositoryName name, long now) {
    int before = failures(name);
    Duration time = afterFailure.multipliedBy(1L << before);
    put(name, new Pause(plus(now, time), Math.min(mostFailures, before + 1)));
  }

  /** Removes a repository and its failures. */
  synchronized void clear(RepositoryName name) {
    pauses.remove(name);
  }

  private int failures(RepositoryName name) {
    Pause pause = pauses.get(name);
    return pause == null ? 0 : pause.failures();
  }

  private void put(RepositoryName name, Pause pause) {
    pauses.remove(name);
    pauses.put(name, pause);
  }
}
