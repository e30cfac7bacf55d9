// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation;

/** What happens in a run, and its judgement. Loaded with the code that it uses. */
public interface World {
  /**
   * Makes what all runs begin with. Called once for each copy of the library, before the first run
   * and in a run of its own.
   *
   * @param scheduler of that run
   * @throws Exception if it cannot run
   */
  default void prepare(Scheduler scheduler) throws Exception {}

  /**
   * Sets up the processes, runs them to their ends, and judges what they did.
   *
   * @param scheduler of the run
   * @throws Exception if it cannot run
   * @throws AssertionError if a rule was broken
   */
  void run(Scheduler scheduler) throws Exception;

  /**
   * Takes the steps of a trace instead of random ones, and judges what was done.
   *
   * @param scheduler of the run
   * @param trace the trace
   * @param killed true if the processes die after the last step, false if they go on
   * @throws Exception if it cannot run
   * @throws AssertionError if a rule was broken
   */
  default void replay(Scheduler scheduler, Trace trace, boolean killed) throws Exception {
    throw new UnsupportedOperationException();
  }
}
