// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.jgits3.TestRepositories.force;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCacheConfig;
import org.eclipse.jgit.internal.storage.pack.PackWriter;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.function.IoRunnable;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.StoreContent;
import org.jgits3.testing.Holds;
import org.jgits3.testing.PackBytes;
import org.jgits3.testing.aid.WholePackClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of the objects that a sweep with a grace period of a day spares. The clock is the test's.
 */
@Holds(
    "UnlistedObjects, SweepMarks, Sweep: An object is deleted only if it was not listed at a mark "
        + "as old as the grace period. The time of a mark is not before the commit of its manifest.")
@Timeout(120)
class SweepGraceTest extends MaintainedRepository {
  private static final Duration DAY = Duration.ofDays(1);
  private static final int LARGE = 1200 << 10;

  private final Instant start = Instant.now().plusSeconds(60); // later than all transactions

  @BeforeEach
  void create() throws Exception {
    push("refs/heads/main");
  }

  @AfterEach
  void forgetBlocks() {
    DfsBlockCache.reconfigure(new DfsBlockCacheConfig());
  }

  private static Duration days(double days) {
    return Duration.ofMinutes(Math.round(days * DAY.toMinutes()));
  }

  /** Sweeps, having said rightly what it would do. */
  private Sweep.Report sweepAfter(Duration time) throws IOException {
    Sweep sweep = new Sweep(it.plain, () -> start.plus(time));
    try (ManifestCommitter committer =
        StoredManifest.committer(it.plain, RepositoryName.of("r"), ManifestCommitter.DEADLINE)) {
      Sweep.Report dry = sweep.run(committer, DAY, true);
      Sweep.Report report = sweep.run(committer, DAY, false);
      assertForetold(dry, report);
      return report;
    }
  }

  /** Replaces all packs; returns what was listed before and is no more. */
  private Set<String> replaced() throws IOException {
    Set<String> before = listed();
    push("refs/heads/" + it.manifest().generation());
    it.gc();
    before.removeAll(listed());
    assertThat(before).isNotEmpty();
    return before;
  }

  @Test
  void objects_replaced_just_before_a_sweep_stay_for_the_grace_period() throws Exception {
    sweepAfter(days(0));
    sweepAfter(days(7));
    it.gc();
    sweepAfter(days(14));
    Set<String> lastWeeks = listed();
    sweepAfter(days(21));
    push("refs/heads/a");
    it.gc();
    lastWeeks.removeAll(listed());
    assertThat(lastWeeks).as("named a week ago, and replaced now").isNotEmpty();
    sweepAfter(days(28));
    assertThat(stored()).containsAll(lastWeeks);
    sweepAfter(days(28.5));
    assertThat(stored()).containsAll(lastWeeks);
    sweepAfter(days(29.1));
    assertThat(stored()).doesNotContainAnyElementsOf(lastWeeks);
    it.isSound();
  }

  /** The mark knows nothing of the pack, since it was listed after it. */
  @Test
  void objects_that_a_push_listed_after_the_mark_of_its_begin_stay_as_long() throws Exception {
    PackBytes pack = PackBytes.ofSize(1_000, 1);
    try (S3Repository slow = it.users.openRepository("r", Purpose.request())) {
      slow.getObjectDatabase().deferReceivedPacks();
      pack.pushTo(slow);
      sweepAfter(days(0));
      force(slow, "refs/heads/slow", pack.commit());
    }
    Set<String> pushed = listed();
    it.gc();
    pushed.removeAll(listed());
    Sweep.Report report = sweepAfter(days(1.1));
    assertThat(pushed)
        .isNotEmpty()
        .allMatch(key -> ObjectNames.mintedAtOf(key).orElseThrow() <= report.sweepBoundary());
    assertThat(stored()).as("was listed an hour ago").containsAll(pushed);
    sweepAfter(days(2));
    assertThat(stored()).containsAll(pushed);
    sweepAfter(days(2.2));
    assertThat(stored()).isEqualTo(listed());
    it.isSound();
  }

  @Test
  void objects_left_before_the_first_sweep_go_after_two_grace_periods() throws Exception {
    Set<String> left = replaced();
    sweepAfter(days(0));
    sweepAfter(days(1.1));
    assertThat(stored()).containsAll(left);
    sweepAfter(days(2.2));
    assertThat(stored()).isEqualTo(listed());
    it.isSound();
  }

  @ParameterizedTest
  @ValueSource(ints = {7, 8})
  void daily_sweep_deletes_replaced_objects_on_the_third_day(int day) throws Exception {
    Duration almost = DAY.minusSeconds(1);
    for (int before = 0; before < day; before++) {
      sweepAfter(almost.multipliedBy(before));
    }
    Set<String> replaced = replaced();
    for (int i = 0; i < 3; i++) {
      assertThat(stored()).containsAll(replaced);
      sweepAfter(almost.multipliedBy(day + i));
    }
    assertThat(stored()).doesNotContainAnyElementsOf(replaced);
  }

