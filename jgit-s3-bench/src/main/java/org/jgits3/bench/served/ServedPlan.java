// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.served;

import org.jgits3.bench.Effort;
import org.jgits3.bench.git.GitEngine;

/**
 * Amount of measurement.
 *
 * @param rounds servers of each engine, one after the other
 * @param warmUps operations before the first that counts
 * @param samples measurements of each case in a round
 * @param briefOnes operations of a measurement that take milliseconds; of others there is one
 */
record ServedPlan(int rounds, int warmUps, int samples, int briefOnes) {
  /** Brief operations take so many more warm-ups, as the processor time is that of compilers. */
  private static final int BRIEF = 10;

  static ServedPlan of(Effort effort) {
    return switch (effort) {
      case SMALLEST -> new ServedPlan(1, 0, 1, 1);
      case QUICK -> new ServedPlan(2, 4, 3, 10);
      case FULL -> new ServedPlan(5, 6, 4, 20);
    };
  }

  /** Warm-ups of an engine: C Git has nothing to compile, and fills the page cache at once. */
  int warmUps(GitEngine engine, ServedCase what) {
    if (engine == GitEngine.C_GIT) {
      return Math.min(1, warmUps);
    }
    return what.isBrief() ? warmUps * BRIEF : warmUps;
  }

  /** Operations of a measurement: C Git's pushes are brief only where there are few refs. */
  int operations(GitEngine engine, ServedCase what) {
    boolean brief = engine == GitEngine.C_GIT ? what == ServedCase.PUSH_SMALL : what.isBrief();
    return brief ? briefOnes : 1;
  }
}
