// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.hot;

import java.time.Duration;
import org.jgits3.bench.Effort;

/**
 * Amount of measurement.
 *
 * @param clients clients that push at the same time
 * @param rounds servers started for each engine, one round after the other
 * @param warmUp how long they push before they are counted, at least
 * @param warmUpPushes pushes of each server before they are counted, at least: until its JVM has
 *     compiled most of what it runs
 * @param counted how long they are counted, at least
 */
record HotPlan(int clients, int rounds, Duration warmUp, int warmUpPushes, Duration counted) {
  /** Clients by which the suite is judged. */
  private static final int FULL_SIZE = 64;

  static HotPlan of(Effort effort) {
    return switch (effort) {
      case SMALLEST -> new HotPlan(4, 1, Duration.ZERO, 1, Duration.ofMillis(500));
      case QUICK -> new HotPlan(FULL_SIZE, 1, Duration.ofSeconds(15), 1000, Duration.ofSeconds(20));
      case FULL -> new HotPlan(FULL_SIZE, 3, Duration.ofSeconds(30), 3000, Duration.ofSeconds(40));
    };
  }

  /** Tests whether there are as many clients as the suite is judged by. */
  boolean isFullSize() {
    return clients >= FULL_SIZE;
  }
}
