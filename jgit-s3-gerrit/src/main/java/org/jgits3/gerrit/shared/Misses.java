// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.shared;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Look-ups of a client that found nothing, of which there may be so many in a period. Safe for many
 * threads.
 */
final class Misses {
  private final int most;
  private final long periodNanos;
  private final Queue<Long> times = new ArrayDeque<>(); // of the last ones; guarded by this

  Misses(int most, Duration period) {
    this.most = most;
    this.periodNanos = period.toNanos();
  }

  /** Tests whether the period that ends now has had as many as there may be. */
  synchronized boolean areTooMany() {
    return times.size() == most && System.nanoTime() - times.element() < periodNanos;
  }

  /** Notes one. Those that are under way when there are too many still count. */
  synchronized void add() {
    if (times.size() == most) {
      times.remove();
    }
    times.add(System.nanoTime());
  }
}
