// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jgit.events.ListenerHandle;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCacheConfig;
import org.eclipse.jgit.internal.storage.dfs.DfsPackCompactor;
import org.eclipse.jgit.internal.storage.dfs.DfsPackFile;
import org.eclipse.jgit.internal.storage.dfs.DfsPacksChangedListener;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.RefUpdate.Result;
import org.eclipse.jgit.lib.TreeFormatter;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.eclipse.jgit.transport.RefSpec;
import org.eclipse.jgit.transport.TestProtocol;
import org.eclipse.jgit.transport.Transport;
import org.eclipse.jgit.transport.UploadPack;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.FaultInjectingObjectStore;
import org.jgits3.store.RequestKind;
import org.jgits3.testing.Holds;
import org.jgits3.testing.PackBytes;
import org.jgits3.testing.Seeds;
import org.jgits3.testing.aid.RandomBytes;
import org.jgits3.testing.aid.Unchecked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Packs that are published together with refs: who sees them when, and that no ref ever leads to an
 * object that no listed pack has. P0, P1 and P2 are the interleavings of that name in the model of
 * two writers of one object.
 */
@Holds(
    "S3Inserter, S3RefDatabase, DeferredPacks: While others hide packs or are in doubt, a "
        + "handle's refs and new objects refer only to objects found listed with all they lead to "
        + "(P5, P10, P12)")
@Holds(
    "DeferredPacks, S3ObjDatabase: A handle finds only objects of listed packs, and of those that "
        + "its own request hides (P0, P1, E1)")
@Holds(
    "UnlistedPack, Quarantine: The first write for a request that changes something lists all "
        + "packs that the request hides, and decides them, even in a full heap. A refused push lists "
        + "nothing. (P2, P8)")
