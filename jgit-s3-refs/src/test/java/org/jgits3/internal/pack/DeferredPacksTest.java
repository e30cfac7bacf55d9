// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.eclipse.jgit.events.ListenerHandle;
import org.eclipse.jgit.internal.storage.dfs.DfsGarbageCollector;
import org.eclipse.jgit.internal.storage.dfs.DfsPackCompactor;
import org.eclipse.jgit.internal.storage.dfs.DfsPackFile;
import org.eclipse.jgit.internal.storage.dfs.DfsPacksChangedListener;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.CommitBuilder;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.RefUpdate.Result;
import org.eclipse.jgit.lib.TreeFormatter;
import org.eclipse.jgit.revwalk.ObjectWalk;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.eclipse.jgit.transport.RefSpec;
import org.eclipse.jgit.transport.TestProtocol;
import org.eclipse.jgit.transport.Transport;
import org.eclipse.jgit.transport.UploadPack;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.TestRepositories;
import org.jgits3.internal.commit.CommitPolicy;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.FaultInjectingObjectStore;
import org.jgits3.store.FaultInjectingObjectStore.Fault;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.RequestKind;
import org.jgits3.store.StoreException;
import org.jgits3.testing.FillsTheHeap;
import org.jgits3.testing.FullHeap;
import org.jgits3.testing.PackBytes;
import org.jgits3.testing.Seeds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Packs that are published together with refs: who sees them when, and that no ref ever leads to an
 * object that no listed pack has. P0, P1 and P2 are the interleavings of that name in the model of
 * two writers of one object.
 */
@Timeout(120) // threads wait for each other
class DeferredPacksTest {
  private static final String MAIN = "refs/heads/main";
  private static final String OTHER = "refs/heads/other";
  private static final PackBytes PACK = pack(1);

  @TempDir Path directory;
  private final RequestCounts counts = new RequestCounts();
  private DirectoryObjectStore store;
  private GatedStore gate;
  private S3RepositoryManager manager;
  private S3RepositoryManager elsewhere;

