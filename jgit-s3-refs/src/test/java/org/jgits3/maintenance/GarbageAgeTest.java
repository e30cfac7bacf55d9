// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.jgits3.TestRepositories.delete;
import static org.jgits3.TestRepositories.force;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.internal.storage.dfs.DfsGarbageCollector;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.TestRepositories;
import org.jgits3.history.RefRestoration;
import org.jgits3.testing.aid.ReaderClock;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How long garbage stays listed, and in how many packs, on a clock that a test moves on. */
class GarbageAgeTest extends MaintainedRepository {
  private static final String TOPIC = "refs/heads/topic";

  private Instant now = Instant.parse("2026-01-05T12:00:00Z");
  @AutoClose final ReaderClock clock = new ReaderClock(() -> now);

  @BeforeEach
  void begin() throws Exception {
    push(1);
  }

  private void pass(Duration time) {
    now = now.plus(time);
  }

  private void insertGarbage() throws IOException {
    TestRepositories.commit(it.user, "garbage of " + now);
  }

  /** Collects by JGit, which drops garbage of this age. */
  private void collectByJGit(Duration ttl) throws IOException {
    try (S3Repository r = it.maintainer.openRepository("r", Purpose.request())) {
      DfsGarbageCollector collector =
          new DfsGarbageCollector(r).setGarbageTtl(ttl.toMillis(), TimeUnit.MILLISECONDS);
      assertThat(collector.pack(NullProgressMonitor.INSTANCE)).isTrue();
    }
  }

  private long garbagePacks() throws IOException {
    return sources().stream().filter("UNREACHABLE_GARBAGE"::equals).count();
  }

  @Test
  void a_deleted_branch_is_restored_though_JGit_collects_with_a_short_ttl() throws Exception {
    expire("2.weeks.ago");
    ObjectId topic = TestRepositories.commit(it.user, "topic");
    force(it.user, TOPIC, topic);
    long then = it.manifest().generation();
    delete(it.user, TOPIC);
    collectByJGit(Duration.ofMinutes(1));
    pass(Duration.ofDays(13));
    collectByJGit(Duration.ofMinutes(1));
    try (S3Repository r = it.users.openRepository("r", Purpose.request())) {
      RefRestoration plan = r.history().restoration(then);
      assertThat(plan.missing()).isEmpty();
      plan.apply();
      assertThat(r.exactRef(TOPIC).getObjectId()).isEqualTo(topic);
    }
    it.isSound();
  }

  @Test
  void garbage_of_each_day_is_one_pack_until_it_expires() throws Exception {
    expire("2.weeks.ago");
    for (int i = 0; i < 80; i++) {
      insertGarbage();
      it.gc();
      assertThat(garbagePacks()).as("collection %d", i).isBetween(1L, 15L);
      pass(Duration.ofHours(6));
    }
    assertThat(garbagePacks()).isGreaterThan(13);
    pass(Duration.ofDays(14));
    it.gc();
    assertThat(garbagePacks()).isZero();
    it.isSound();
  }

  @Test
  void a_collection_merges_garbage_that_JGit_left_in_three_packs_a_day() throws Exception {
    expire("never");
    for (int i = 0; i < 72; i++) {
      insertGarbage();
      collectByJGit(Duration.ofDays(1));
      pass(Duration.ofHours(1));
    }
    assertThat(garbagePacks()).as("one for eight hours of three days").isBetween(9L, 10L);
    it.gc();
    assertThat(garbagePacks()).isEqualTo(1);
    assertThat(it.manifest().dropped()).isZero();
    it.isSound();
  }
}