class DeferredPacksTest extends DeferredPacksTestCase {
  private static final Set<Thread.State> WAITING =
      Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING);

  @AfterEach
  void nothingIsMissing() throws Exception {
    everythingIsThere();
  }

  /** Commits a tree through another handle, which is closed. */
  private static void assertCommitted(S3Repository handle, ObjectId tree) throws IOException {
    try (handle) {
      assertThat(update(handle, OTHER, commitOf(handle, tree))).isEqualTo(Result.NEW);
    }
  }

  private void updateInOneWrite(S3Repository handle, String name, ObjectId id) throws IOException {
    RequestCounts.Snapshot before = counts.snapshot();
    assertThat(update(handle, name, id)).isEqualTo(Result.NEW);
    assertThat(counts.snapshot().since(before)).hasToString("1 request: 1 PUT_IF");
  }

  private int packObjects() throws IOException {
    return keys("/pack/").size();
  }

  /** Has another process set a ref to objects, as if this one were killed now. */
  private void isThereIfKilledNow(String ref, ObjectId id) throws Exception {
    setElsewhere(ref, id);
    everythingIsThere();
  }

  @Test
  void P2_only_its_own_handle_sees_a_received_pack_until_it_sets_a_ref() throws Exception {
    try (S3Repository other = manager.openRepository("r");
        S3Repository pushed = received()) {
      assertThat(has(pushed, PACK.commit())).isTrue();
      assertThat(listed()).isEmpty();
      assertThat(other.getObjectDatabase().getPacks()).isEmpty();
      assertThat(other.getObjectDatabase().has(PACK.commit(), false)).as("a writer").isFalse();

      updateInOneWrite(pushed, MAIN, PACK.commit());
      assertThat(listed()).hasSize(1);
      assertThat(other.getObjectDatabase().getPacks()).hasSize(1);
      assertThat(pushed.getObjectDatabase().getPacks()).hasSize(1);
    }
  }

  /** The whole model: two pushes of one object, in every order, each done or refused. */
  @ParameterizedTest
  @ValueSource(strings = {"0011", "0101", "0110", "1001", "1010", "1100"})
  void P0_P1_every_order_of_two_pushes_of_one_object(String order) throws Exception {
    for (int done = 0; done < 4; done++) {
      String name = "r" + order + done;
      manager.createRepository(name).close();
      S3Repository[] pushes = new S3Repository[2];
      for (int step = 0; step < order.length(); step++) {
        int i = order.charAt(step) - '0';
        if (pushes[i] == null) {
          pushes[i] = manager.openRepository(name, Purpose.request());
          pushes[i].getObjectDatabase().deferReceivedPacks();
          if (!has(pushes[i], PACK.commit())) {
            PACK.pushTo(pushes[i]);
          }
        } else {
          if ((done >> i & 1) == 1) {
            assertThat(update(pushes[i], "refs/heads/" + i, PACK.commit())).isEqualTo(Result.NEW);
          }
          pushes[i].close();
        }
      }
      try (S3RepositoryManager fresh = TestRepositories.manager(directory);
          S3Repository r = fresh.openRepository(name)) {
        assertThat(r.getRefDatabase().getRefsByPrefix("refs/")).hasSize(Integer.bitCount(done));
        if (done > 0) {
          assertThat(r.parseCommit(PACK.commit()).getTree()).isNotNull();
        }
      }
    }
  }

  @Test
  void P3_a_pack_that_rests_on_a_hidden_one_is_listed_together_with_it() throws Exception {
    try (S3Repository pushed = received()) {
      RequestCounts.Snapshot before = counts.snapshot();
      ObjectId top = TestRepositories.commit(pushed, "on top", PACK.commit());
      assertThat(counts.snapshot().since(before).of(RequestKind.PUT_IF)).isEqualTo(1);
      setElsewhere(OTHER, top);
      refuse(pushed);
    }
  }

  @Test
  void P3_a_tree_of_hidden_files_is_listed_together_with_them() throws Exception {
    try (S3Repository pushed = received()) {
      ObjectId hidden = pushed.parseCommit(PACK.commit()).getTree();
      TreeFormatter tree = TestRepositories.tree("pushed", FileMode.TREE, hidden);
      setElsewhere("refs/meta/tree", TestRepositories.insert(pushed, to -> to.insert(tree)));
      refuse(pushed);
    }
  }

  @Test
  void P4_a_commit_on_top_of_an_unseen_hidden_object_publishes_it() throws Exception {
    try (S3Repository hook = manager.openRepository("r")) {
      ObjectId top;
      try (S3Repository pushed = received()) {
        top = TestRepositories.commit(hook, "on top", PACK.commit());
        refuse(pushed);
      }
      assertThat(update(hook, OTHER, top)).isEqualTo(Result.NEW);
    }
  }

  @Test
  void P5_a_ref_set_by_another_handle_with_the_walk_of_a_push_publishes_it() throws Exception {
    try (S3Repository hook = manager.openRepository("r")) {
      try (S3Repository pushed = push(manager);
          RevWalk walk = new RevWalk(pushed)) {
        PACK.pushTo(pushed);
        walk.parseBody(walk.parseCommit(PACK.commit()));
        RefUpdate update = hook.updateRef(OTHER);
        update.setNewObjectId(PACK.commit());
        assertThat(update.update(walk)).isEqualTo(Result.NEW);
        refuse(pushed);
      }
    }
  }

  @Test
  void a_fetch_through_the_handle_of_a_push_is_listed_without_a_ref() throws Exception {
    try (S3Repository upstream = manager.createRepository("upstream")) {
      PACK.pushTo(upstream);
      update(upstream, MAIN, PACK.commit());
      try (S3Repository proxy = push(manager)) {
        TestProtocol<String> local =
            new TestProtocol<>((client, source) -> new UploadPack(source), null);
        try (Transport transport = local.open(local.register("r", upstream), proxy, "upstream")) {
          transport.fetch(NullProgressMonitor.INSTANCE, List.of(new RefSpec(MAIN)));
        }
        assertThat(has(proxy, PACK.commit())).isTrue();
      }
    }
    assertThat(listed()).hasSize(1);
    assertThat(isThereElsewhere(PACK.commit())).isTrue();
  }

  @Holds(
      "Quarantine, DeferredPacks, S3ObjDatabase: No listed object refers to a hidden one: packs "
          + "of a request are listed together, those of others before (P3, P4, P7)")
  @Test
  void what_a_hook_fetches_on_top_of_a_hidden_pack_is_listed_together_with_it() throws Exception {
    try (S3Repository pushed = received()) {
      PackBytes child = PackBytes.childOf(PACK.commit());
      child.fetchTo(pushed);
      setElsewhere(OTHER, child.commit());
      refuse(pushed);
    }
  }

  private static void refuse(S3Repository pushed) throws IOException {
    RefUpdate refused = pushed.updateRef(MAIN);
    refused.setNewObjectId(PACK.commit());
    refused.setExpectedOldObjectId(PACK.commit());
    assertThat(refused.update()).isEqualTo(Result.LOCK_FAILURE);
  }

  @Holds(
      "UnlistedPack, S3ObjDatabase: Files of an unlisted pack are deleted only once no commit "
          + "with it was or will be tried (P1)")
  @Test
  void a_closed_handle_commits_no_ref_into_a_pack_it_has_forgotten() throws Exception {
    S3Repository pushed = received();
    BatchRefUpdate batch = pushed.getRefDatabase().newBatchUpdate();
    batch.addCommand(new ReceiveCommand(ObjectId.zeroId(), PACK.commit(), MAIN));
    try (RevWalk walk = new RevWalk(pushed)) {
      walk.parseCommit(PACK.commit()); // so that the walk still knows it below
      pushed.close();
      batch.execute(walk, NullProgressMonitor.INSTANCE);
    }
    assertThat(batch.getCommands().get(0).getResult()).isNotEqualTo(ReceiveCommand.Result.OK);
  }

  @Test
  void a_read_of_a_missing_object_waits_for_the_update_that_publishes_it() throws Exception {
    try (S3Repository other = manager.openRepository("r");
        S3Repository pushed = received()) {
      long before = counts.snapshot().of(RequestKind.PUT_IF);
      Future<Result> updating = updateUpToGate(pushed, MAIN, PACK.commit(), Writes.GATED);
      Future<Boolean> reading = waiting(() -> has(other, PACK.commit()));
      gate.open.countDown();
      assertThat(updating.get()).isEqualTo(Result.NEW);
      assertThat(reading.get()).isTrue();
      assertThat(counts.snapshot().of(RequestKind.PUT_IF) - before).isEqualTo(1);
      assertThat(listed()).hasSize(1);
    }
  }

  /** Calls something in another thread, and returns once that waits for a decision, or ends. */
  private <T> Future<T> waiting(Callable<T> call) {
    AtomicReference<Thread> thread = new AtomicReference<>();
    Future<T> result =
        threads.submit(
            () -> {
              thread.set(Thread.currentThread());
              return call.call();
            });
    ConcurrentTasks.waitWhile(
        () ->
            !result.isDone()
                && (thread.get() == null || !WAITING.contains(thread.get().getState())));
    return result;
  }

  private Future<Void> waitingToClose(S3Repository handle) {
    return waiting(
        () -> {
          handle.close();
          return null;
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void a_refused_push_leaves_nothing_though_it_was_closed_before_that(boolean receivesMore)
      throws Exception {
    try (S3Repository other = manager.openRepository("r")) {
      ObjectId unrelated = TestRepositories.commit(other, "unrelated");
      S3Repository pushed = received();
      Future<Result> first = updateUpToGate(other, MAIN, unrelated, Writes.GATED);
      Future<Result> refused = waiting(() -> update(pushed, MAIN, PACK.commit()));
      if (receivesMore) {
        pack(2).pushTo(pushed);
      }
      Future<Void> closing = waitingToClose(pushed);
      gate.open.countDown();
      assertThat(first.get()).isEqualTo(Result.NEW);
      assertThat(refused.get()).isEqualTo(Result.LOCK_FAILURE);
      closing.get();
      assertThat(listed()).as("the unrelated one").hasSize(1);
      assertThat(other.getObjectDatabase().mayKnowHidden()).isFalse();
      assertThat(packObjects()).as("of the unrelated one").isEqualTo(1);
    }
  }

  @Holds(
      "Quarantine, S3ObjDatabase: A received pack that several handles of a request could see is "
          + "not forgotten, even if rolled back by JGit (P9)")
  @Test
  void a_pack_rolled_back_after_it_was_seen_is_not_lost() throws Exception {
    ObjectId[] tree = new ObjectId[1];
    try (S3Repository pushed = push(manager);
        S3Repository part = together(pushed)) {
      assertThat(has(pushed, PACK.commit())).isFalse(); // it knows its packs from now on
      ListenerHandle failing =
          pushed
              .getListenerList()
              .addListener(
                  DfsPacksChangedListener.class,
                  event -> {
                    tree[0] = Unchecked.call(() -> insertedAgain(part, treeOf(part)));
                    throw new IllegalStateException("listener");
                  });
      assertThatThrownBy(() -> PACK.pushTo(pushed)).hasMessage("listener");
      failing.remove();
    }
    assertCommitted(inserting(), tree[0]);
  }

  private static ObjectId treeOf(S3Repository repository) throws IOException {
    return repository.parseCommit(PACK.commit()).getTree();
  }

  /** Inserts a tree that is there, for which nothing is written. */
  private static ObjectId insertedAgain(S3Repository repository, ObjectId tree) throws IOException {
    byte[] content = repository.open(tree).getBytes();
    return TestRepositories.insert(repository, to -> to.insert(Constants.OBJ_TREE, content));
  }

  /** A process that soon gives up a write that is not answered. */
  private S3RepositoryManager undecided() throws Exception {
    return TestRepositories.manager(gate, "[s3]\ncommitDeadline = 300 ms");
  }

  @Test
  void a_pack_that_a_sweep_may_have_passed_is_refused_with_its_refs() throws Exception {
    try (S3Repository other = manager.openRepository("r")) {
      try (S3Repository pushed = received()) {
        moveBoundary();
        assertThat(has(other, PACK.commit())).as("no fault of the one who looks").isFalse();
        assertThatThrownBy(() -> update(pushed, MAIN, PACK.commit()))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("sweep boundary");
      }
    }
    assertThat(listed()).isEmpty();
  }

  /** Does to the manifest what a sweep does. */
  private void moveBoundary() throws IOException {
    try (ManifestCommitter committer =
        StoredManifest.committer(store, RepositoryName.of("r"), ManifestCommitter.DEADLINE)) {
      committer.<Boolean>commit(
          base -> Proposal.edit(base.withSweepBoundary(base.generation()), true));
    }
  }

  @Holds(
      "S3ObjDatabase, ListingRules: Names of packs are minted from a manifest validated for the "
          + "push")
  @Test
  void a_name_is_minted_from_a_manifest_that_was_validated_in_the_operation() throws Exception {
    try (S3Repository here = manager.openRepository("r");
        S3Repository there = elsewhere.openRepository("r")) {
      for (int i = 0; i < 3; i++) {
        update(there, "refs/heads/" + i, TestRepositories.commit(there, "c" + i));
      }
      long generation = there.manifest().generation();
      assertThat(here.manifest().generation()).isLessThan(generation);
      TestRepositories.commit(here, "here");
      String newest = here.manifest().packs().get(0).id();
      assertThat(ObjectNames.mintedAt(newest)).isEqualTo(generation);
    }
  }

  @Holds("S3ObjDatabase: Only packs of pushes and of inserters are deferred")
  @Test
  void commits_that_replace_packs_and_packs_that_were_not_received_never_wait() throws Exception {
    try (S3Repository r = push(manager)) {
      ObjectId first = TestRepositories.commit(r, "first");
      assertThat(listed()).hasSize(1);
      TestRepositories.commit(r, "second", first);
      DfsPackCompactor compactor = new DfsPackCompactor(r);
      for (DfsPackFile pack : r.getObjectDatabase().getPacks()) {
        compactor.add(pack);
      }
      compactor.compact(NullProgressMonitor.INSTANCE);
      assertThat(listed()).hasSize(1);
    }
  }

  @Holds(
      "Quarantine, S3ObjDatabase: An inserted pack is published at the latest when its handle is "
          + "closed or, if that fails, when another one needs it (P8)")
  @Test
  void what_is_inserted_is_published_when_the_handle_is_closed_without_a_ref() throws Exception {
    ObjectId inserted;
    try (S3Repository r = inserting()) {
      inserted = TestRepositories.commit(r, "inserted");
      assertThat(listed()).isEmpty();
    }
    assertThat(listed()).hasSize(1);
    setElsewhere(OTHER, inserted);
  }

  @Test
  void P10_no_ref_is_set_on_top_of_a_pack_not_published_in_time() throws Exception {
    try (S3Repository pushed = received()) {
      try (S3Repository part = together(pushed)) {
        assertThat(part.parseCommit(PACK.commit()).getFullMessage()).startsWith("of ");
      }
      moveBoundary();
    }
    refusesOnTopOf(PACK.commit(), manager);
  }

  @Test
  void P10_no_ref_is_set_on_top_of_what_a_write_in_doubt_has_not_published() throws Exception {
    try (S3RepositoryManager undecided = undecided()) {
      ObjectId inserted;
      try (S3Repository r = inserting(undecided)) {
        inserted = TestRepositories.commit(r, "inserted");
        gate.writes = Writes.DEAF;
      }
      gate.writes = Writes.GOOD;
      try (S3Repository there = elsewhere.openRepository("r", Purpose.request())) {
        update(there, MAIN, TestRepositories.commit(there, "theirs")); // so that it is decided
      }
      ConcurrentTasks.waitWhile(() -> !deletes(undecided, MAIN));
      refusesOnTopOf(inserted, undecided);
    }
  }

  @Test
  void P10_no_handle_that_waited_writes_on_top_of_a_pack_in_doubt() throws Exception {
    try (S3RepositoryManager undecided =
            TestRepositories.manager(gate, "[s3]\ncommitDeadline = 1 s");
        S3Repository pushed = push(undecided);
        S3Repository other = undecided.openRepository("r")) {
      PACK.pushTo(pushed);
      Future<Result> updating = updateUpToGate(pushed, MAIN, PACK.commit(), Writes.DEAF);
      Future<ObjectId> writing =
          threads.submit(() -> TestRepositories.commit(other, "on top", PACK.commit()));
      assertThatThrownBy(updating::get).hasMessageContaining("outcome unknown");
      gate.writes = Writes.GOOD;
      assertThatThrownBy(writing::get)
          .satisfiesAnyOf(
              e -> assertThat(e).hasMessageContaining(PACK.commit().name()),
              // its own deadline passed before that of the push was noticed
              e -> assertThat(e).hasCauseInstanceOf(ManifestException.NotCommitted.class));
    }
  }

  @Test
  void the_same_can_be_written_again_after_a_write_in_doubt() throws Exception {
    try (S3RepositoryManager undecided = undecided()) {
      try (S3Repository r = inserting(undecided)) {
        gate.writes = Writes.DEAF;
        ObjectId first = TestRepositories.commit(r, "first");
        assertThatThrownBy(() -> update(r, MAIN, first)).isInstanceOf(IOException.class);
        gate.writes = Writes.GOOD;
        assertThatThrownBy(() -> update(r, MAIN, TestRepositories.commit(r, "second")))
            .hasMessageContaining("may not have been published");
      }
      boolean written = false;
      while (!written) {
        try (S3Repository r = undecided.openRepository("r", Purpose.request())) {
          update(r, OTHER, TestRepositories.commit(r, "second"));
          written = r.exactRef(OTHER) != null;
        } catch (UnknownOutcomeException e) {
          assertThat(e).isNotNull(); // the write in doubt is not decided yet
        }
      }
    }
  }

  @Test
  void P10_what_waits_is_known_though_other_repositories_are_used_meanwhile() throws Exception {
    try (S3RepositoryManager small = TestRepositories.manager(gate, "[s3]\nmanifestLimit = 1")) {
      ObjectId inserted;
      try (S3Repository r = inserting(small)) {
        inserted = TestRepositories.commit(r, "inserted");
        gate.writes = Writes.REFUSED;
      }
      assertThat(listed()).isEmpty();
      small.createRepository("q").close();
      for (int i = 0; i < 5; i++) {
        small.openRepository("q", Purpose.request()).close();
        System.gc();
      }
      try (S3Repository later = small.openRepository("r", Purpose.request())) {
        ObjectId top = TestRepositories.commit(later, "on top", inserted);
        assertThat(update(later, OTHER, top)).isEqualTo(Result.NEW);
      }
    }
  }

  @Test
  void what_a_request_writes_itself_needs_no_pack_of_another() throws Exception {
    try (S3Repository r = inserting();
        S3Repository later = inserting()) {
      TestRepositories.commit(r, "waits");
      RequestCounts.Snapshot before = counts.snapshot();
      TestRepositories.commit(later, "with the same tree");
      assertThat(counts.snapshot().since(before).of(RequestKind.PUT_IF)).isZero();
    }
  }

  @Test
  void a_pack_that_was_swept_hinders_no_later_request() throws Exception {
    try (S3Repository r = inserting();
        ObjectInserter inserter = r.newObjectInserter()) {
      insertCommit(inserter, inserter.insert(new TreeFormatter()));
      DfsBlockCache.reconfigure(new DfsBlockCacheConfig()); // as if it had evicted the index
      inserter.flush();
      moveBoundary();
    }
    store.delete(keys("/pack/"));
    ObjectId[] below = {};
    for (int i = 0; i < 3; i++) {
      try (S3Repository later = inserting()) {
        ObjectId id = TestRepositories.commit(later, "innocent " + i, below);
        assertThat(update(later, "refs/heads/" + i, id)).isEqualTo(Result.NEW);
        below = new ObjectId[] {id};
      }
    }
  }

  private static boolean deletes(S3RepositoryManager process, String name) {
    try (S3Repository r = process.openRepository("r", Purpose.request())) {
      return TestRepositories.delete(r, name) == Result.FORCED;
    } catch (IOException e) {
      return false; // the write in doubt is not decided yet
    }
  }

  private void refusesOnTopOf(ObjectId lost, S3RepositoryManager process) throws Exception {
    try (S3Repository later = process.openRepository("r", Purpose.request())) {
      assertThatThrownBy(() -> update(later, OTHER, TestRepositories.commit(later, "on top", lost)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(lost.name());
    }
  }

  @Test
  void no_ref_is_set_to_what_was_inserted_and_could_not_be_published_in_time() throws Exception {
    try (S3Repository other = manager.openRepository("r")) {
      ObjectId inserted;
      try (S3Repository r = inserting()) {
        inserted = TestRepositories.commit(r, "inserted");
        moveBoundary();
      }
      assertThat(listed()).isEmpty();
      assertThat(update(other, OTHER, inserted)).isEqualTo(Result.REJECTED_MISSING_OBJECT);
    }
  }

  /** Opens another handle for the request of one, as the jar for Gerrit does. */
  private S3Repository together(S3Repository first) throws IOException {
    S3Repository next = inserting();
    next.getObjectDatabase().deferReceivedPacks();
    next.getObjectDatabase().deferTogetherWith(first.getObjectDatabase());
    return next;
  }

  /** Another handle of the request is opened before the pack is received, or then. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void P9_what_another_handle_of_the_request_has_seen_is_not_forgotten(boolean before)
      throws Exception {
    try (S3Repository pushed = push(manager)) {
      S3Repository part = before ? together(pushed) : null;
      PACK.pushTo(pushed);
      part = before ? part : together(pushed);
      assertThat(part.parseCommit(PACK.commit()).getFullMessage()).startsWith("of ");
      part.close();
      part.close(); // once too often, which is no matter to others
      assertThat(listed()).isEmpty();
    }
    try (S3Repository later = push(manager)) {
      ObjectId top = TestRepositories.commit(later, "on top", PACK.commit());
      assertThat(update(later, OTHER, top)).isEqualTo(Result.NEW);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void P9_a_received_object_inserted_by_any_handle_is_not_forgotten(boolean another)
      throws Exception {
    ObjectId tree;
    try (S3Repository pushed = received();
        S3Repository part = together(pushed)) {
      S3Repository by = another ? part : pushed;
      tree = insertedAgain(by, treeOf(by));
    }
    assertCommitted(another ? push(manager) : inserting(), tree);
  }

  @Test
  void first_ref_set_by_any_handle_of_a_request_lists_all_it_defers() throws Exception {
    try (S3Repository pushed = push(manager);
        S3Repository part = together(pushed)) {
      PACK.pushTo(pushed);
      ObjectId top = TestRepositories.commit(part, "on top", PACK.commit());
      assertThat(has(pushed, top)).isTrue();
      assertThat(listed()).isEmpty();
      updateInOneWrite(pushed, MAIN, top);
      assertThat(listed()).hasSize(2);
      assertThat(update(part, OTHER, PACK.commit())).isEqualTo(Result.NEW);
    }
    assertThat(listed()).hasSize(2);
  }

  private boolean isThereElsewhere(ObjectId id) throws IOException {
    try (S3Repository there = elsewhere.openRepository("r", Purpose.request())) {
      return has(there, id);
    }
  }

  @Test
  void a_leaked_handle_keeps_no_pack_of_others_from_being_published() throws Exception {
    S3Repository leaked = inserting();
    try (S3Repository part = together(leaked)) {
      ObjectId inserted = TestRepositories.commit(part, "inserted");
      leave(part);
      assertThat(listed()).hasSize(1);
      assertThat(isThereElsewhere(inserted)).isTrue();
    } finally {
      leaked.close();
    }
  }

  @Test
  void what_is_flushed_after_its_handle_was_closed_is_published_at_once() throws Exception {
    S3Repository r = inserting();
    try (ObjectInserter inserter = r.newObjectInserter()) {
      ObjectId inserted = inserter.insert(Constants.OBJ_BLOB, new byte[] {1});
      r.close();
      inserter.flush();
      assertThat(isThereElsewhere(inserted)).isTrue();
    }
  }

  @Test
  void a_request_that_has_forgotten_what_it_received_opens_further_handles() throws Exception {
    S3Repository pushed = received();
    pushed.close();
    assertThat(packObjects()).isZero();
    try (S3Repository next = together(pushed)) {
      assertThat(update(next, MAIN, TestRepositories.commit(next, "next"))).isEqualTo(Result.NEW);
    }
  }

  @Test
  void a_refused_push_is_forgotten_beside_an_earlier_handle_of_its_request() throws Exception {
    try (S3Repository earlier = inserting();
        S3Repository pushed = together(earlier)) {
      leave(earlier);
      PACK.pushTo(pushed);
    }
    assertThat(packObjects()).isZero();
    assertThat(listed()).isEmpty();
  }

  @Test
  void what_is_inserted_waits_again_once_all_of_the_request_is_flushed() throws Exception {
    try (S3Repository r = inserting()) {
      try (ObjectInserter unflushed = r.newObjectInserter()) {
        unflushed.insert(Constants.OBJ_BLOB, new byte[] {1});
        update(r, MAIN, TestRepositories.commit(r, "first"));
      }
      RequestCounts.Snapshot before = counts.snapshot();
      update(r, OTHER, TestRepositories.commit(r, "second"));
      assertThat(counts.snapshot().since(before).of(RequestKind.PUT_IF)).isEqualTo(1);
    }
  }

  @Test
  void a_large_file_is_written_again_after_its_pack_was_not_published() throws Exception {
    byte[] large = RandomBytes.of(100_000, 1);
    try (S3RepositoryManager streaming = streaming()) {
      for (int i = 0; i < 2; i++) {
        try (S3Repository r = inserting(streaming);
            ObjectInserter inserter = r.newObjectInserter()) {
          ByteArrayInputStream stream = new ByteArrayInputStream(large);
          ObjectId file = inserter.insert(Constants.OBJ_BLOB, large.length, stream);
          TreeFormatter tree = TestRepositories.tree("f", FileMode.REGULAR_FILE, file);
          ObjectId id = insertCommit(inserter, inserter.insert(tree));
          inserter.flush();
          if (i == 0) {
            moveBoundary();
          } else {
            assertThat(update(r, MAIN, id)).isEqualTo(Result.NEW);
          }
        }
      }
    }
  }

  /** Closes a handle that is closed again. */
  private static void leave(S3Repository handle) {
    handle.close();
  }

  /** A process for which an object is soon too large for the memory. */
  private S3RepositoryManager streaming() throws Exception {
    return TestRepositories.manager(directory, "[core \"dfs\"]\nstreamFileThreshold = 4k");
  }

  private static ObjectId insertTreeOfAFile(ObjectInserter inserter) throws IOException {
    ObjectId file = inserter.insert(Constants.OBJ_BLOB, new byte[] {7});
    return inserter.insert(TestRepositories.tree("f", FileMode.REGULAR_FILE, file));
  }

  /** Two inserters, the second of which refers to what the first has not flushed yet. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void P7_objects_of_two_inserters_are_listed_together(boolean first) throws Exception {
    try (S3Repository r = inserting();
        S3Repository other = manager.openRepository("r");
        ObjectInserter a = r.newObjectInserter();
        ObjectInserter b = r.newObjectInserter()) {
      ObjectId top = insertCommit(b, insertTreeOfAFile(a));
      if (first) {
        a.flush();
      }
      b.flush();
      assertThat(other.parseCommit(top)).isNotNull();
      a.flush();
      isThereIfKilledNow(OTHER, top);
    }
  }

  @Test
  void P7_a_flush_after_other_packs_of_its_request_were_listed_does_not_wait() throws Exception {
    try (S3Repository r = inserting();
        ObjectInserter a = r.newObjectInserter();
        ObjectInserter b = r.newObjectInserter()) {
      ObjectId top = insertCommit(b, insertTreeOfAFile(a));
      b.flush();
      assertThat(update(r, MAIN, TestRepositories.commit(r, "unrelated"))).isEqualTo(Result.NEW);
      a.flush();
      isThereIfKilledNow(OTHER, top);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void P7_a_pack_on_top_of_a_waiting_one_is_listed_with_it(boolean received) throws Exception {
    try (S3Repository r = inserting();
        S3Repository other = manager.openRepository("r")) {
      r.getObjectDatabase().deferReceivedPacks();
      ObjectId below = TestRepositories.commit(r, "below");
      ObjectId top =
          received
              ? PackBytes.childOf(below).pushTo(r)
              : TestRepositories.commit(r, "on top", below);
      assertThat(listed()).isEmpty();
      assertThat(has(other, top)).isTrue();
      assertThat(listed()).hasSize(2);
      isThereIfKilledNow(OTHER, top);
    }
  }

  @Test
  void P4_a_large_tree_of_hidden_files_publishes_them() throws Exception {
    try (S3RepositoryManager streaming = streaming();
        S3Repository pushed = push(streaming);
        S3Repository hook = streaming.openRepository("r")) {
      PACK.pushTo(pushed);
      ObjectId hidden = pushed.parseCommit(PACK.commit()).getTree();
      TreeFormatter tree = new TreeFormatter();
      for (int i = 0; i < 1000; i++) {
        tree.append("%05d".formatted(i), FileMode.TREE, hidden);
      }
      isThereIfKilledNow("refs/meta/tree", TestRepositories.insert(hook, to -> to.insert(tree)));
    }
  }

  @Test
  void a_pack_is_published_with_a_batch_that_needs_a_new_snapshot_as_well() throws Exception {
    try (S3Repository pushed = received()) {
      TestRepositories.assertAllOk(
          TestRepositories.createAll(pushed, PACK.commit(), 3_000, i -> "refs/heads/" + i));
    }
    assertThat(listed()).hasSize(1);
  }

  @Seeds(4)
  void pushes_beside_collections_leave_no_ref_without_its_objects(long seed) throws Exception {
    PackBytes[] packs = {pack(11), pack(12), pack(13)};
    Map<String, ObjectId> acknowledged = new ConcurrentHashMap<>();
    S3RepositoryManager[] processes = new S3RepositoryManager[2];
    for (int i = 0; i < processes.length; i++) {
      processes[i] =
          TestRepositories.manager(
              new FaultInjectingObjectStore(store, seed * 10 + i, 0.05), "[gc]\npruneExpire = now");
    }
    try {
      ConcurrentTasks.run(
          7,
          thread -> {
            if (thread == 6) {
              collect(processes[0]);
            } else {
              Random random = new Random(seed * 100 + thread);
              pushAtRandom(processes[thread % 2], packs, thread, random, acknowledged);
            }
          });
    } finally {
      for (S3RepositoryManager process : processes) {
        process.close();
      }
    }
    everythingIsThere();
    assertThat(acknowledged).isNotEmpty();
    try (S3Repository r = elsewhere.openRepository("r", Purpose.request())) {
      for (Map.Entry<String, ObjectId> e : acknowledged.entrySet()) {
        assertThat(r.exactRef(e.getKey()).getObjectId()).as(e.getKey()).isEqualTo(e.getValue());
      }
    }
  }

  private static void collect(S3RepositoryManager process) {
    for (int i = 0; i < 10; i++) {
      try {
        process.maintenance("r").collectGarbage(NullProgressMonitor.INSTANCE);
      } catch (IOException e) {
        // Of a store that fails at random, or because another collection was faster.
        assertThat(e).isNotNull();
      }
    }
  }

  private static void pushAtRandom(
      S3RepositoryManager process,
      PackBytes[] packs,
      int thread,
      Random random,
      Map<String, ObjectId> acknowledged) {
    for (int i = 0; i < 12; i++) {
      PackBytes pack = packs[random.nextInt(packs.length)];
      try (S3Repository pushed = push(process)) {
        Optional<ObjectId> id =
            random.nextInt(3) == 0 && !has(pushed, pack.commit())
                ? Optional.empty()
                : Optional.of(pack.commit());
        if (id.isPresent() && (random.nextBoolean() || !has(pushed, pack.commit()))) {
          pack.pushTo(pushed);
        }
        if (random.nextBoolean()) {
          pushed.getObjectDatabase().deferInsertedPacks();
          ObjectId[] below =
              id.filter(any -> random.nextBoolean()).stream().toArray(ObjectId[]::new);
          ObjectId first = TestRepositories.commit(pushed, thread + "/" + i, below);
          id =
              Optional.of(
                  random.nextBoolean() ? first : TestRepositories.commit(pushed, "top", first));
        }
        if (id.isPresent() && random.nextInt(3) > 0) {
          String name = "refs/heads/" + thread + "/" + i;
          if (update(pushed, name, id.get()) == Result.NEW) {
            acknowledged.put(name, id.get());
          }
        }
      } catch (IOException e) {
        // Of a store that fails at random; what was acknowledged is checked in the end.
        assertThat(e).isNotNull();
      }
    }
  }
}
