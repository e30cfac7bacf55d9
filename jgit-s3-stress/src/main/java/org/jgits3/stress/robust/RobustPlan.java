// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.robust;

import java.time.Duration;
import java.util.List;
import org.jgits3.bench.Effort;

/**
 * Sizes of what is done.
 *
 * @param outage how long the store is away
 * @param megabytes what is moved meanwhile
 * @param pushes pushes that end together
 * @param pushBytes size of each
 * @param files files of the repository that is cloned
 * @param clones clones at a time of a repository that was only pushed
 * @param collectedClones clones at a time after a collection; 0 for no collection
 * @param writers managers that write to one repository
 * @param jvms JVMs that they are in
 * @param processes JVMs with one writer each
 * @param updates updates of each writer
 * @param packs packs up to which a repository grows
 * @param bucket pushes whose rate is one figure
 * @param repositories repositories in one JVM
 * @param collections collections beside a ref that moves
 * @param lone how long a lone writer, and a neighbour, are watched
 */
record RobustPlan(
    Duration outage,
    int megabytes,
    int pushes,
    int pushBytes,
    int files,
    List<Integer> clones,
    int collectedClones,
    int writers,
    int jvms,
    int processes,
    int updates,
    int packs,
    int bucket,
    int repositories,
    int collections,
    Duration lone) {
  RobustPlan {
    clones = List.copyOf(clones);
  }

  static RobustPlan of(Effort effort) {
    return switch (effort) {
      case SMALLEST ->
          new RobustPlan(
              Duration.ofSeconds(1),
              2,
              4,
              1 << 18,
              500,
              List.of(2),
              0,
              2,
              1,
              1,
              2,
              20,
              10,
              20,
              2,
              Duration.ofMillis(200));
      case QUICK ->
          new RobustPlan(
              Duration.ofSeconds(20),
              60,
              90,
              3 << 20,
              40_000,
              List.of(8),
              12,
              60,
              5,
              20,
              2,
              300,
              100,
              300,
              6,
              Duration.ofSeconds(10));
      case FULL ->
          new RobustPlan(
              Duration.ofSeconds(60),
              150,
              90,
              3 << 20,
              134_900,
              List.of(8, 12),
              30,
              200,
              10,
              60,
              3,
              1200,
              100,
              1500,
              24,
              Duration.ofSeconds(30));
    };
  }
}
