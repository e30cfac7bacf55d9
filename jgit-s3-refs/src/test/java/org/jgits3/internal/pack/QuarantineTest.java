// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCacheConfig;
import org.eclipse.jgit.internal.storage.dfs.DfsGarbageCollector;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.RefUpdate.Result;
import org.eclipse.jgit.lib.TreeFormatter;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.treewalk.TreeWalk;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.TestRepositories;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What waits together, beside other handles and writes in doubt. */
class QuarantineTest extends DeferredPacksTestCase {
  @Override
  String settings() {
    return "[s3]\ncommitDeadline = 1 s";
  }

  @AfterEach
  void answerAgain() {
    gate.writes = Writes.GOOD;
  }

  private static ObjectId blobOf(S3Repository repository, ObjectId commit) throws IOException {
    try (RevWalk walk = new RevWalk(repository);
        TreeWalk tree = TreeWalk.forPath(repository, "file", walk.parseCommit(commit).getTree())) {
      return tree.getObjectId(0);
    }
  }

  /** Sets a ref by a write that has no answer. */
  private void isInDoubt(S3Repository handle, ObjectId id, Writes writes) {
    gate.writes = writes;
    assertThatThrownBy(() -> update(handle, MAIN, id)).hasMessageContaining("outcome unknown");
    gate.writes = Writes.GOOD;
  }

  /** An inserter may be given up, as that of a merge that is only tried. */
  @Test
  void P12_an_unflushed_object_of_an_inserter_is_not_enough_for_another() throws Exception {
    ObjectId top;
    try (S3Repository hook = manager.openRepository("r")) {
      try (S3Repository pushed = received()) {
        ObjectId blob = blobOf(pushed, PACK.commit());
        try (ObjectInserter dryRun = hook.newObjectInserter()) {
          dryRun.insert(Constants.OBJ_BLOB, pushed.open(blob).getBytes());
          TreeFormatter tree = TestRepositories.tree("copy", FileMode.REGULAR_FILE, blob);
          top = commitOf(hook, TestRepositories.insert(hook, to -> to.insert(tree)));
        }
      } // refused
    }
    setElsewhere(OTHER, top);
    everythingIsThere();
  }

  @Test
  void what_is_inserted_after_a_write_in_doubt_that_was_applied_is_published() throws Exception {
    ObjectId second;
    try (S3Repository r = inserting()) {
      ObjectId first = TestRepositories.commit(r, "first");
      isInDoubt(r, first, Writes.MUTE);
      r.scanForRepoChanges();
      assertThat(r.exactRef(MAIN).getObjectId()).isEqualTo(first);
      second = TestRepositories.commit(r, "second", first);
    }
    try (S3Repository other = manager.openRepository("r", Purpose.request())) {
      assertThat(has(other, second)).isTrue();
    }
  }

  @Holds(
      "DeferredPacks, SharedPacks: A request whose pack is in doubt moves no ref until a manifest "
          + "lists the pack, which is then like any other")
  @Test
  void an_applied_write_in_doubt_has_no_effect_once_it_is_known() throws Exception {
    try (S3Repository r = inserting()) {
      ObjectId first = TestRepositories.commit(r, "first");
      isInDoubt(r, first, Writes.MUTE);
    }
    try (S3Repository r = manager.openRepository("r", Purpose.request())) {
      ObjectId next = TestRepositories.commit(r, "next", r.exactRef(MAIN).getObjectId());
      assertThat(update(r, OTHER, next)).isEqualTo(Result.NEW);
      assertThat(r.getObjectDatabase().mayKnowHidden()).isFalse();
    }
  }

  @Test
  void a_listed_pack_once_in_doubt_may_be_replaced_and_swept_during_reads() throws Exception {
    try (S3Repository reader = manager.openRepository("r")) {
      try (S3Repository pushed = received()) {
        isInDoubt(pushed, PACK.commit(), Writes.MUTE);
      }
      reader.scanForRepoChanges();
      String id = listed().get(0).id();
      try (S3Repository there = elsewhere.openRepository("r", Purpose.request())) {
        assertThat(new DfsGarbageCollector(there).pack(NullProgressMonitor.INSTANCE)).isTrue();
      }
      store.delete(keys(id));
      evict(reader);
      assertThat(reader.parseCommit(PACK.commit()).getFullMessage()).startsWith("of ");
    }
  }

  /** As if JGit's cache and the budget of indexes had evicted all that was read. */
  private static void evict(S3Repository repository) throws ReflectiveOperationException {
    Field field = S3ObjDatabase.class.getDeclaredField("shared");
    field.setAccessible(true);
    DfsBlockCache.reconfigure(new DfsBlockCacheConfig());
    IndexBudget budget =
        ((SharedPacks) field.get(repository.getObjectDatabase())).resources().indexes();
    budget.hold(new IndexBudget.OpenPacks(), "other", budget.limit(), 1);
  }

