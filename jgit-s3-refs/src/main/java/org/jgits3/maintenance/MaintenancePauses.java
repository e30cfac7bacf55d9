// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.time.Duration;
import org.jgits3.internal.store.cache.LruCache;
import org.jgits3.manifest.RepositoryName;

/**
 * Pauses of background maintenance by repository name: one after each maintenance, and a longer one
 * after each failure. Times are milliseconds since the epoch. Safe for use by many threads.
 *
 * <p>Bounded in number: beyond it, the least recently used ones are dropped, and their repositories
 * maintained a little too early.
 */
final class MaintenancePauses {
  /** Most repositories with an entry. */
  private static final int MOST = 10_000;

  private final Duration afterFailure;
  private final int mostFailures;

  /** Changed under the lock of this. */
  private final LruCache<RepositoryName, Pause> pauses = new LruCache<>(MOST);

  /**
   * Pause of one repository.
   *
   * @param until its end
   * @param failures in a row, as far as they lengthen it
   */
  private record Pause(long until, int failures) {}

  /**
   * Creates a table without pauses.
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
  boolean isPaused(RepositoryName name, long now) {
    return pauses.get(name).filter(pause -> now < pause.until()).isPresent();
  }

  /** Pauses a repository for some time. Its failures still count. */
  synchronized void pause(RepositoryName name, long now, Duration time) {
    pauses.put(name, new Pause(plus(now, time), failures(name)), 1);
  }

  /** Pauses a repository that failed, twice as long as the last time. */
  synchronized void failed(RepositoryName name, long now) {
    int before = failures(name);
    Duration time = afterFailure.multipliedBy(1L << before);
    pauses.put(name, new Pause(plus(now, time), Math.min(mostFailures, before + 1)), 1);
  }

  /** Removes a repository and its failures. */
  synchronized void clear(RepositoryName name) {
    pauses.remove(name);
  }

  private int failures(RepositoryName name) {
    return pauses.get(name).map(Pause::failures).orElse(0);
  }
}
