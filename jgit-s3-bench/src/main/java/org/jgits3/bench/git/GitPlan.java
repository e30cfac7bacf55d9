// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.git;

import org.jgits3.bench.SuiteContext;

/**
 * Amount of measurement.
 *
 * @param megabytes least size of the repository's pack, in 1,000,000 bytes
 * @param rounds servers started for each engine, each of which serves one cold clone and one push
 * @param otherRounds the same for engines that no figure is judged by, at most as many
 * @param warmClones clones in each round after the cold one
 */
record GitPlan(int megabytes, int rounds, int otherRounds, int warmClones) {
  /** Size by which the suite is judged: of a smaller one, start-up is too much of the time. */
  private static final int FULL_SIZE = 200;

  static GitPlan of(SuiteContext context) {
    return switch (context.effort()) {
      case SMALLEST -> new GitPlan(2, 1, 1, 1);
      case QUICK -> new GitPlan(FULL_SIZE, 3, 1, 2);
      case FULL -> new GitPlan(FULL_SIZE, 6, 6, 3);
    };
  }

  /** Rounds that an engine takes part in, the first ones. */
  int rounds(GitEngine engine) {
    return GitHeadline.JUDGED.contains(engine) ? rounds : otherRounds;
  }

  /** Tests whether the repository is large enough for ratios. */
  boolean isFullSize() {
    return megabytes >= FULL_SIZE;
  }

  /** Bucket of the repository. */
  String bucket() {
    return "git-" + megabytes;
  }
}
