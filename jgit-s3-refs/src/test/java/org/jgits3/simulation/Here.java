// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation;

/** The place where simulated code runs. */
public final class Here {
  private Here() {}

  /** The process that runs. */
  public static Scheduler.Jvm process() {
    return Strand.current().process();
  }

  /** The strand that runs. */
  public static Object strand() {
    return Strand.current();
  }
}
