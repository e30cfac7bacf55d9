// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.jmh;

import org.jgits3.bench.Effort;
import org.openjdk.jmh.annotations.Mode;

/**
 * Duration of a benchmark. Engines to be compared have the same schedule: one that is compiled
 * looks better beside one that is not.
 *
 * @param mode mean time of as many calls as fit into an iteration, at least one, or one call an
 *     iteration
 * @param forks JVMs that are started one after the other; 0 to measure in this one
 * @param warmups iterations before the measurement
 * @param iterations iterations that are measured
 * @param millis duration of an iteration; of no meaning for single calls
 */
public record Schedule(Mode mode, int forks, int warmups, int iterations, int millis) {
  /**
   * Iterations before a measurement, so that also calls of a second each have been made that often:
   * what is measured is a server that has run for a while.
   */
  private static final int WARMUPS = 20;

  /**
   * Iterations of some duration.
   *
   * @param effort how many
   * @return the schedule
   */
  public static Schedule average(Effort effort) {
    return switch (effort) {
      case SMALLEST -> new Schedule(Mode.AverageTime, 0, 0, 1, 1);
      case QUICK -> new Schedule(Mode.AverageTime, 1, WARMUPS, 5, 75);
      case FULL -> new Schedule(Mode.AverageTime, 1, WARMUPS, 10, 200);
    };
  }

  /**
   * Iterations of one call each.
   *
   * @param effort how many
   * @return the schedule
   */
  public static Schedule singleShot(Effort effort) {
    return switch (effort) {
      case SMALLEST -> new Schedule(Mode.SingleShotTime, 0, 0, 1, 1);
      case QUICK -> new Schedule(Mode.SingleShotTime, 1, WARMUPS, 15, 1);
      case FULL -> new Schedule(Mode.SingleShotTime, 3, WARMUPS, 25, 1);
    };
  }

  /**
   * The same with longer iterations, before the measurement and in it, for what is called so often
   * that the client of the store must be compiled.
   *
   * @param atLeast duration of an iteration, in milliseconds
   * @return the schedule; this one if it measures nothing but whether the benchmark runs
   */
  public Schedule iterationsOf(int atLeast) {
    return forks == 0
        ? this
        : new Schedule(mode, forks, warmups, iterations, Math.max(millis, atLeast));
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
   * The same with fewer calls, for those that take seconds.
   *
   * @param most iterations before the measurement, and in it
   * @return the schedule
   */
  public Schedule atMost(int most) {
    return new Schedule(mode, forks, Math.min(warmups, most), Math.min(iterations, most), millis);
  }

  /**
   * The same in several JVMs, since each compiles and places things in its own way.
   *
   * @param jvms how many, at least
   * @return the schedule; this one if it measures in this JVM
   */
  public Schedule inJvms(int jvms) {
    return forks == 0
        ? this
        : new Schedule(mode, Math.max(forks, jvms), warmups, iterations, millis);
  }
}
