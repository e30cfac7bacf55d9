// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jgits3.internal.pack.DeferredPacksTest.commitOf;
import static org.jgits3.internal.pack.DeferredPacksTest.has;
import static org.jgits3.internal.pack.DeferredPacksTest.update;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
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
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.manifest.PackEntry;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.ReadRequest;
import org.jgits3.testing.Holds;
import org.jgits3.testing.PackBytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What waits together, beside other handles and writes in doubt. */
@Timeout(120)
class QuarantineTest {
  private static final String MAIN = "refs/heads/main";
  private static final String OTHER = "refs/heads/other";

  @TempDir Path directory;
  private DirectoryObjectStore store;
  private Faulty faulty;
  private S3RepositoryManager manager;
  private S3RepositoryManager elsewhere;
  private PackBytes pack;

  enum Mode {
    GOOD,
    /** No conditional write arrives. */
    DEAF,
    /** The next one is applied, no answer arrives, and later ones do not arrive. */
    MUTE,
    /** As MUTE, but that no answer arrives is known once {@code open} is. */
    HELD
  }

  private static final class Faulty extends DelegatingObjectStore {
    volatile Mode mode = Mode.GOOD;
    volatile String gated = "";
    final CountDownLatch reached = new CountDownLatch(1);
    final CountDownLatch open = new CountDownLatch(1);
    final List<String> reads = new CopyOnWriteArrayList<>();
    final ThreadLocal<AtomicInteger> byThread = ThreadLocal.withInitial(AtomicInteger::new);

    Faulty(DirectoryObjectStore store) {
      super(store);
    }

    @Override
    public PutOutcome putIf(String key, byte[] body, Precondition precondition) throws IOException {
      switch (mode) {
        case DEAF -> throw new IOException(key + ": never arrived");
        case MUTE -> {
          mode = Mode.DEAF;
          super.putIf(key, body, precondition);
          throw new IOException(key + ": reply lost");
        }
        case HELD -> {
          mode = Mode.DEAF;
          super.putIf(key, body, precondition);
          hold();
          throw new IOException(key + ": reply lost");
        }
        default -> {
          return super.putIf(key, body, precondition);
        }
      }
    }

    @Override
    public ObjectVersion read(ReadRequest range) throws IOException {
      reads.add(range.key());
      byThread.get().incrementAndGet();
      ObjectVersion read = super.read(range);
      if (!gated.isEmpty() && range.key().contains(gated)) {
        gated = "";
        hold();
      }
      return read;
    }

    private void hold() {
      reached.countDown();
      ConcurrentTasks.await(open);
    }

    /** Number of reads of objects whose keys have a part. */
    long reads(String part) {
      return reads.stream().filter(key -> key.contains(part)).count();
    }
  }

  @BeforeEach
  void open() throws Exception {
    pack = PackBytes.ofSize(1_000, 1);
    store = new DirectoryObjectStore(directory);
    faulty = new Faulty(store);
    manager = TestRepositories.manager(faulty, "[s3]\ncommitDeadline = 1 s");
    elsewhere = TestRepositories.manager(new DirectoryObjectStore(directory));
    elsewhere.createRepository("r").close(); // which may take longer than a second
  }

  @AfterEach
  void close() throws IOException {
    faulty.mode = Mode.GOOD;
    manager.close();
    elsewhere.close();
  }

  private S3Repository push() throws IOException {
    S3Repository repository = manager.openRepository("r", Purpose.request());
    repository.getObjectDatabase().deferReceivedPacks();
    return repository;
  }

  private S3Repository inserting() throws IOException {
    S3Repository repository = manager.openRepository("r", Purpose.request());
    repository.getObjectDatabase().deferInsertedPacks();
    return repository;
  }

  private List<PackEntry> listed() throws IOException {
    try (S3Repository r = elsewhere.openRepository("r", Purpose.request())) {
      return r.manifest().packs();
    }
  }

  private void everythingIsThere() throws Exception {
    DeferredPacksTest.everythingIsThere(directory);
  }

