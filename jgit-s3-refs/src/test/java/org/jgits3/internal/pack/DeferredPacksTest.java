// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.eclipse.jgit.events.ListenerHandle;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCacheConfig;
import org.eclipse.jgit.internal.storage.dfs.DfsGarbageCollector;
import org.eclipse.jgit.internal.storage.dfs.DfsPackCompactor;
import org.eclipse.jgit.internal.storage.dfs.DfsPackFile;
import org.eclipse.jgit.internal.storage.dfs.DfsPacksChangedListener;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.CommitBuilder;
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
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.FaultInjectingObjectStore;
import org.jgits3.store.FaultInjectingObjectStore.Fault;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.RequestKind;
import org.jgits3.store.StoreException;
import org.jgits3.testing.Holds;
import org.jgits3.testing.PackBytes;
import org.jgits3.testing.Seeds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
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
@Holds(
    "S3Inserter, S3RefDatabase, DeferredPacks: While others hide packs or are in doubt, a handle "
        + "sets refs only to objects found to be listed with all they lead to, and inserts "
        + "nothing that refers to others (P5, P10, P12)")
@Holds(
    "DeferredPacks: A handle sees another's pack only after it is published, so that it stays "
        + "(P1)")
@Timeout(120) // threads wait for each other
class DeferredPacksTest {
  private static final Set<Thread.State> WAITING =
      Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING);

  private static final String MAIN = "refs/heads/main";
  private static final String OTHER = "refs/heads/other";
  private static final PackBytes PACK = pack(1);

  @TempDir Path directory;
  private final RequestCounts counts = new RequestCounts();
  private DirectoryObjectStore store;
  private GatedStore gate;
  @AutoClose private S3RepositoryManager manager;
  @AutoClose private S3RepositoryManager elsewhere;

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
    private volatile boolean deaf;

    GatedStore(DirectoryObjectStore store) {
      super(store);
    }

    @Override
    public PutOutcome putIf(String key, byte[] body, Precondition precondition) throws IOException {
      if (refuses) {
        refuses = false;
        throw new StoreException.Refused(key, key + ": refused once", null);
      }
      if (deaf) {
        reached.countDown();
        throw new IOException(key + ": never arrived");
      }
      CountDownLatch closed = gate.getAndSet(null);
      if (closed != null) {
        reached.countDown();
        ConcurrentTasks.await(closed);
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

  private static S3Repository push(S3RepositoryManager manager) throws IOException {
    S3Repository repository = manager.openRepository("r", Purpose.request());
    repository.getObjectDatabase().deferReceivedPacks();
    return repository;
  }

  /** Opens the handle of a push that has received the pack. */
  private S3Repository received() throws IOException {
    S3Repository pushed = push(manager);
    receive(pushed, PACK);
    return pushed;
  }

  private static ObjectId receive(S3Repository repository, PackBytes pack) throws IOException {
    return pack.pushTo(repository);
  }

  static Result update(S3Repository repository, String name, ObjectId id) throws IOException {
    RefUpdate update = repository.updateRef(name);
    update.setNewObjectId(id);
    update.setExpectedOldObjectId(ObjectId.zeroId());
    return update.update();
  }

  static boolean has(S3Repository repository, ObjectId id) throws IOException {
    try (var reader = repository.newObjectReader()) {
      return reader.has(id);
    }
  }

  private List<PackEntry> listed() throws IOException {
    try (S3Repository r = elsewhere.openRepository("r", Purpose.request())) {
      return r.manifest().packs();
    }
  }

  @AfterEach
  void everythingIsThere() throws Exception {
    everythingIsThere(directory);
  }

  /** Every object that a ref leads to can be read by a process that knows nothing yet. */
  static void everythingIsThere(Path directory) throws Exception {
    DirectoryObjectStore store = new DirectoryObjectStore(directory);
    try (S3RepositoryManager fresh = TestRepositories.manager(store);
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

  /** Sets a ref in the process that knows of no deferred pack. */
  private void setElsewhere(String name, ObjectId id) throws IOException {
    try (S3Repository there = elsewhere.openRepository("r", Purpose.request())) {
      assertThat(update(there, name, id)).isEqualTo(Result.NEW);
    }
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

  private long packObjects() throws IOException {
    List<String> keys = new ArrayList<>();
    store.list("objects/", o -> keys.add(o.key()));
    return keys.stream().filter(key -> key.contains("/pack/")).count();
  }

  @Test
  void P2_only_its_own_handle_sees_a_received_pack_until_it_sets_a_ref() throws Exception {
    try (S3Repository pushed = push(manager);
        S3Repository other = manager.openRepository("r")) {
      receive(pushed, PACK);
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

  @Test
  void P0_a_pack_is_published_before_another_handle_sees_an_object_of_it() throws Exception {
    try (S3Repository other = manager.openRepository("r")) {
      try (S3Repository pushed = received()) {
        assertThat(has(other, PACK.commit())).isTrue();
        assertThat(listed()).hasSize(1);
        assertThat(update(other, OTHER, PACK.commit())).isEqualTo(Result.NEW);
        everythingIsThere();
        assertThat(update(pushed, MAIN, PACK.commit())).isEqualTo(Result.NEW);
        assertThat(listed()).hasSize(1);
      }
    }
  }

  @Test
  void P1_a_refused_push_takes_nothing_from_handles_that_saw_its_pack() throws Exception {
    try (S3Repository other = manager.openRepository("r")) {
      try (S3Repository pushed = received()) {
        assertThat(other.parseCommit(PACK.commit()).getFullMessage()).startsWith("of ");
        refuse(pushed);
      }
      assertThat(update(other, OTHER, PACK.commit())).isEqualTo(Result.NEW);
    }
  }

  /** The whole model: two pushes of one object, in every order, each done or refused. */
  @Holds(
      "S3ObjDatabase, DeferredPacks: No handle sees an object that another request hides, so "
          + "that no writer relies on it (P0)")
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
          pushes[i] = manager.openRepository(name, Purpose.request());
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

  @Holds(
      "UnlistedPack, Quarantine: A received pack is listed by the write that moves its refs. A "
          + "refused push lists nothing. (P2)")
  @Test
  void a_refused_push_publishes_nothing_and_leaves_nothing() throws Exception {
    try (S3Repository pushed = received()) {
      refuse(pushed);
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
      ObjectId tree;
      try (ObjectInserter inserter = pushed.newObjectInserter()) {
        TreeFormatter formatter = new TreeFormatter();
        formatter.append("pushed", FileMode.TREE, pushed.parseCommit(PACK.commit()).getTree());
        tree = inserter.insert(formatter);
        inserter.flush();
      }
      setElsewhere("refs/meta/tree", tree);
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
        receive(pushed, PACK);
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

  @Holds(
      "Quarantine, DeferredPacks, S3ObjDatabase: No listed object refers to a hidden one: what a "
          + "request hides is listed together, and what others hide is published before (P3, P4, "
          + "P7)")
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

  @Test
  void a_hook_that_sets_a_ref_publishes_the_pack_of_a_refused_push() throws Exception {
    try (S3Repository pushed = inserting()) {
      pushed.getObjectDatabase().deferReceivedPacks();
      receive(pushed, PACK);
      ObjectId note = TestRepositories.commit(pushed, "pushes: 1");
      updateInOneWrite(pushed, "refs/meta/pushes", note);
      refuse(pushed);
    }
    assertThat(listed()).hasSize(2);
  }

  @Test
  void a_ref_of_a_hook_to_its_own_commit_on_the_pack_publishes_it() throws Exception {
    try (S3Repository pushed = received()) {
      ObjectId merge = TestRepositories.commit(pushed, "merged", PACK.commit());
      assertThat(update(pushed, "refs/meta/merged", merge)).isEqualTo(Result.NEW);
      refuse(pushed);
    }
    assertThat(listed())
        .extracting(PackEntry::source)
        .containsExactlyInAnyOrder("INSERT", "RECEIVE");
  }

  @Holds(
      "UnlistedPack, S3ObjDatabase: Files of a deferred pack are deleted only if no commit was "
          + "or will be tried with it: it is forgotten first ([1](#notes)) (P1)")
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
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try (S3Repository pushed = push(manager);
        S3Repository other = manager.openRepository("r")) {
      receive(pushed, PACK);
      CountDownLatch closed = new CountDownLatch(1);
      gate.gate.set(closed);
      long before = counts.snapshot().of(RequestKind.PUT_IF);
      Future<Result> updating = threads.submit(() -> update(pushed, MAIN, PACK.commit()));
      gate.reached.await();
      Future<Boolean> reading = waiting(threads, () -> has(other, PACK.commit()));
      closed.countDown();
      assertThat(updating.get()).isEqualTo(Result.NEW);
      assertThat(reading.get()).isTrue();
      assertThat(counts.snapshot().of(RequestKind.PUT_IF) - before).isEqualTo(1);
      assertThat(listed()).hasSize(1);
    } finally {
      threads.shutdownNow();
    }
  }

  /** Calls something in another thread, and returns once that waits for a decision, or ends. */
  private static <T> Future<T> waiting(ExecutorService threads, Callable<T> call) {
    AtomicReference<Thread> thread = new AtomicReference<>();
    Future<T> result =
        threads.submit(
            () -> {
              thread.set(Thread.currentThread());
              return call.call();
            });
    while (!result.isDone()
        && (thread.get() == null || !WAITING.contains(thread.get().getState()))) {
      Thread.onSpinWait();
    }
    return result;
  }

  @Test
  void updates_through_one_handle_at_the_same_time_are_one_write() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(3);
    CountDownLatch closed = new CountDownLatch(1);
    try (S3Repository pushed = push(manager);
        S3Repository other = manager.openRepository("r")) {
      receive(pushed, PACK);
      ObjectId unrelated = TestRepositories.commit(other, "unrelated");
      gate.gate.set(closed);
      long before = counts.snapshot().of(RequestKind.PUT_IF);
      Future<Result> first = threads.submit(() -> update(other, "refs/heads/first", unrelated));
      gate.reached.await();
      List<Future<Result>> updates =
          List.of(
              waiting(threads, () -> update(pushed, MAIN, PACK.commit())),
              waiting(threads, () -> update(pushed, OTHER, PACK.commit())));
      closed.countDown();
      assertThat(first.get()).isEqualTo(Result.NEW);
      for (Future<Result> update : updates) {
        assertThat(update.get()).isEqualTo(Result.NEW);
      }
      assertThat(counts.snapshot().of(RequestKind.PUT_IF) - before).isEqualTo(2);
      assertThat(listed()).hasSize(2);
    } finally {
      closed.countDown();
      threads.shutdownNow();
    }
  }

  @Test
  void a_handle_that_is_closed_during_its_update_forgets_nothing() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    CountDownLatch closed = new CountDownLatch(1);
    try {
      S3Repository pushed = received();
      gate.gate.set(closed);
      Future<Result> updating = threads.submit(() -> update(pushed, MAIN, PACK.commit()));
      gate.reached.await();
      Future<Void> closing =
          waiting(
              threads,
              () -> {
                pushed.close();
                return null;
              });
      closed.countDown();
      assertThat(updating.get()).isEqualTo(Result.NEW);
      closing.get();
      assertThat(listed()).hasSize(1);
    } finally {
      closed.countDown();
      threads.shutdownNow();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void a_refused_push_leaves_nothing_though_it_was_closed_before_that(boolean receivesMore)
      throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(3);
    CountDownLatch closed = new CountDownLatch(1);
    try (S3Repository other = manager.openRepository("r")) {
      ObjectId unrelated = TestRepositories.commit(other, "unrelated");
      S3Repository pushed = received();
      gate.gate.set(closed);
      Future<Result> first = threads.submit(() -> update(other, MAIN, unrelated));
      gate.reached.await();
      Future<Result> refused = waiting(threads, () -> update(pushed, MAIN, PACK.commit()));
      if (receivesMore) {
        receive(pushed, pack(2));
      }
      Future<Void> closing =
          waiting(
              threads,
              () -> {
                pushed.close();
                return null;
              });
      closed.countDown();
      assertThat(first.get()).isEqualTo(Result.NEW);
      assertThat(refused.get()).isEqualTo(Result.LOCK_FAILURE);
      closing.get();
      assertThat(listed()).as("the unrelated one").hasSize(1);
      assertThat(other.getObjectDatabase().mayKnowHidden()).isFalse();
      assertThat(packObjects()).as("of the unrelated one").isEqualTo(1);
    } finally {
      closed.countDown();
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
  }

  @Holds(
      "Quarantine, S3ObjDatabase: A received pack that several handles of a request could see is "
          + "not forgotten, also when JGit rolls it back (P9)")
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
                    try {
                      tree[0] = insertedAgain(part, part.parseCommit(PACK.commit()).getTree());
                    } catch (IOException e) {
                      throw new AssertionError(e);
                    }
                    throw new IllegalStateException("listener");
                  });
      assertThatThrownBy(() -> receive(pushed, PACK)).hasMessage("listener");
      failing.remove();
    }
    assertCommitted(inserting(), tree[0]);
  }

  /** Inserts a tree that is there, for which nothing is written. */
  private static ObjectId insertedAgain(S3Repository repository, ObjectId tree) throws IOException {
    try (ObjectInserter inserter = repository.newObjectInserter()) {
      inserter.insert(Constants.OBJ_TREE, repository.open(tree).getBytes());
      inserter.flush();
      return tree.copy();
    }
  }

  static ObjectId commitOf(S3Repository repository, ObjectId tree) throws IOException {
    try (ObjectInserter inserter = repository.newObjectInserter()) {
      ObjectId id = insertCommit(inserter, tree);
      inserter.flush();
      return id;
    }
  }

  private static ObjectId insertCommit(ObjectInserter inserter, ObjectId tree) throws IOException {
    CommitBuilder commit = new CommitBuilder();
    commit.setTreeId(tree);
    commit.setAuthor(new PersonIdent("A U Thor", "author@example.com"));
    commit.setCommitter(commit.getAuthor());
    return inserter.insert(commit);
  }

  @Test
  void a_handle_whose_pack_is_in_doubt_commits_nothing_unless_it_is_listed() throws Exception {
    FaultInjectingObjectStore deaf = new FaultInjectingObjectStore(store, 1, 0);
    Fault[] faults = new Fault[1000];
    Arrays.fill(faults, Fault.FAIL_BEFORE);
    deaf.script(RequestKind.PUT_IF, faults);
    try (S3RepositoryManager undecided =
        TestRepositories.manager(deaf, "[s3]\ncommitDeadline = 300 ms")) {
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
          + "push. A pack that a sweep has passed is refused with its refs.")
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

  private S3Repository inserting() throws IOException {
    S3Repository repository = manager.openRepository("r", Purpose.request());
    repository.getObjectDatabase().deferInsertedPacks();
    return repository;
  }

  @Test
  void what_is_inserted_is_listed_by_the_write_that_moves_its_ref() throws Exception {
    try (S3Repository r = inserting()) {
      ObjectId inserted = TestRepositories.commit(r, "inserted");
      assertThat(has(r, inserted)).isTrue();
      assertThat(listed()).isEmpty();
      updateInOneWrite(r, MAIN, inserted);
      assertThat(listed()).hasSize(1);
    }
  }

  @Test
  void what_is_inserted_is_there_for_other_handles_of_the_process_at_once() throws Exception {
    try (S3Repository r = inserting();
        S3Repository other = manager.openRepository("r")) {
      ObjectId inserted = TestRepositories.commit(r, "inserted");
      assertThat(other.parseCommit(inserted).getFullMessage()).isEqualTo("inserted");
      assertThat(update(other, OTHER, inserted)).isEqualTo(Result.NEW);
    }
  }

  @Holds(
      "Quarantine, S3ObjDatabase: An inserted pack is published when its handle is closed at the "
          + "latest, or waits until another handle needs it (P8)")
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
  void a_pack_not_published_at_close_is_once_another_handle_needs_it() throws Exception {
    ObjectId inserted;
    try (S3Repository r = inserting()) {
      inserted = TestRepositories.commit(r, "inserted");
      gate.refuses = true;
    }
    assertThat(listed()).isEmpty();
    try (S3Repository later = inserting()) {
      ObjectId top = TestRepositories.commit(later, "on top", inserted);
      assertThat(update(later, OTHER, top)).isEqualTo(Result.NEW);
    }
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
    try (S3RepositoryManager undecided =
        TestRepositories.manager(gate, "[s3]\ncommitDeadline = 300 ms")) {
      ObjectId inserted;
      try (S3Repository r = undecided.openRepository("r", Purpose.request())) {
        r.getObjectDatabase().deferInsertedPacks();
        inserted = TestRepositories.commit(r, "inserted");
        gate.deaf = true;
      }
      gate.deaf = false;
      try (S3Repository there = elsewhere.openRepository("r", Purpose.request())) {
        update(there, MAIN, TestRepositories.commit(there, "theirs")); // so that it is decided
      }
      while (!deletes(undecided, MAIN)) {
        Thread.onSpinWait();
      }
      refusesOnTopOf(inserted, undecided);
    }
  }

  @Test
  void P10_no_handle_that_waited_writes_on_top_of_a_pack_in_doubt() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try (S3RepositoryManager undecided =
            TestRepositories.manager(gate, "[s3]\ncommitDeadline = 1 s");
        S3Repository pushed = push(undecided);
        S3Repository other = undecided.openRepository("r")) {
      receive(pushed, PACK);
      gate.deaf = true;
      Future<Result> updating = threads.submit(() -> update(pushed, MAIN, PACK.commit()));
      gate.reached.await();
      Future<ObjectId> writing =
          threads.submit(() -> TestRepositories.commit(other, "on top", PACK.commit()));
      assertThatThrownBy(updating::get).hasMessageContaining("outcome unknown");
      gate.deaf = false;
      assertThatThrownBy(writing::get)
          .satisfiesAnyOf(
              e -> assertThat(e).hasMessageContaining(PACK.commit().name()),
              // its own deadline passed before that of the push was noticed
              e -> assertThat(e).hasCauseInstanceOf(ManifestException.NotCommitted.class));
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void the_same_can_be_written_again_after_a_write_in_doubt() throws Exception {
    try (S3RepositoryManager undecided =
        TestRepositories.manager(gate, "[s3]\ncommitDeadline = 300 ms")) {
      try (S3Repository r = undecided.openRepository("r", Purpose.request())) {
        r.getObjectDatabase().deferInsertedPacks();
        gate.deaf = true;
        ObjectId first = TestRepositories.commit(r, "first");
        assertThatThrownBy(() -> update(r, MAIN, first)).isInstanceOf(IOException.class);
        gate.deaf = false;
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
      try (S3Repository r = small.openRepository("r", Purpose.request())) {
        r.getObjectDatabase().deferInsertedPacks();
        inserted = TestRepositories.commit(r, "inserted");
        gate.refuses = true;
      }
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
  void P9_what_the_handle_of_a_push_inserts_and_was_received_is_not_forgotten() throws Exception {
    ObjectId tree;
    try (S3Repository pushed = received()) {
      tree = insertedAgain(pushed, pushed.parseCommit(PACK.commit()).getTree());
    }
    assertCommitted(inserting(), tree);
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
    List<String> keys = new ArrayList<>();
    store.list("objects/", o -> keys.add(o.key()));
    store.delete(keys.stream().filter(key -> key.contains("/pack/")).toList());
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
      receive(pushed, PACK);
      part = before ? part : together(pushed);
      assertThat(part.parseCommit(PACK.commit()).getFullMessage()).startsWith("of ");
      leave(part);
      leave(part); // once too often, which is no matter to others
      assertThat(listed()).isEmpty();
    }
    try (S3Repository later = push(manager)) {
      ObjectId top = TestRepositories.commit(later, "on top", PACK.commit());
      assertThat(update(later, OTHER, top)).isEqualTo(Result.NEW);
    }
  }

  @Test
  void P9_a_received_object_inserted_by_another_handle_is_not_forgotten() throws Exception {
    ObjectId tree;
    try (S3Repository pushed = received()) {
      try (S3Repository part = together(pushed)) {
        tree = insertedAgain(part, part.parseCommit(PACK.commit()).getTree());
      }
    }
    assertCommitted(push(manager), tree);
  }

  @Holds(
      "Quarantine: The first write through a request lists all that the request hides, and a "
          + "write that changes nothing lists nothing (P8)")
  @Test
  void first_ref_set_by_any_handle_of_a_request_lists_all_it_defers() throws Exception {
    try (S3Repository pushed = push(manager);
        S3Repository part = together(pushed)) {
      receive(pushed, PACK);
      ObjectId top = TestRepositories.commit(part, "on top", PACK.commit());
      assertThat(has(pushed, top)).isTrue();
      assertThat(listed()).isEmpty();
      updateInOneWrite(pushed, MAIN, top);
      assertThat(listed()).hasSize(2);
      assertThat(update(part, OTHER, PACK.commit())).isEqualTo(Result.NEW);
    }
    assertThat(listed()).hasSize(2);
  }

  @Test
  void a_leaked_handle_keeps_no_pack_of_others_from_being_published() throws Exception {
    S3Repository leaked = inserting();
    try (S3Repository part = together(leaked)) {
      ObjectId inserted = TestRepositories.commit(part, "inserted");
      leave(part);
      assertThat(listed()).hasSize(1);
      try (S3Repository there = elsewhere.openRepository("r", Purpose.request())) {
        assertThat(has(there, inserted)).isTrue();
      }
    } finally {
      leave(leaked);
    }
  }

  @Test
  void what_is_flushed_after_its_handle_was_closed_is_published_at_once() throws Exception {
    S3Repository r = inserting();
    try (ObjectInserter inserter = r.newObjectInserter()) {
      ObjectId inserted = inserter.insert(Constants.OBJ_BLOB, new byte[] {1});
      r.close();
      inserter.flush();
      try (S3Repository there = elsewhere.openRepository("r", Purpose.request())) {
        assertThat(has(there, inserted)).isTrue();
      }
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
      receive(pushed, PACK);
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
    byte[] large = new byte[100_000];
    new Random(1).nextBytes(large);
    try (S3RepositoryManager streaming =
        TestRepositories.manager(
            new DirectoryObjectStore(directory), "[core \"dfs\"]\nstreamFileThreshold = 4k")) {
      for (int i = 0; i < 2; i++) {
        try (S3Repository r = streaming.openRepository("r", Purpose.request());
            ObjectInserter inserter = r.newObjectInserter()) {
          r.getObjectDatabase().deferInsertedPacks();
          TreeFormatter tree = new TreeFormatter();
          ByteArrayInputStream stream = new ByteArrayInputStream(large);
          tree.append(
              "f",
              FileMode.REGULAR_FILE,
              inserter.insert(Constants.OBJ_BLOB, large.length, stream));
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

  private static void leave(S3Repository handle) {
    handle.close();
  }

  /** Two inserters, the second of which refers to what the first has not flushed yet. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void P7_objects_of_two_inserters_are_listed_together(boolean first) throws Exception {
    try (S3Repository r = inserting();
        S3Repository other = manager.openRepository("r");
        ObjectInserter a = r.newObjectInserter();
        ObjectInserter b = r.newObjectInserter()) {
      TreeFormatter formatter = new TreeFormatter();
      formatter.append("f", FileMode.REGULAR_FILE, a.insert(Constants.OBJ_BLOB, new byte[] {7}));
      ObjectId top = insertCommit(b, a.insert(formatter));
      if (first) {
        a.flush();
      }
      b.flush();
      assertThat(other.parseCommit(top)).isNotNull();
      a.flush();
      setElsewhere(OTHER, top);
      everythingIsThere(); // as if this process were killed now
    }
  }

  @Test
  void P7_a_flush_after_other_packs_of_its_request_were_listed_does_not_wait() throws Exception {
    try (S3Repository r = inserting();
        ObjectInserter a = r.newObjectInserter();
        ObjectInserter b = r.newObjectInserter()) {
      TreeFormatter formatter = new TreeFormatter();
      formatter.append("f", FileMode.REGULAR_FILE, a.insert(Constants.OBJ_BLOB, new byte[] {7}));
      ObjectId top = insertCommit(b, a.insert(formatter));
      b.flush();
      assertThat(update(r, MAIN, TestRepositories.commit(r, "unrelated"))).isEqualTo(Result.NEW);
      a.flush();
      setElsewhere(OTHER, top);
      everythingIsThere(); // as if this process were killed now
    }
  }

  @Test
  void P7_a_pack_received_on_top_of_a_waiting_one_is_listed_with_it() throws Exception {
    try (S3Repository r = inserting();
        S3Repository other = manager.openRepository("r")) {
      r.getObjectDatabase().deferReceivedPacks();
      ObjectId below = TestRepositories.commit(r, "below");
      PackBytes child = PackBytes.childOf(below);
      child.pushTo(r);
      assertThat(has(other, child.commit())).isTrue();
      setElsewhere(OTHER, child.commit());
      everythingIsThere(); // as if this process were killed now
    }
  }

  @Test
  void P4_a_large_tree_of_hidden_files_publishes_them() throws Exception {
    try (S3RepositoryManager streaming =
            TestRepositories.manager(
                new DirectoryObjectStore(directory), "[core \"dfs\"]\nstreamFileThreshold = 4k");
        S3Repository pushed = push(streaming);
        S3Repository hook = streaming.openRepository("r")) {
      receive(pushed, PACK);
      ObjectId hidden = pushed.parseCommit(PACK.commit()).getTree();
      ObjectId tree;
      try (ObjectInserter inserter = hook.newObjectInserter()) {
        TreeFormatter formatter = new TreeFormatter();
        for (int i = 0; i < 1000; i++) {
          formatter.append("%05d".formatted(i), FileMode.TREE, hidden);
        }
        tree = inserter.insert(formatter);
        inserter.flush();
      }
      setElsewhere("refs/meta/tree", tree);
      everythingIsThere(); // as if this process were killed now
    }
  }

  @Test
  void P7_a_commit_inserted_on_top_of_a_waiting_pack_is_listed_with_it() throws Exception {
    try (S3Repository r = inserting();
        S3Repository other = manager.openRepository("r")) {
      ObjectId below = TestRepositories.commit(r, "below");
      ObjectId top = TestRepositories.commit(r, "on top", below);
      assertThat(listed()).isEmpty();
      assertThat(other.parseCommit(top).getFullMessage()).isEqualTo("on top");
      assertThat(listed()).hasSize(2);
      setElsewhere(OTHER, top);
      everythingIsThere(); // as if this process were killed now
    }
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
      TestRepositories.execute(r, batch);
      assertThat(counts.snapshot().since(before)).hasToString("1 request: 1 PUT_IF");
      assertThat(listed()).hasSize(2);
    }
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
    try (S3Repository pushed = received()) {
      BatchRefUpdate batch = pushed.getRefDatabase().newBatchUpdate();
      batch.addCommand(
          IntStream.range(0, 3_000)
              .mapToObj(
                  i -> new ReceiveCommand(ObjectId.zeroId(), PACK.commit(), "refs/heads/" + i))
              .toList());
      TestRepositories.execute(pushed, batch);
      TestRepositories.assertAllOk(batch);
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