  @Holds("Quarantine: The packs that a request has inserted and not listed fit into a manifest")
  @Test
  void a_request_that_flushes_often_lists_what_waits_before_it_is_too_much() throws Exception {
    try (S3Repository r = inserting()) {
      ObjectId last = TestRepositories.commit(r, "first");
      for (int i = 0; i < 100; i++) {
        assertThat(listed()).hasSize(i < 50 ? 0 : 51);
        last = TestRepositories.commit(r, "c" + i, last);
      }
      assertThat(update(r, MAIN, last)).isEqualTo(Result.NEW);
    }
    everythingIsThere();
  }

  @Test
  void an_object_that_is_found_while_the_handle_is_closed_is_not_forgotten() throws Exception {
    S3Repository pushed = received();
    ObjectId tree = pushed.parseCommit(PACK.commit()).getTree().copy();
    byte[] content = pushed.open(tree).getBytes();
    evict(pushed);
    gate.heldRead = "/pack/";
    try (ObjectInserter inserter = pushed.newObjectInserter()) {
      Future<ObjectId> inserting =
          threads.submit(() -> inserter.insert(Constants.OBJ_TREE, content));
      gate.reached.await();
      pushed.close();
      gate.open.countDown();
      assertThat(inserting.get()).isEqualTo(tree);
      inserter.flush(); // promises that it is there
    }
    try (S3Repository later = inserting()) {
      assertThat(update(later, OTHER, commitOf(later, tree))).isEqualTo(Result.NEW);
    }
    everythingIsThere();
  }

  private void doubtWithoutEffect() throws Exception {
    try (S3Repository pushed = received()) {
      isInDoubt(pushed, PACK.commit(), Writes.DEAF);
    }
  }

  @Test
  void objects_of_a_pack_in_doubt_are_looked_for_without_requests() throws Exception {
    doubtWithoutEffect();
    try (S3Repository r = manager.openRepository("r", Purpose.request())) {
      gate.reads.clear();
      for (int i = 0; i < 100; i++) {
        assertThat(has(r, PACK.commit())).isFalse();
      }
      assertThat(reads("manifest")).isLessThan(5);
    }
  }

  @Test
  void a_pack_in_doubt_that_was_swept_is_looked_for_once() throws Exception {
    doubtWithoutEffect();
    store.delete(keys(""));
    try (S3Repository r = manager.openRepository("r", Purpose.request());
        ObjectInserter inserter = r.newObjectInserter()) {
      evict(r);
      TreeFormatter tree = new TreeFormatter();
      for (int i = 100; i < 200; i++) {
        tree.append("file" + i, FileMode.REGULAR_FILE, ObjectId.fromString("%040x".formatted(i)));
      }
      gate.reads.clear();
      inserter.insert(tree);
      assertThat(reads("objects/")).isLessThan(5);
    }
  }

  /** Number of reads of objects whose keys have a part. */
  private long reads(String part) {
    return gate.reads.stream().filter(key -> key.contains(part)).count();
  }

  @Test
  void a_doubt_ends_at_once_if_the_manifest_was_seen_before() throws Exception {
    try (S3Repository pushed = received()) {
      Future<Result> updating = updateUpToGate(pushed, MAIN, PACK.commit(), Writes.HELD);
      try (S3Repository other = manager.openRepository("r", Purpose.request())) {
        assertThat(other.exactRef(MAIN).getObjectId()).isEqualTo(PACK.commit());
        assertThat(has(other, PACK.commit())).isTrue();
      }
      gate.open.countDown();
      assertThatThrownBy(updating::get).hasStackTraceContaining("outcome unknown");
      gate.writes = Writes.GOOD;
    }
    try (S3Repository r = manager.openRepository("r", Purpose.request())) {
      assertThat(r.getObjectDatabase().mayKnowHidden()).isFalse();
    }
  }

  @Test
  void a_validation_is_not_forgotten_for_one_that_began_before_and_ends_later() throws Exception {
    List<Future<Integer>> again = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      again.add(threads.submit(this::validateTwice));
    }
    for (Future<Integer> each : again) {
      assertThat(each.get()).isZero();
    }
  }

  /** Opens the repository for requests, twice each; returns the reads of the second times. */
  private int validateTwice() throws IOException {
    int again = 0;
    for (int i = 0; i < 300; i++) {
      long moment = System.nanoTime();
      manager.openRepository("r", Purpose.request(moment)).close();
      int before = gate.byThread.get().get();
      manager.openRepository("r", Purpose.request(moment)).close();
      again += gate.byThread.get().get() - before;
    }
    return again;
  }
}