  private static ObjectId blobOf(S3Repository repository, ObjectId commit) throws IOException {
    try (RevWalk walk = new RevWalk(repository);
        TreeWalk tree = TreeWalk.forPath(repository, "file", walk.parseCommit(commit).getTree())) {
      return tree.getObjectId(0);
    }
  }

  /** An inserter may be given up, as that of a merge that is only tried. */
  @Test
  void P12_an_unflushed_object_of_an_inserter_is_not_enough_for_another() throws Exception {
    ObjectId top;
    try (S3Repository hook = manager.openRepository("r")) {
      try (S3Repository pushed = push()) {
        pack.pushTo(pushed);
        ObjectId blob = blobOf(pushed, pack.commit());
        try (ObjectInserter dryRun = hook.newObjectInserter()) {
          dryRun.insert(Constants.OBJ_BLOB, pushed.open(blob).getBytes());
          try (ObjectInserter inserter = hook.newObjectInserter()) {
            TreeFormatter tree = new TreeFormatter();
            tree.append("copy", FileMode.REGULAR_FILE, blob);
            ObjectId id = inserter.insert(tree);
            inserter.flush();
            top = commitOf(hook, id);
          }
        }
      } // refused
    }
    try (S3Repository there = elsewhere.openRepository("r", Purpose.request())) {
      assertThat(update(there, OTHER, top)).isEqualTo(Result.NEW);
    }
    everythingIsThere();
  }

  @Test
  void what_is_inserted_after_a_write_in_doubt_that_was_applied_is_published() throws Exception {
    ObjectId second;
    try (S3Repository r = inserting()) {
      ObjectId first = TestRepositories.commit(r, "first");
      faulty.mode = Mode.MUTE;
      assertThatThrownBy(() -> update(r, MAIN, first)).hasMessageContaining("outcome unknown");
      faulty.mode = Mode.GOOD;
      r.scanForRepoChanges();
      assertThat(r.exactRef(MAIN).getObjectId()).isEqualTo(first);
      second = TestRepositories.commit(r, "second", first);
    }
    try (S3Repository other = manager.openRepository("r", Purpose.request())) {
      assertThat(has(other, second)).isTrue();
    }
  }

