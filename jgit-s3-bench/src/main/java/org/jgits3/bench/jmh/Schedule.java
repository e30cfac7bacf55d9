// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.jmh;

import org.jgits3.bench.Effort;
import org.openjdk.jmh.annotations.Mode;

/**
 * How long a benchmark is measured.
 *
 * @param mode mean time of as many calls as fit into an iteration, or one call an iteration
 * @param forks JVMs that are started one after the other; 0 to measure in this one
 * @param warmups iterations before the measurement
 * @param iterations iterations that are measured
 * @param millis duration of an iteration; of no meaning for single calls
 */
public record Schedule(Mode mode, int forks, int warmups, int iterations, int millis) {
  /**
   * Iterations of some duration.
   *
   * @param effort how many
   * @return the schedule
   */
  public static Schedule average(Effort effort) {
    return switch (effort) {
      case SMALLEST -> new Schedule(Mode.AverageTime, 0, 0, 1, 1);
      case QUICK -> new Schedule(Mode.AverageTime, 1, 2, 5, 150);
      case FULL -> new Schedule(Mode.AverageTime, 3, 5, 10, 1000);
    };
  }

  /**
   * The same with more iterations before the measurement.
   *
   * @param count how many, at least
   * @return the schedule
   */
  public Schedule warmedUp(int count) {
    return new Schedule(mode, forks, Math.max(warmups, count), iterations, millis);
  }

  /**
   * The same with more iterations that are measured, where single ones waver.
   *
   * @param times how many times as many
   * @return the schedule
   */
  public Schedule longer(int times) {
    return new Schedule(mode, forks, warmups, times * iterations, millis);
  }

  /**
   * Iterations of one call each, after enough of them that what is measured is compiled code, as in
   * a server that has run for a while.
   *
   * @param effort how many
   * @return the schedule
   */
  public static Schedule singleShot(Effort effort) {
    return switch (effort) {
      case SMALLEST -> new Schedule(Mode.SingleShotTime, 0, 0, 1, 1);
      case QUICK -> new Schedule(Mode.SingleShotTime, 1, 15, 9, 1);
      case FULL -> new Schedule(Mode.SingleShotTime, 3, 15, 15, 1);
    };
  }
}
