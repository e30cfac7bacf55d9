// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgits3.internal.catalog.RepositoryCatalog;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.testing.Holds;
import org.jgits3.testing.RandomSeed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A light writer beside a hot one keeps committing, and a hot one alone loses next to nothing:
 * asserted in attempts and in simulated time.
 */
@Holds(
    "Pacing: A light, distant or new writer commits in time beside a busy one. A lone one reaches "
        + "0.95 of the rate of bare writes.")
class FairnessTest {
  private static final RepositoryName NAME = RepositoryName.of("r");
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final long MILLISECOND = 1_000_000;
  private static final int ROUNDS = 60;

  private final Simulation time = new Simulation();
  private final ScriptedStore store = new ScriptedStore();
  private final ThreadLocal<Long> latency = ThreadLocal.withInitial(() -> 0L);
  private final AtomicInteger lightAttempts = new AtomicInteger();
  private final ThreadLocal<Boolean> light = ThreadLocal.withInitial(() -> false);

  @ParameterizedTest(name = "hot writers {0}, light one {1} times as far away")
  @CsvSource({"1, 1, 6, 24", "1, 3, 14, 60", "2, 1, 5, 20", "1, 8, 28, 90"})
  void light_writer_beside_hot_ones_keeps_committing(
      int hot, int distance, double meanAttempts, int mostAttempts) throws Exception {
    begin();
    AtomicBoolean over = new AtomicBoolean();
    for (int i = 0; i < hot; i++) {
      int number = i;
      time.add(() -> commitWithoutPause(number, over));
    }
    IntSummaryStatistics attempts = new IntSummaryStatistics();
    time.add(() -> commitNowAndThen(distance, attempts, over));
    time.run();
    assertThat(attempts.getCount()).isEqualTo(ROUNDS);
    assertThat(attempts.getAverage()).isLessThan(meanAttempts);
    assertThat(attempts.getMax()).isLessThan(mostAttempts);
  }

  @Test
  void lone_writer_commits_nearly_as_often_as_the_store_takes_writes() throws Exception {
    begin();
    int commits = 5000;
    time.add(
        () -> {
          latency.set(30 * MILLISECOND);
          ManifestCommitter committer = committer(1);
          for (int i = 0; i < commits; i++) {
            commit(committer, "alone" + i);
          }
        });
    time.run();
    assertThat(commits * 30.0 * MILLISECOND / time.nanoTime()).isGreaterThan(0.95);
  }

  @ParameterizedTest(name = "newcomer {0} times as far away")
  @CsvSource({"1, 5", "3, 20"})
  void newcomer_beside_a_long_lone_writer_commits_before_its_deadline(int distance, int seconds)
      throws Exception {
    begin();
    AtomicBoolean over = new AtomicBoolean();
    time.add(() -> commitWithoutPause(0, over));
    List<Long> waits = new ArrayList<>();
    time.add(
        () -> {
          latency.set(10 * MILLISECOND * distance);
          for (int round = 0; round < RandomSeed.count(3, 10); round++) {
            time.sleep((60_000 + 137 * round) * MILLISECOND);
            long start = time.nanoTime();
            commit(committer(100 + round), "newcomer" + round);
            waits.add((time.nanoTime() - start) / (1000 * MILLISECOND));
          }
          over.set(true);
        });
    time.run();
    assertThat(waits).allSatisfy(wait -> assertThat(wait).isLessThan(seconds));
  }

  private void begin() throws IOException {
    Register.create(new RepositoryCatalog(store, DEADLINE), NAME);
    time.delay(
        store,
        () -> {
          if (light.get()) {
            lightAttempts.incrementAndGet();
          }
          return latency.get();
        },
        latency::get);
  }

  private void commitWithoutPause(int number, AtomicBoolean over) {
    latency.set(10 * MILLISECOND);
    ManifestCommitter committer = committer(number);
    while (!over.get()) {
      commit(committer, "hot" + number);
    }
  }

  private void commitNowAndThen(int distance, IntSummaryStatistics attempts, AtomicBoolean over) {
    latency.set(10 * MILLISECOND * distance);
    light.set(true);
    ManifestCommitter committer = committer(99);
    try {
      commit(committer, "light"); // from now on the hot ones know that they are not alone
      for (int round = 0; round < ROUNDS; round++) {
        time.sleep(500 * MILLISECOND);
        lightAttempts.set(0);
        commit(committer, "light");
        attempts.accept(lightAttempts.get());
      }
    } finally {
      over.set(true);
    }
  }

  private ManifestCommitter committer(int seed) {
    return new ManifestCommitter(
        StoredManifest.file(store, NAME), DEADLINE, time, new SplittableRandom(seed));
  }

  private static void commit(ManifestCommitter committer, String value) {
    try {
      committer.commit(ManifestFixture.describing(value));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