  @Holds(
      "DeferredPacks, SharedPacks: Once a manifest lists a pack that was in doubt, it is a pack "
          + "like any other")
  @Test
  void an_applied_write_in_doubt_has_no_effect_once_it_is_known() throws Exception {
    try (S3Repository r = inserting()) {
      ObjectId first = TestRepositories.commit(r, "first");
      faulty.mode = Mode.MUTE;
      assertThatThrownBy(() -> update(r, MAIN, first)).hasMessageContaining("outcome unknown");
      faulty.mode = Mode.GOOD;
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
      try (S3Repository pushed = push()) {
        pack.pushTo(pushed);
        faulty.mode = Mode.MUTE;
        assertThatThrownBy(() -> update(pushed, MAIN, pack.commit()))
            .hasMessageContaining("outcome unknown");
        faulty.mode = Mode.GOOD;
      }
      reader.scanForRepoChanges();
      String id = listed().get(0).id();
      try (S3Repository there = elsewhere.openRepository("r", Purpose.request())) {
        assertThat(new DfsGarbageCollector(there).pack(NullProgressMonitor.INSTANCE)).isTrue();
      }
      List<String> keys = new ArrayList<>();
      store.list("objects/", o -> keys.add(o.key()));
      store.delete(keys.stream().filter(key -> key.contains(id)).toList());
      evict(reader);
      assertThat(reader.parseCommit(pack.commit()).getFullMessage()).startsWith("of ");
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

  @Holds("Quarantine: The packs that a request has inserted and not listed yet fit into a manifest")
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
    ExecutorService threads = Executors.newFixedThreadPool(1);
    S3Repository pushed = push();
    pack.pushTo(pushed);
    ObjectId tree = pushed.parseCommit(pack.commit()).getTree().copy();
    byte[] content = pushed.open(tree).getBytes();
    evict(pushed);
    faulty.gated = "/pack/";
    try (ObjectInserter inserter = pushed.newObjectInserter()) {
      Future<ObjectId> inserting =
          threads.submit(() -> inserter.insert(Constants.OBJ_TREE, content));
      faulty.reached.await();
      pushed.close();
      faulty.open.countDown();
      assertThat(inserting.get()).isEqualTo(tree);
      inserter.flush(); // promises that it is there
    } finally {
      threads.shutdownNow();
    }
    try (S3Repository later = inserting()) {
      assertThat(update(later, OTHER, commitOf(later, tree))).isEqualTo(Result.NEW);
    }
    everythingIsThere();
  }

  private void doubtWithoutEffect() throws Exception {
    try (S3Repository pushed = push()) {
      pack.pushTo(pushed);
      faulty.mode = Mode.DEAF;
      assertThatThrownBy(() -> update(pushed, MAIN, pack.commit()))
          .hasMessageContaining("outcome unknown");
      faulty.mode = Mode.GOOD;
    }
  }

  @Test
  void objects_of_a_pack_in_doubt_are_looked_for_without_requests() throws Exception {
    doubtWithoutEffect();
    try (S3Repository r = manager.openRepository("r", Purpose.request())) {
      faulty.reads.clear();
      for (int i = 0; i < 100; i++) {
        assertThat(has(r, pack.commit())).isFalse();
      }
      assertThat(faulty.reads("manifest")).isLessThan(5);
    }
  }

  @Test
  void a_pack_in_doubt_that_was_swept_is_looked_for_once() throws Exception {
    doubtWithoutEffect();
    List<String> keys = new ArrayList<>();
    store.list("objects/", o -> keys.add(o.key()));
    store.delete(keys);
    try (S3Repository r = manager.openRepository("r", Purpose.request());
        ObjectInserter inserter = r.newObjectInserter()) {
      evict(r);
      TreeFormatter tree = new TreeFormatter();
      for (int i = 100; i < 200; i++) {
        tree.append("file" + i, FileMode.REGULAR_FILE, ObjectId.fromString("%040x".formatted(i)));
      }
      faulty.reads.clear();
      inserter.insert(tree);
      assertThat(faulty.reads("objects/")).isLessThan(5);
    }
  }

  private void doubtSeenBefore() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(1);
    try (S3Repository pushed = push()) {
      pack.pushTo(pushed);
      faulty.mode = Mode.HELD;
      Future<Result> updating = threads.submit(() -> update(pushed, MAIN, pack.commit()));
      faulty.reached.await();
      try (S3Repository other = manager.openRepository("r", Purpose.request())) {
        assertThat(other.exactRef(MAIN).getObjectId()).isEqualTo(pack.commit());
        assertThat(has(other, pack.commit())).isTrue();
      }
      faulty.open.countDown();
      assertThatThrownBy(updating::get).hasStackTraceContaining("outcome unknown");
      faulty.mode = Mode.GOOD;
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void a_doubt_ends_at_once_if_the_manifest_was_seen_before() throws Exception {
    doubtSeenBefore();
    try (S3Repository r = manager.openRepository("r", Purpose.request())) {
      assertThat(r.getObjectDatabase().mayKnowHidden()).isFalse();
    }
  }

  @Test
  void a_validation_is_not_forgotten_for_one_that_began_before_and_ends_later() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<Integer>> again = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        again.add(threads.submit(this::validateTwice));
      }
      for (Future<Integer> each : again) {
        assertThat(each.get()).isZero();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** Opens the repository for requests, twice each; returns the reads of the second times. */
  private int validateTwice() throws IOException {
    int again = 0;
    for (int i = 0; i < 300; i++) {
      long moment = System.nanoTime();
      manager.openRepository("r", Purpose.request(moment)).close();
      int before = faulty.byThread.get().get();
      manager.openRepository("r", Purpose.request(moment)).close();
      again += faulty.byThread.get().get() - before;
    }
    return again;
  }
}