  @Test
  void sweeps_at_all_hours_leave_a_few_marks_and_nothing_that_is_old() throws Exception {
    for (int hour = 0; hour < 24 * 10; hour++) {
      if (hour % 24 == 0 && hour < 24 * 7) {
        replaced();
      }
      sweepAfter(Duration.ofHours(hour));
    }
    assertThat(stored()).isEqualTo(listed());
    assertThat(StoreContent.keys(it.plain, ObjectNames.marks(it.manifest().repositoryId())))
        .hasSizeBetween(3, 8);
  }

  @Test
  void uploads_of_a_process_that_died_wait_for_the_boundary_only() throws Exception {
    String repositoryId = it.manifest().repositoryId();
    String key = ObjectNames.packKey(repositoryId, ObjectNames.mint(it.manifest()), "pack");
    it.plain.beginMultipart(key, Map.of());
    Set<String> replaced = replaced();
    assertThat(sweepAfter(days(0)).uploads()).isZero();
    assertThat(sweepAfter(days(1.1)).uploads()).isOne();
    assertThat(stored()).containsAll(replaced);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "%s", "4 %s 1 0", "3 %s 99 1", "2 %s 99 0\npack/more", "2 x 99 0"})
  void a_mark_that_does_not_say_what_was_listed_lets_nothing_be_deleted(String form)
      throws Exception {
    Set<String> replaced = replaced();
    Manifest collected = it.manifest();
    long transaction = collected.log().tail().get(collected.log().tail().size() - 1).generation();
    assertThat(collected.generation()).isGreaterThan(transaction);
    byte[] mark = String.format(form, start).getBytes(US_ASCII);
    String key = ObjectNames.markKey(collected.repositoryId(), ObjectNames.mint(collected));
    it.plain.put(key, mark, 0, mark.length);
    assertThat(sweepAfter(days(0.9)).sweepBoundary()).isZero();
    assertThat(sweepAfter(days(1.1)).sweepBoundary()).isEqualTo(transaction - 1);
    assertThat(stored()).containsAll(replaced);
    sweepAfter(days(2));
    sweepAfter(days(3.2));
    sweepAfter(days(4.3));
    assertThat(stored()).as("the sweeps have left marks of their own").isEqualTo(listed());
  }

  /** An object that left the manifest while the sweep slept was listed until then. */
  @Test
  void a_sweep_that_slept_before_its_commit_marks_the_time_after_it() throws Exception {
    sweepAfter(days(0));
    sweepAfter(days(1.1));
    Set<String> replaced = listed();
    AtomicReference<Instant> clock = new AtomicReference<>(start.plus(days(2.2)));
    try (ManifestCommitter committer =
        StoredManifest.committer(it.store, RepositoryName.of("r"), ManifestCommitter.DEADLINE)) {
      it.store.beforeWrite(
          () -> {
            push("refs/heads/a");
            MaintenanceFixture.gc(it.users);
            clock.set(start.plus(days(3)));
          });
      new Sweep(it.store, clock::get).run(committer, DAY, false);
    }
    replaced.removeAll(listed());
    assertThat(replaced).isNotEmpty();
    sweepAfter(days(3.9));
    assertThat(stored()).containsAll(replaced);
    sweepAfter(days(4.1));
    assertThat(stored()).doesNotContainAnyElementsOf(replaced);
  }

  @Test
  void a_clone_of_last_weeks_pack_goes_on_beside_a_collection_and_a_sweep() throws Exception {
    PackBytes pack = PackBytes.ofSize(LARGE, 2);
    try (S3Repository r = it.users.openRepository("r", Purpose.request())) {
      force(r, "refs/heads/large", pack.pushTo(r));
    }
    it.gc();
    for (int day = 0; day < 3; day++) {
      sweepAfter(days(7 * day));
    }
    push("refs/heads/a");
    DfsBlockCache.reconfigure( // holds next to nothing
        new DfsBlockCacheConfig().setBlockSize(64 << 10).setBlockLimit(64 << 10));
    try (S3RepositoryManager server =
            TestRepositories.manager(directory, "[core \"dfs\"]\nstreamBuffer = " + (64 << 10));
        S3Repository here = server.openRepository("r", Purpose.request());
        PackWriter writer = WholePackClient.writer(here, here.resolve("main"), pack.commit())) {
      IoRunnable meanwhile =
          () -> {
            it.gc();
            sweepAfter(days(21));
          };
      assertThat(WholePackClient.get(writer, meanwhile)).isGreaterThan(LARGE);
      assertThat(writer.getStatistics().getReusedPacks()).hasSize(1);
    }
    it.isSound();
  }
}
