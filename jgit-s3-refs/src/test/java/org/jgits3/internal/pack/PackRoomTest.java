// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jgit.internal.storage.dfs.DfsObjDatabase.PackSource;
import org.eclipse.jgit.internal.storage.dfs.DfsPackDescription;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.metrics.Count;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.testing.Holds;
import org.jgits3.testing.PackBytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Packs that are published while the manifest is full, and the compaction of refs is not over. */
@Timeout(300) // threads wait for each other
class PackRoomTest {
  /** Refs that one batch adds to the manifest, which has room for few more. */
  private static final int REFS = 900;

  private static final int NAME = 76;

  private final CountDownLatch compactionBegun = new CountDownLatch(1);
  private final AtomicInteger snapshots = new AtomicInteger();
  private final AtomicInteger segments = new AtomicInteger();
  private final CountDownLatch compactionMayGoOn = new CountDownLatch(1);
  private StallingStore store;
  private S3RepositoryManager manager;

  /** A store in which the compaction in the background, the first to write a log, gets stuck. */
  private final class StallingStore extends DelegatingObjectStore {
    private final AtomicBoolean stalled = new AtomicBoolean();

    StallingStore() {
      super(new MemoryObjectStore());
    }

    @Override
    public void put(String key, byte[] src, int offset, int length) throws IOException {
      if (key.contains("/log/") && stalled.compareAndSet(false, true)) {
        compactionBegun.countDown();
        ConcurrentTasks.await(compactionMayGoOn);
      }
      super.put(key, src, offset, length);
      if (key.contains("/refs/")) {
        snapshots.incrementAndGet();
      } else if (key.contains("/log/")) {
        segments.incrementAndGet();
      }
    }
  }

  @BeforeEach
  void open() throws Exception {
    store = new StallingStore();
    manager = TestRepositories.manager(store);
  }

  @AfterEach
  void close() throws IOException {
    compactionMayGoOn.countDown();
    manager.close();
  }

  private static String padded(String start) {
    return start + "x".repeat(NAME - start.length());
  }

  /** Fills the manifest with refs and, to the last pack that would fit, with something else. */
  private void fill(S3Repository r) throws Exception {
    ObjectId id = TestRepositories.commit(r, "first");
    TestRepositories.assertAllOk(
        TestRepositories.createAll(r, id, REFS, i -> padded("refs/changes/" + i + "/")));
    compactionBegun.await();
    long bytes = store.stat(StoredManifest.key(store, "r")).orElseThrow().size();
    r.setGitwebDescription("y".repeat((int) (Manifest.MAX_BYTES - bytes) - 60));
    assertThat(r.manifest().refs().overlay()).hasSize(REFS);
  }

  private static void hasRoom(S3Repository r) throws IOException {
    assertThat(r.manifest().log().tail()).isEmpty();
    assertThat(r.getRefDatabase().getRefsByPrefix("refs/changes/")).hasSize(REFS);
  }

  @Test
  void refs_are_folded_while_the_store_stalls_a_fold_of_another_repository() throws Exception {
    try (S3Repository stalled = manager.createRepository("r");
        S3Repository busy = manager.createRepository("busy")) {
      fill(stalled);
      ObjectId id = TestRepositories.commit(busy, "first");
      for (int i = 0; i < 300; i++) {
        assertThat(create(busy, "refs/heads/" + i, id)).isEqualTo(ReceiveCommand.Result.OK);
      }
      while (busy.manifest().log().segments().isEmpty()) { // up to the time limit of the class
        assertThat(busy.exactRef("refs/heads/0").getObjectId()).isEqualTo(id);
      }
      assertThat(manager.foldBacklog()).as("the one that is stalled").isPositive();
      assertThat(manager.counters().of(Count.FOREGROUND_FOLDS)).isZero();
    }
  }

  @Test
  void many_that_find_no_room_at_once_move_the_log_once_and_no_refs() throws Exception {
    int writers = 8;
    try (S3Repository r = manager.createRepository("r")) {
      fill(r);
      Map<Integer, ObjectId> flushed = new ConcurrentHashMap<>();
      ConcurrentTasks.run(writers, i -> flushed.put(i, TestRepositories.commit(r, "by " + i)));
      for (int i = 0; i < writers; i++) {
        assertThat(r.parseCommit(flushed.get(i)).getFullMessage()).isEqualTo("by " + i);
      }
      assertThat(segments).hasValue(1);
      assertThat(snapshots).hasValue(0);
      hasRoom(r);
    }
  }