  private static PackBytes pack(long seed) {
    try {
      return PackBytes.ofSize(1_000, seed);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** A store whose next conditional write waits until the test lets it go. */
  private static final class GatedStore extends DelegatingObjectStore {
    private final AtomicReference<CountDownLatch> gate = new AtomicReference<>();
    private final CountDownLatch reached = new CountDownLatch(1);
    private boolean refuses;

    GatedStore(DirectoryObjectStore store) {
      super(store);
    }

    @Override
    public PutOutcome putIf(String key, byte[] body, Precondition precondition) throws IOException {
      if (refuses) {
        refuses = false;
        throw new StoreException.Refused(key, key + ": refused once", null);
      }
      CountDownLatch closed = gate.getAndSet(null);
      if (closed != null) {
        reached.countDown();
        try {
          closed.await();
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      }
      return super.putIf(key, body, precondition);
    }
  }

  @BeforeEach
  void open() throws Exception {
    store = new DirectoryObjectStore(directory);
    gate = new GatedStore(store);
    manager = TestRepositories.manager(new ObservedObjectStore(gate, counts));
    elsewhere = TestRepositories.manager(new DirectoryObjectStore(directory));
    manager.createRepository("r").close();
  }

  @AfterEach
  void close() throws IOException {
    manager.close();
    elsewhere.close();
  }

  private static S3Repository push(S3RepositoryManager manager) throws IOException {
    S3Repository repository = manager.openForRequest("r");
    repository.getObjectDatabase().deferReceivedPacks();
    return repository;
  }

  private static ObjectId receive(S3Repository repository, PackBytes pack) throws IOException {
    return pack.pushTo(repository);
  }

  private static Result update(S3Repository repository, String name, ObjectId id)
      throws IOException {
    RefUpdate update = repository.updateRef(name);
    update.setNewObjectId(id);
    update.setExpectedOldObjectId(ObjectId.zeroId());
    return update.update();
  }

  private static boolean has(S3Repository repository, ObjectId id) throws IOException {
    try (var reader = repository.newObjectReader()) {
      return reader.has(id);
    }
  }

  private List<PackEntry> listed() throws IOException {
    try (S3Repository r = elsewhere.openForRequest("r")) {
      return r.manifest().packs();
    }
  }

  /** Every object that a ref leads to can be read by a process that knows nothing yet. */
  private void everythingIsThere() throws Exception {
    try (S3RepositoryManager fresh = TestRepositories.manager(new DirectoryObjectStore(directory));
        S3Repository r = fresh.openRepository("r");
        ObjectWalk walk = new ObjectWalk(r)) {
      for (Ref ref : r.getRefDatabase().getRefsByPrefix("refs/")) {
        walk.markStart(walk.parseAny(ref.getObjectId()));
      }
      walk.checkConnectivity();
      for (PackEntry pack : r.manifest().packs()) {
        for (String key : pack.objectSizes(r.manifest().repositoryId()).keySet()) {
          assertThat(store.stat(key)).as(key).isPresent();
        }
      }
    }
  }

  private long packObjects() throws IOException {
    List<String> keys = new ArrayList<>();
    store.list("objects/", o -> keys.add(o.key()));
    return keys.stream().filter(key -> key.contains("/pack/")).count();
  }

  @Test
  void P2_a_received_pack_is_seen_by_its_own_handle_until_one_write_publishes_it_with_the_ref()
      throws Exception {
    try (S3Repository pushed = push(manager);
        S3Repository other = manager.openRepository("r")) {
      receive(pushed, PACK);
      assertThat(has(pushed, PACK.commit())).isTrue();
      assertThat(listed()).isEmpty();
      assertThat(other.getObjectDatabase().getPacks()).isEmpty();
      assertThat(other.getObjectDatabase().has(PACK.commit(), false)).as("a writer").isFalse();

      RequestCounts.Snapshot before = counts.snapshot();
      assertThat(update(pushed, MAIN, PACK.commit())).isEqualTo(Result.NEW);
      assertThat(counts.snapshot().since(before)).hasToString("1 request: 1 PUT_IF");
      assertThat(listed()).hasSize(1);
      assertThat(other.getObjectDatabase().getPacks()).hasSize(1);
      assertThat(pushed.getObjectDatabase().getPacks()).hasSize(1);
    }
    everythingIsThere();
  }

  @Test
  void P0_a_pack_is_published_before_another_handle_sees_an_object_of_it() throws Exception {
    try (S3Repository other = manager.openRepository("r")) {
      try (S3Repository pushed = push(manager)) {
        receive(pushed, PACK);
        assertThat(has(other, PACK.commit())).isTrue();
        assertThat(listed()).hasSize(1);
        assertThat(update(other, OTHER, PACK.commit())).isEqualTo(Result.NEW);
        everythingIsThere();
        assertThat(update(pushed, MAIN, PACK.commit())).isEqualTo(Result.NEW);
        assertThat(listed()).hasSize(1);
      }
    }
    everythingIsThere();
  }

  @Test
  void P1_a_push_that_is_refused_takes_nothing_away_from_those_who_saw_its_pack() throws Exception {
    try (S3Repository other = manager.openRepository("r")) {
      try (S3Repository pushed = push(manager)) {
        receive(pushed, PACK);
        assertThat(other.parseCommit(PACK.commit()).getFullMessage()).startsWith("of ");
        RefUpdate refused = pushed.updateRef(MAIN);
        refused.setNewObjectId(PACK.commit());
        refused.setExpectedOldObjectId(PACK.commit());
        assertThat(refused.update()).isEqualTo(Result.LOCK_FAILURE);
      }
      assertThat(update(other, OTHER, PACK.commit())).isEqualTo(Result.NEW);
    }
    everythingIsThere();
  }

  /** The whole model: two pushes of one object, in every order, each done or refused. */
  @ParameterizedTest
  @ValueSource(strings = {"0011", "0101", "0110", "1001", "1010", "1100"})
  void every_order_of_two_pushes_of_one_object(String order) throws Exception {
    for (int done = 0; done < 4; done++) {
      String name = "r" + order + done;
      manager.createRepository(name).close();
      S3Repository[] pushes = new S3Repository[2];
      for (int step = 0; step < order.length(); step++) {
        int i = order.charAt(step) - '0';
        if (pushes[i] == null) {
          pushes[i] = manager.openForRequest(name);
          pushes[i].getObjectDatabase().deferReceivedPacks();
          if (!has(pushes[i], PACK.commit())) {
            receive(pushes[i], PACK);
          }
        } else {
          if ((done >> i & 1) == 1) {
            assertThat(update(pushes[i], "refs/heads/" + i, PACK.commit())).isEqualTo(Result.NEW);
          }
          pushes[i].close();
        }
      }
      try (S3RepositoryManager fresh =
              TestRepositories.manager(new DirectoryObjectStore(directory));
          S3Repository r = fresh.openRepository(name)) {
        assertThat(r.getRefDatabase().getRefsByPrefix("refs/")).hasSize(Integer.bitCount(done));
        if (done > 0) {
          assertThat(r.parseCommit(PACK.commit()).getTree()).isNotNull();
        }
      }
    }
  }

  @Test
  void a_refused_push_publishes_nothing_and_leaves_nothing() throws Exception {
    try (S3Repository pushed = push(manager)) {
      receive(pushed, PACK);
      RefUpdate refused = pushed.updateRef(MAIN);
      refused.setNewObjectId(PACK.commit());
      refused.setExpectedOldObjectId(PACK.commit());
      assertThat(refused.update()).isEqualTo(Result.LOCK_FAILURE);
      assertThat(packObjects()).isEqualTo(1);
    }
    assertThat(packObjects()).isZero();
    assertThat(listed()).isEmpty();
    try (S3Repository other = manager.openRepository("r")) {
      assertThat(has(other, PACK.commit())).isFalse();
    }
  }

  @Test
  void P3_a_pack_that_rests_on_a_hidden_one_is_listed_together_with_it() throws Exception {
    try (S3Repository pushed = push(manager)) {
      receive(pushed, PACK);
      RequestCounts.Snapshot before = counts.snapshot();
      ObjectId top = TestRepositories.commit(pushed, "on top", PACK.commit());
      assertThat(counts.snapshot().since(before).of(RequestKind.PUT_IF)).isEqualTo(1);
      try (S3Repository there = elsewhere.openForRequest("r")) {
        assertThat(update(there, OTHER, top)).isEqualTo(Result.NEW);
      }
      refuse(pushed);
    }
    everythingIsThere();
  }

  @Test
  void P3_a_tree_of_hidden_files_is_listed_together_with_them() throws Exception {
    try (S3Repository pushed = push(manager)) {
      receive(pushed, PACK);
      ObjectId tree;
      try (ObjectInserter inserter = pushed.newObjectInserter()) {
        TreeFormatter formatter = new TreeFormatter();
        formatter.append("pushed", FileMode.TREE, pushed.parseCommit(PACK.commit()).getTree());
        tree = inserter.insert(formatter);
        inserter.flush();
      }
      try (S3Repository there = elsewhere.openForRequest("r")) {
        assertThat(update(there, "refs/meta/tree", tree)).isEqualTo(Result.NEW);
      }
      refuse(pushed);
    }
    everythingIsThere();
  }

  @Test
  void P4_what_is_written_on_top_of_a_hidden_object_publishes_it_though_nobody_looked_at_it()
      throws Exception {
    try (S3Repository hook = manager.openRepository("r")) {
      ObjectId top;
      try (S3Repository pushed = push(manager)) {
        receive(pushed, PACK);
        top = TestRepositories.commit(hook, "on top", PACK.commit());
        refuse(pushed);
      }
      assertThat(update(hook, OTHER, top)).isEqualTo(Result.NEW);
    }
    everythingIsThere();
  }

  @Test
  void P5_a_ref_that_a_hook_sets_through_another_handle_by_the_walk_of_the_push_publishes_its_pack()
      throws Exception {
    try (S3Repository hook = manager.openRepository("r")) {
      try (S3Repository pushed = push(manager);
          RevWalk walk = new RevWalk(pushed)) {
        receive(pushed, PACK);
        walk.parseBody(walk.parseCommit(PACK.commit()));
        RefUpdate update = hook.updateRef(OTHER);
        update.setNewObjectId(PACK.commit());
        assertThat(update.update(walk)).isEqualTo(Result.NEW);
        refuse(pushed);
      }
    }
    everythingIsThere();
  }

  @Test
  void P5_no_ref_is_set_to_what_a_refused_push_has_brought() throws Exception {
    try (S3Repository hook = manager.openRepository("r")) {
      S3Repository pushed = push(manager);
      try (RevWalk walk = new RevWalk(pushed)) {
        receive(pushed, PACK);
        walk.parseBody(walk.parseCommit(PACK.commit()));
        pushed.close();
        RefUpdate update = hook.updateRef(OTHER);
        update.setNewObjectId(PACK.commit());
        assertThatThrownBy(() -> update.update(walk))
            .isInstanceOf(IOException.class)
            .hasMessageContaining(PACK.commit().name());
      }
      assertThat(hook.exactRef(OTHER)).isNull();
    }
    everythingIsThere();
  }

  @Test
  void what_a_handle_of_a_push_fetches_is_there_without_a_ref_as_through_any_handle()
      throws Exception {
    try (S3Repository upstream = manager.createRepository("upstream")) {
      receive(upstream, PACK);
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
    try (S3Repository r = elsewhere.openRepository("r")) {
      assertThat(has(r, PACK.commit())).isTrue();
    }
  }

  @Test
  void what_a_hook_fetches_on_top_of_a_hidden_pack_is_listed_together_with_it() throws Exception {
    try (S3Repository pushed = push(manager)) {
      receive(pushed, PACK);
      PackBytes child = PackBytes.childOf(PACK.commit());
      child.fetchTo(pushed);
      try (S3Repository there = elsewhere.openForRequest("r")) {
        assertThat(update(there, OTHER, child.commit())).isEqualTo(Result.NEW);
      }
      refuse(pushed);
    }
    everythingIsThere();
  }

  private static void refuse(S3Repository pushed) throws IOException {
    RefUpdate refused = pushed.updateRef(MAIN);
    refused.setNewObjectId(PACK.commit());
    refused.setExpectedOldObjectId(PACK.commit());
    assertThat(refused.update()).isEqualTo(Result.LOCK_FAILURE);
  }

  @Test
  void refs_that_a_hook_changes_publish_nothing_of_a_push_that_is_refused() throws Exception {
    try (S3Repository other = manager.openRepository("r")) {
      update(other, OTHER, TestRepositories.commit(other, "other"));
    }
    try (S3Repository pushed = push(manager)) {
      receive(pushed, PACK);
      ObjectId note = TestRepositories.commit(pushed, "pushes: 1");
      assertThat(update(pushed, "refs/meta/pushes", note)).isEqualTo(Result.NEW);
      RefUpdate delete = pushed.updateRef(OTHER);
      delete.setForceUpdate(true);
      assertThat(delete.delete()).isEqualTo(Result.FORCED);
      refuse(pushed);
      RefUpdate counted = pushed.updateRef("refs/meta/pushes");
      counted.setNewObjectId(TestRepositories.commit(pushed, "pushes: 2", note));
      assertThat(counted.update()).isEqualTo(Result.FAST_FORWARD);
    }
    assertThat(listed()).extracting(PackEntry::source).containsOnly("INSERT");
    try (S3Repository r = elsewhere.openRepository("r")) {
      assertThat(has(r, PACK.commit())).isFalse();
    }
    everythingIsThere();
  }

  @Test
  void what_a_hook_changes_is_looked_at_against_refs_of_one_moment_however_much_it_is()
      throws Exception {
    try (S3Repository lasting = manager.openRepository("r")) {
      lasting.getObjectDatabase().deferReceivedPacks();
      ObjectId note = TestRepositories.commit(lasting, "pushes: 0");
      for (int i = 1; i < 20; i++) {
        note = TestRepositories.commit(lasting, "pushes: " + i, note);
      }
      receive(lasting, PACK);
      RequestCounts.Snapshot before = counts.snapshot();
      assertThat(update(lasting, "refs/meta/pushes", note)).isEqualTo(Result.NEW);
      assertThat(counts.snapshot().since(before)).hasToString("2 requests: 1 GET, 1 PUT_IF");
      assertThat(listed()).extracting(PackEntry::source).containsOnly("INSERT");
    }
    everythingIsThere();
  }

  @Test
  void a_ref_that_a_hook_leads_into_the_pack_by_way_of_its_own_commit_publishes_it()
      throws Exception {
    try (S3Repository pushed = push(manager)) {
      receive(pushed, PACK);
      ObjectId merge = TestRepositories.commit(pushed, "merged", PACK.commit());
      assertThat(update(pushed, "refs/meta/merged", merge)).isEqualTo(Result.NEW);
      refuse(pushed);
    }
    assertThat(listed())
        .extracting(PackEntry::source)
        .containsExactlyInAnyOrder("INSERT", "RECEIVE");
    everythingIsThere();
  }

  @Test
  void a_closed_handle_commits_no_ref_into_a_pack_it_has_forgotten() throws Exception {
    S3Repository pushed = push(manager);
    receive(pushed, PACK);
    BatchRefUpdate batch = pushed.getRefDatabase().newBatchUpdate();
    batch.addCommand(new ReceiveCommand(ObjectId.zeroId(), PACK.commit(), MAIN));
    try (RevWalk walk = new RevWalk(pushed)) {
      walk.parseCommit(PACK.commit()); // so that the walk still knows it below
      pushed.close();
      batch.execute(walk, NullProgressMonitor.INSTANCE);
    }
    assertThat(batch.getCommands().get(0).getResult()).isNotEqualTo(ReceiveCommand.Result.OK);
    everythingIsThere();
  }

  @Test
  @FillsTheHeap
  void whoever_waits_for_a_pack_goes_on_though_the_heap_was_full_when_it_was_decided()
      throws Exception {
    assertThat(FullHeap.run(FullHeapSettleProcess.class).lines()).containsExactly("true", "true");
  }

  @Test
  void whoever_misses_an_object_waits_for_the_ref_update_that_is_publishing_it() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try (S3Repository pushed = push(manager);
        S3Repository other = manager.openRepository("r")) {
      receive(pushed, PACK);
      CountDownLatch closed = new CountDownLatch(1);
      gate.gate.set(closed);
      long before = counts.snapshot().of(RequestKind.PUT_IF);
      Future<Result> updating = threads.submit(() -> update(pushed, MAIN, PACK.commit()));
      gate.reached.await();
      AtomicReference<Thread> reader = new AtomicReference<>();
      Future<Boolean> reading =
          threads.submit(
              () -> {
                reader.set(Thread.currentThread());
                return has(other, PACK.commit());
              });
      while (reader.get() == null || reader.get().getState() != Thread.State.WAITING) {
        Thread.onSpinWait();
      }
      closed.countDown();
      assertThat(updating.get()).isEqualTo(Result.NEW);
      assertThat(reading.get()).isTrue();
      assertThat(counts.snapshot().of(RequestKind.PUT_IF) - before).isEqualTo(1);
      assertThat(listed()).hasSize(1);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void a_pack_that_was_published_and_replaced_meanwhile_is_not_listed_again() throws Exception {
    try (S3Repository pushed = push(manager);
        S3Repository other = manager.openRepository("r")) {
      receive(pushed, PACK);
      assertThat(has(other, PACK.commit())).isTrue();
      assertThat(update(other, OTHER, PACK.commit())).isEqualTo(Result.NEW);
      String published = listed().get(0).id();
      try (S3Repository there = elsewhere.openRepository("r")) {
        assertThat(new DfsGarbageCollector(there).pack(NullProgressMonitor.INSTANCE)).isTrue();
      }
      other.scanForRepoChanges();
      assertThat(update(pushed, MAIN, PACK.commit())).isEqualTo(Result.NEW);
      assertThat(listed()).extracting(PackEntry::id).doesNotContain(published);
    }
    everythingIsThere();
  }

  @Test
  void a_pack_that_is_rolled_back_after_it_was_taken_is_never_listed() throws Exception {
    try (S3Repository pushed = push(manager);
        S3Repository other = manager.openRepository("r")) {
      assertThat(has(pushed, PACK.commit())).isFalse(); // it knows its packs from now on
      ListenerHandle failing =
          pushed
              .getListenerList()
              .addListener(
                  DfsPacksChangedListener.class,
                  event -> {
                    throw new IllegalStateException("listener");
                  });
      assertThatThrownBy(() -> receive(pushed, PACK)).hasMessage("listener");
      failing.remove();
      assertThat(packObjects()).isZero();
      assertThat(has(other, PACK.commit())).isFalse();
      ObjectId theirs = TestRepositories.commit(other, "theirs");
      assertThatThrownBy(() -> update(pushed, MAIN, theirs))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("may not have been published");
      assertThat(update(other, OTHER, theirs)).isEqualTo(Result.NEW);
    }
    everythingIsThere();
  }

  @Test
  void a_handle_whose_pack_is_in_doubt_commits_nothing_unless_it_is_listed() throws Exception {
    Config config = new Config();
    config.setString("s3", null, "commitDeadline", "300 ms");
    FaultInjectingObjectStore deaf = new FaultInjectingObjectStore(store, 1, 0);
    Fault[] faults = new Fault[1000];
    Arrays.fill(faults, Fault.FAIL_BEFORE);
    deaf.script(RequestKind.PUT_IF, faults);
    try (S3RepositoryManager undecided =
        new S3RepositoryManager(deaf, S3Settings.from(config, "test"))) {
      try (S3Repository pushed = push(undecided)) {
        receive(pushed, PACK);
        assertThatThrownBy(() -> update(pushed, MAIN, PACK.commit()))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("outcome unknown");
        deaf.script(RequestKind.PUT_IF); // from now on it is heard
        assertThatThrownBy(() -> update(pushed, OTHER, PACK.commit()))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("may not have been published");
      }
      assertThat(packObjects()).as("it may have been listed").isEqualTo(1);
    }
    everythingIsThere();
  }

  @Test
  void a_pack_that_took_so_long_that_a_sweep_may_have_passed_it_is_refused_with_its_refs()
      throws Exception {
    try (S3Repository other = manager.openRepository("r")) {
      try (S3Repository pushed = push(manager)) {
        receive(pushed, PACK);
        moveBoundary();
        assertThat(has(other, PACK.commit())).as("no fault of the one who looks").isFalse();
        assertThatThrownBy(() -> update(pushed, MAIN, PACK.commit()))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("sweep boundary");
      }
    }
    assertThat(listed()).isEmpty();
    everythingIsThere();
  }

  /** Does to the manifest what a sweep does. */
  private void moveBoundary() throws IOException {
    try (ManifestCommitter committer =
        new ManifestCommitter(store, RepositoryName.of("r"), CommitPolicy.DEFAULT)) {
      committer.<Boolean>commit(
          base -> Proposal.edit(base.withSweepBoundary(base.generation()), true));
    }
  }

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

  private S3Repository inserting() throws IOException {
    S3Repository repository = manager.openForRequest("r");
    repository.getObjectDatabase().deferInsertedPacks();
    return repository;
  }

  @Test
  void what_is_inserted_is_listed_by_the_write_that_moves_its_ref() throws Exception {
    try (S3Repository r = inserting()) {
      ObjectId inserted = TestRepositories.commit(r, "inserted");
      assertThat(has(r, inserted)).isTrue();
      assertThat(listed()).isEmpty();
      RequestCounts.Snapshot before = counts.snapshot();
      assertThat(update(r, MAIN, inserted)).isEqualTo(Result.NEW);
      assertThat(counts.snapshot().since(before)).hasToString("1 request: 1 PUT_IF");
      assertThat(listed()).hasSize(1);
    }
    everythingIsThere();
  }

  @Test
  void what_is_inserted_is_there_for_other_handles_of_the_process_at_once() throws Exception {
    try (S3Repository r = inserting();
        S3Repository other = manager.openRepository("r")) {
      ObjectId inserted = TestRepositories.commit(r, "inserted");
      assertThat(other.parseCommit(inserted).getFullMessage()).isEqualTo("inserted");
      assertThat(update(other, OTHER, inserted)).isEqualTo(Result.NEW);
    }
    everythingIsThere();
  }

  @Test
  void what_is_inserted_is_published_when_the_handle_is_closed_without_a_ref() throws Exception {
    ObjectId inserted;
    try (S3Repository r = inserting()) {
      inserted = TestRepositories.commit(r, "inserted");
      assertThat(listed()).isEmpty();
    }
    assertThat(listed()).hasSize(1);
    try (S3Repository there = elsewhere.openForRequest("r")) {
      assertThat(update(there, OTHER, inserted)).isEqualTo(Result.NEW);
    }
    everythingIsThere();
  }

  @Test
  void what_is_inserted_is_published_though_what_was_inserted_before_could_not_be()
      throws Exception {
    ObjectId second;
    try (S3Repository r = inserting();
        ObjectInserter inserter = r.newObjectInserter()) {
      inserter.insert(Constants.OBJ_BLOB, new byte[] {1});
      inserter.flush();
      second = inserter.insert(Constants.OBJ_BLOB, new byte[] {2});
      inserter.flush();
      assertThat(listed()).isEmpty();
      gate.refuses = true;
    }
    assertThat(listed()).hasSize(1);
    try (S3Repository there = elsewhere.openForRequest("r")) {
      assertThat(has(there, second)).isTrue();
    }
  }

  @Test
  void no_ref_is_set_to_what_was_inserted_and_could_not_be_published() throws Exception {
    try (S3Repository other = manager.openRepository("r")) {
      ObjectId inserted;
      try (S3Repository r = inserting()) {
        inserted = TestRepositories.commit(r, "inserted");
        moveBoundary();
      }
      assertThat(listed()).isEmpty();
      assertThat(update(other, OTHER, inserted)).isEqualTo(Result.REJECTED_MISSING_OBJECT);
    }
    everythingIsThere();
  }

  /** Two users of one handle; one has it open before the pack is received, or opens it then. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void P9_what_another_user_of_a_handle_has_seen_is_not_forgotten(boolean before) throws Exception {
    try (S3Repository pushed = push(manager)) {
      assertThat(!before || pushed.reopen()).isTrue();
      receive(pushed, PACK);
      assertThat(before || pushed.reopen()).isTrue();
      assertThat(pushed.parseCommit(PACK.commit()).getFullMessage()).startsWith("of ");
      pushed.incrementOpen(); // a third one
      leave(pushed);
      leave(pushed);
      assertThat(listed()).isEmpty();
    }
    try (S3Repository later = push(manager)) {
      ObjectId top = TestRepositories.commit(later, "on top", PACK.commit());
      assertThat(update(later, OTHER, top)).isEqualTo(Result.NEW);
    }
    everythingIsThere();
  }

  @Test
  void P9_what_another_user_of_a_handle_inserts_and_was_received_is_not_forgotten()
      throws Exception {
    ObjectId tree;
    try (S3Repository pushed = push(manager)) {
      receive(pushed, PACK);
      tree = pushed.parseCommit(PACK.commit()).getTree();
      assertThat(pushed.reopen()).isTrue();
      try (ObjectInserter inserter = pushed.newObjectInserter()) {
        assertThat(inserter.insert(Constants.OBJ_TREE, pushed.open(tree).getBytes()))
            .isEqualTo(tree);
        inserter.flush();
      }
      leave(pushed);
    }
    try (S3Repository later = push(manager);
        ObjectInserter inserter = later.newObjectInserter()) {
      CommitBuilder commit = new CommitBuilder();
      commit.setTreeId(tree);
      commit.setAuthor(new PersonIdent("A U Thor", "author@example.com"));
      commit.setCommitter(commit.getAuthor());
      ObjectId id = inserter.insert(commit);
      inserter.flush();
      assertThat(update(later, OTHER, id)).isEqualTo(Result.NEW);
    }
    everythingIsThere();
  }

  @Test
  void what_a_push_brings_that_was_the_only_user_when_it_was_refused_is_forgotten()
      throws Exception {
    try (S3Repository pushed = push(manager)) {
      assertThat(pushed.reopen()).isTrue();
      leave(pushed);
      receive(pushed, PACK);
      refuse(pushed);
    }
    assertThat(packObjects()).isZero();
    assertThat(listed()).isEmpty();
  }

  /** A user of a handle closes it, and others have it open. */
  private static void leave(S3Repository handle) {
    handle.close();
  }

  @Test
  void P7_what_is_inserted_on_top_of_a_waiting_pack_is_listed_together_with_it() throws Exception {
    try (S3Repository r = inserting()) {
      ObjectId below = TestRepositories.commit(r, "below");
      RequestCounts.Snapshot before = counts.snapshot();
      ObjectId top = TestRepositories.commit(r, "on top", below);
      assertThat(counts.snapshot().since(before).of(RequestKind.PUT_IF)).isEqualTo(1);
      assertThat(listed()).hasSize(2);
      try (S3Repository there = elsewhere.openForRequest("r")) {
        assertThat(update(there, OTHER, top)).isEqualTo(Result.NEW);
      }
      moveBoundary();
    }
    everythingIsThere();
  }

  @Test
  void what_is_inserted_beside_a_received_pack_is_listed_with_it_and_its_refs() throws Exception {
    try (S3Repository r = inserting()) {
      r.getObjectDatabase().deferReceivedPacks();
      receive(r, PACK);
      ObjectId note = TestRepositories.commit(r, "a note about it");
      assertThat(listed()).isEmpty();
      BatchRefUpdate batch = r.getRefDatabase().newBatchUpdate();
      batch.addCommand(new ReceiveCommand(ObjectId.zeroId(), PACK.commit(), MAIN));
      batch.addCommand(new ReceiveCommand(ObjectId.zeroId(), note, OTHER));
      RequestCounts.Snapshot before = counts.snapshot();
      try (RevWalk walk = new RevWalk(r)) {
        batch.execute(walk, NullProgressMonitor.INSTANCE);
      }
      assertThat(counts.snapshot().since(before)).hasToString("1 request: 1 PUT_IF");
      assertThat(listed()).hasSize(2);
    }
    everythingIsThere();
  }

  @Test
  void a_handle_that_was_not_told_to_defer_publishes_what_it_receives() throws Exception {
    try (S3Repository r = manager.openRepository("r")) {
      receive(r, PACK);
      assertThat(listed()).hasSize(1);
    }
  }

  @Test
  void a_pack_is_published_with_a_batch_that_needs_a_new_snapshot_as_well() throws Exception {
    try (S3Repository pushed = push(manager)) {
      receive(pushed, PACK);
      BatchRefUpdate batch = pushed.getRefDatabase().newBatchUpdate();
      batch.addCommand(
          IntStream.range(0, 3_000)
              .mapToObj(
                  i -> new ReceiveCommand(ObjectId.zeroId(), PACK.commit(), "refs/heads/" + i))
              .toList());
      try (RevWalk walk = new RevWalk(pushed)) {
        batch.execute(walk, NullProgressMonitor.INSTANCE);
      }
      assertThat(batch.getCommands())
          .extracting(ReceiveCommand::getResult)
          .containsOnly(ReceiveCommand.Result.OK);
    }
    assertThat(listed()).hasSize(1);
    everythingIsThere();
  }

  @Seeds(4)
  void pushes_beside_collections_leave_no_ref_without_its_objects(long seed) throws Exception {
    PackBytes[] packs = {pack(11), pack(12), pack(13)};
    Map<String, ObjectId> acknowledged = new ConcurrentHashMap<>();
    Config config = new Config();
    config.setString("gc", null, "pruneExpire", "now");
    S3RepositoryManager[] processes = new S3RepositoryManager[2];
    for (int i = 0; i < processes.length; i++) {
      processes[i] =
          new S3RepositoryManager(
              new FaultInjectingObjectStore(store, seed * 10 + i, 0.05),
              S3Settings.from(config, "test"));
    }
    ExecutorService threads = Executors.newFixedThreadPool(7);
    try {
      List<Callable<Void>> pushers = new ArrayList<>();
      for (int t = 0; t < 6; t++) {
        int thread = t;
        pushers.add(
            () -> {
              Random random = new Random(seed * 100 + thread);
              pushAtRandom(processes[thread % 2], packs, thread, random, acknowledged);
              return null;
            });
      }
      pushers.add(
          () -> {
            collect(processes[0]);
            return null;
          });
      for (Future<Void> pusher : threads.invokeAll(pushers)) {
        pusher.get();
      }
    } finally {
      threads.shutdownNow();
      for (S3RepositoryManager process : processes) {
        process.close();
      }
    }
    everythingIsThere();
    assertThat(acknowledged).isNotEmpty();
    try (S3Repository r = elsewhere.openForRequest("r")) {
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
          receive(pushed, pack);
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
