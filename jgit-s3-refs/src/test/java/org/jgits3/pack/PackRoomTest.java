// SPDX-License-Identifier: Apache-2.0
package org.jgits3.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jgit.internal.storage.dfs.DfsObjDatabase.PackSource;
import org.eclipse.jgit.internal.storage.dfs.DfsPackDescription;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.DirectoryObjectStore;
import org.jgits3.testing.PackBytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Packs that are published while the manifest is full, and the compaction of refs is not over. */
@Timeout(60) // threads wait for each other
class PackRoomTest {
  /** Refs that one batch adds to the manifest, which has room for few more. */
  private static final int REFS = 900;

  private static final int NAME = 76;

  @TempDir Path directory;
  private final CountDownLatch compactionBegun = new CountDownLatch(1);
  private final AtomicInteger snapshots = new AtomicInteger();
  private final CountDownLatch compactionMayGoOn = new CountDownLatch(1);
  private StallingStore store;
  private S3RepositoryManager manager;

  /** A store in which the compaction in the background, the first to write a log, gets stuck. */
  private final class StallingStore extends DelegatingObjectStore {
    private final AtomicBoolean stalled = new AtomicBoolean();

    StallingStore() throws IOException {
      super(new DirectoryObjectStore(directory));
    }

    @Override
    public void put(String key, byte[] src, int offset, int length) throws IOException {
      if (key.contains("/log/") && stalled.compareAndSet(false, true)) {
        compactionBegun.countDown();
        try {
          compactionMayGoOn.await();
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      }
      super.put(key, src, offset, length);
      if (key.contains("/refs/")) {
        snapshots.incrementAndGet();
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

  /** Fills the manifest with refs and, to the last pack that would fit, with something else. */
  private void fill(S3Repository r) throws Exception {
    ObjectId id = TestRepositories.commit(r, "first");
    BatchRefUpdate batch = r.getRefDatabase().newBatchUpdate();
    for (int i = 0; i < REFS; i++) {
      String start = "refs/changes/" + i + "/";
      String name = start + "x".repeat(NAME - start.length());
      batch.addCommand(new ReceiveCommand(ObjectId.zeroId(), id, name));
    }
    try (RevWalk walk = new RevWalk(r)) {
      batch.execute(walk, NullProgressMonitor.INSTANCE);
    }
    assertThat(batch.getCommands())
        .extracting(ReceiveCommand::getResult)
        .containsOnly(ReceiveCommand.Result.OK);
    compactionBegun.await();
    long bytes = store.stat(RepositoryName.of("r").manifestKey()).orElseThrow().size();
    r.setGitwebDescription("y".repeat((int) (Manifest.MAX_BYTES - bytes) - 60));
    assertThat(r.manifest().refs().overlay()).hasSize(REFS);
  }

  private static void isFolded(S3Repository r) throws IOException {
    assertThat(r.manifest().refs().overlay()).isEmpty();
    assertThat(r.manifest().log().tail()).isEmpty();
    assertThat(r.getRefDatabase().getRefsByPrefix("refs/changes/")).hasSize(REFS);
  }

  @Test
  void a_pack_that_the_manifest_has_no_room_for_is_published_once_refs_and_log_are_folded()
      throws Exception {
    try (S3Repository r = manager.createRepository("r")) {
      fill(r);
      ObjectId last = ObjectId.zeroId();
      for (int i = 0; i < 150; i++) {
        last = TestRepositories.commit(r, "commit " + i);
      }
      assertThat(r.manifest().packs()).hasSize(151);
      isFolded(r);
      assertThat(r.parseCommit(last).getFullMessage()).isEqualTo("commit 149");
    }
  }

  @Test
  void many_that_find_no_room_at_once_fold_the_refs_once() throws Exception {
    int writers = 8;
    ExecutorService threads = Executors.newFixedThreadPool(writers);
    try (S3Repository r = manager.createRepository("r")) {
      fill(r);
      List<Callable<ObjectId>> flushes = new ArrayList<>();
      for (int i = 0; i < writers; i++) {
        String message = "by " + i;
        flushes.add(() -> TestRepositories.commit(r, message));
      }
      for (Future<ObjectId> flush : threads.invokeAll(flushes)) {
        assertThat(r.parseCommit(flush.get()).getFullMessage()).startsWith("by ");
      }
      assertThat(snapshots).hasValue(1);
      isFolded(r);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void a_received_pack_that_somebody_misses_is_published_in_a_full_manifest_too() throws Exception {
    PackBytes pack = PackBytes.ofSize(1_000, 1);
    try (S3Repository other = manager.createRepository("r")) {
      fill(other);
      try (S3Repository pushed = manager.openForPush("r");
          ObjectReader reader = other.newObjectReader()) {
        pack.pushTo(pushed);
        assertThat(other.manifest().packs()).hasSize(1);
        assertThat(reader.has(pack.commit())).isTrue();
        assertThat(other.manifest().packs()).hasSize(2);
      }
      isFolded(other);
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

  @Test
  void what_does_not_fit_beside_all_the_packs_is_refused_and_told_what_to_do() throws Exception {
    manager.createRepository("r").close();
    try (S3Repository r = manager.openForRequest("r")) {
      list(r, 1200);
      assertThatThrownBy(() -> list(r, 1000))
          .isInstanceOf(ManifestException.TooLarge.class)
          .hasMessageMatching(
              "the manifest would have \\d+ bytes, at most 262144 are allowed; its 2200 packs take"
                  + " most of them: run jgit-s3 gc, or Maintenance\\.collectGarbage, then retry");
      assertThat(r.manifest().packs()).hasSize(1200);
    }
  }
}