  @Test
  void a_received_pack_that_is_looked_for_is_published_in_a_full_manifest() throws Exception {
    PackBytes pack = PackBytes.ofSize(1_000, 1);
    try (S3Repository other = manager.createRepository("r")) {
      fill(other);
      try (S3Repository pushed = manager.openRepository("r", Purpose.push());
          ObjectReader reader = other.newObjectReader()) {
        pack.pushTo(pushed);
        assertThat(other.manifest().packs()).hasSize(1);
        assertThat(reader.has(pack.commit())).isTrue();
        assertThat(other.manifest().packs()).hasSize(2);
      }
      hasRoom(other);
    }
  }

  /** Lists packs without any file, in one commit. */
  private static void list(S3Repository r, int count) throws IOException {
    S3ObjDatabase objects = r.getObjectDatabase();
    List<DfsPackDescription> packs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      packs.add(objects.newPack(PackSource.INSERT));
    }
    objects.commitPackImpl(packs, List.of());
  }

  /** Lists packs until there is no room for one more. */
  private static void fillWithPacks(S3Repository r) throws IOException {
    for (int count = 4096; count > 0; count /= 2) {
      try {
        list(r, count);
      } catch (ManifestException.TooLarge e) {
        assertThat(e.excess()).isPositive();
      }
    }
  }

  private static ReceiveCommand.Result create(S3Repository r, String name, ObjectId id)
      throws IOException {
    return TestRepositories.create(r, id, name).getResult();
  }

  @Holds(
      "CommitBatch, SharedRefs: Space is reserved for refs: however many packs are listed, small "
          + "updates succeed, without a snapshot each")
  @Test
  void refs_are_updated_with_few_snapshots_though_packs_fill_the_manifest() throws Exception {
    compactionMayGoOn.countDown();
    try (S3Repository r = manager.createRepository("r")) {
      ObjectId id = TestRepositories.commit(r, "first");
      fillWithPacks(r);
      assertThatThrownBy(() -> list(r, 2)).isInstanceOf(ManifestException.TooLarge.class);
      for (int i = 0; i < 200; i++) {
        assertThat(create(r, "refs/heads/" + i, id)).isEqualTo(ReceiveCommand.Result.OK);
      }
      assertThat(snapshots.get()).as("snapshots for 200 updates").isLessThan(8);
      assertThat(r.getRefDatabase().getRefsByPrefix("refs/heads/")).hasSize(200);
    }
  }

  @Test
  void pushes_need_no_snapshot_each_while_packs_fill_the_manifest() throws Exception {
    compactionMayGoOn.countDown();
    try (S3Repository r = manager.createRepository("r")) {
      list(r, 1300);
      for (int i = 0; i < 150; i++) {
        ObjectId id = TestRepositories.commit(r, "commit " + i);
        assertThat(create(r, "refs/heads/" + i, id)).isEqualTo(ReceiveCommand.Result.OK);
      }
      assertThat(r.manifest().packs()).hasSize(1450);
      assertThat(snapshots.get()).as("snapshots for 150 pushes").isLessThan(8);
    }
  }

  @Test
  void many_updates_at_once_find_room_one_by_one_beside_all_packs() throws Exception {
    int writers = 32;
    try (S3RepositoryManager quick = TestRepositories.manager(new MemoryObjectStore());
        S3Repository r = quick.createRepository("r")) {
      ObjectId id = TestRepositories.commit(r, "first");
      fillWithPacks(r);
      ConcurrentTasks.run(
          writers,
          i -> {
            String prefix = "refs/heads/" + i + "/" + "x".repeat(NAME) + "/";
            TestRepositories.assertAllOk(TestRepositories.createAll(r, id, 15, n -> prefix + n));
          });
      assertThat(r.getRefDatabase().getRefsByPrefix("refs/heads/")).hasSize(15 * writers);
    }
  }

  @Test
  void what_does_not_fit_beside_all_the_packs_is_refused_and_told_what_to_do() throws Exception {
    manager.createRepository("r").close();
    try (S3Repository r = manager.openRepository("r", Purpose.request())) {
      list(r, 1200);
      assertThatThrownBy(() -> list(r, 1000))
          .isInstanceOf(ManifestException.TooLarge.class)
          .hasMessageMatching(
              "the manifest would have \\d+ bytes, at most 249856 are allowed; its 2200 packs take"
                  + " most of them: run jgit-s3 gc, or Maintenance\\.collectGarbage, then retry");
      assertThat(r.manifest().packs()).hasSize(1200);
    }
  }
}
