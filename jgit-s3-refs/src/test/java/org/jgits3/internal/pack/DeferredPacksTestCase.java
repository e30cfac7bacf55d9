// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.RefUpdate.Result;
import org.eclipse.jgit.revwalk.ObjectWalk;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.manifest.PackEntry;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.ReadRequest;
import org.jgits3.store.StoreContent;
import org.jgits3.store.StoreException;
import org.jgits3.testing.PackBytes;
import org.jgits3.testing.aid.Unchecked;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of packs that wait for refs in one process, over a store that does not answer as it should,
 * beside another process.
 */
@Timeout(120) // threads wait for each other
abstract class DeferredPacksTestCase {
  static final String MAIN = "refs/heads/main";
  static final String OTHER = "refs/heads/other";
  static final PackBytes PACK = pack(1);

  @TempDir Path directory;

  @AutoClose("shutdownNow")
  final ExecutorService threads = Executors.newCachedThreadPool();

  final RequestCounts counts = new RequestCounts();
  DirectoryObjectStore store;
  GatedStore gate;
  @AutoClose S3RepositoryManager manager;
  @AutoClose S3RepositoryManager elsewhere;

  /** What becomes of conditional writes. */
  enum Writes {
    GOOD,
    /** The next one is refused. */
    REFUSED,
    /** None arrives. */
    DEAF,
    /** The next one is applied, no answer arrives, and later ones do not arrive. */
    MUTE,
    /** As MUTE, but that no answer arrives is known once the gate is open. */
    HELD,
    /** The next one arrives once the gate is open. */
    GATED
  }

  /** A store that holds a request until a test opens its gate. */
  static final class GatedStore extends DelegatingObjectStore {
    final CountDownLatch reached = new CountDownLatch(1);
    final CountDownLatch open = new CountDownLatch(1);
    final List<String> reads = new CopyOnWriteArrayList<>();
    final ThreadLocal<AtomicInteger> byThread = ThreadLocal.withInitial(AtomicInteger::new);
    volatile Writes writes = Writes.GOOD;

    /** Part of the key of the next read that is held. */
    volatile String heldRead = "";

    GatedStore(ObjectStore store) {
      super(store);
    }

    @Override
    public PutOutcome putIf(String key, byte[] body, Precondition precondition) throws IOException {
      switch (writes) {
        case GOOD -> {}
        case REFUSED -> {
          writes = Writes.GOOD;
          throw new StoreException.Refused(key, key + ": refused once", null);
        }
        case DEAF -> {
          reached.countDown();
          throw new IOException(key + ": never arrived");
        }
        case MUTE, HELD -> {
          boolean held = writes == Writes.HELD;
          writes = Writes.DEAF;
          super.putIf(key, body, precondition);
          if (held) {
            hold();
          }
          throw new IOException(key + ": reply lost");
        }
        case GATED -> {
          writes = Writes.GOOD;
          hold();
        }
      }
      return super.putIf(key, body, precondition);
    }

    @Override
    public ObjectVersion read(ReadRequest range) throws IOException {
      reads.add(range.key());
      byThread.get().incrementAndGet();
      ObjectVersion read = super.read(range);
      if (!heldRead.isEmpty() && range.key().contains(heldRead)) {
        heldRead = "";
        hold();
      }
      return read;
    }

    private void hold() {
      reached.countDown();
      ConcurrentTasks.await(open);
    }
  }

  @BeforeEach
  void open() throws Exception {
    store = new DirectoryObjectStore(directory);
    gate = new GatedStore(store);
    manager = TestRepositories.manager(new ObservedObjectStore(gate, counts), settings());
    elsewhere = TestRepositories.manager(directory);
    elsewhere.createRepository("r").close(); // however long that takes
  }

  /** Settings of the process. */
  String settings() {
    return "";
  }

  static PackBytes pack(long seed) {
    return Unchecked.call(() -> PackBytes.ofSize(1_000, seed));
  }

  static S3Repository push(S3RepositoryManager manager) throws IOException {
    S3Repository repository = manager.openRepository("r", Purpose.request());
    repository.getObjectDatabase().deferReceivedPacks();
    return repository;
  }

  /** Opens the handle of a push that has received the pack. */
  S3Repository received() throws IOException {
    S3Repository pushed = push(manager);
    PACK.pushTo(pushed);
    return pushed;
  }

  static S3Repository inserting(S3RepositoryManager manager) throws IOException {
    S3Repository repository = manager.openRepository("r", Purpose.request());
    repository.getObjectDatabase().deferInsertedPacks();
    return repository;
  }

  S3Repository inserting() throws IOException {
    return inserting(manager);
  }

  static Result update(S3Repository repository, String name, ObjectId id) throws IOException {
    RefUpdate update = repository.updateRef(name);
    update.setNewObjectId(id);
    update.setExpectedOldObjectId(ObjectId.zeroId());
    return update.update();
  }

  /** Starts an update in another thread; returns when its write has reached the gate. */
  Future<Result> updateUpToGate(S3Repository repository, String name, ObjectId id, Writes writes)
      throws InterruptedException {
    gate.writes = writes;
    Future<Result> updating = threads.submit(() -> update(repository, name, id));
    gate.reached.await();
    return updating;
  }

  /** Sets a ref in the process that knows of no deferred pack. */
  void setElsewhere(String name, ObjectId id) throws IOException {
    try (S3Repository there = elsewhere.openRepository("r", Purpose.request())) {
      assertThat(update(there, name, id)).isEqualTo(Result.NEW);
    }
  }

  static boolean has(S3Repository repository, ObjectId id) throws IOException {
    try (var reader = repository.newObjectReader()) {
      return reader.has(id);
    }
  }

  static ObjectId commitOf(S3Repository repository, ObjectId tree) throws IOException {
    return TestRepositories.insert(repository, to -> insertCommit(to, tree));
  }

  static ObjectId insertCommit(ObjectInserter inserter, ObjectId tree) throws IOException {
    return inserter.insert(TestRepositories.commitOf(tree, "of a tree"));
  }

  List<PackEntry> listed() throws IOException {
    try (S3Repository r = elsewhere.openRepository("r", Purpose.request())) {
      return r.manifest().packs();
    }
  }

  /** Keys of the objects that have some part. */
  List<String> keys(String part) throws IOException {
    List<String> keys = StoreContent.keys(store, "objects/");
    keys.removeIf(key -> !key.contains(part));
    return keys;
  }

  /** Every object that a ref leads to can be read by a process that knows nothing yet. */
  void everythingIsThere() throws Exception {
    try (S3RepositoryManager fresh = TestRepositories.manager(directory);
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
}
