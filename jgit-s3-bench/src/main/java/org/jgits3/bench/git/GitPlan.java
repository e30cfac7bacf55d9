// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.git;

import org.jgits3.bench.SuiteContext;

/**
 * How much is measured.
 *
 * @param megabytes least size of the repository's pack, in 1,000,000 bytes
 * @param rounds servers started for each engine, each of which serves one cold clone and one push
 * @param warmClones clones in each round after the cold one
 */
record GitPlan(int megabytes, int rounds, int warmClones) {
  static GitPlan of(SuiteContext context) {
    return switch (context.effort()) {
      case SMALLEST -> new GitPlan(2, 1, 1);
      case QUICK -> new GitPlan(200, 3, 2);
      case FULL -> new GitPlan(200, 6, 3);
    };
  }

  /** Bucket of the repository. */
  String bucket() {
    return "git-" + megabytes;
  }
}
