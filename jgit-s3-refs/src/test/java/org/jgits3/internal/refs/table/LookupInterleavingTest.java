// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.TestRepositories;
import org.jgits3.TwoProcesses;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.refs.snapshot.SnapshotTables;
import org.jgits3.internal.refs.snapshot.TableCache;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.metrics.Counters;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StagedStore;
import org.jgits3.store.StagedStore.Request;
import org.jgits3.store.StagedStore.Stop;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Answers that arrive late, and look-ups that come in between. */
@Holds(
    "SharedRefs, ManifestCommitter, SharedRequest, SnapshotTables: A look-up joins only a "
        + "validation that begins after it arrived, and answers from its manifest and snapshot (F1, "
        + "F4)")
@Holds("ManifestFile, SnapshotTables: The newest manifest and table seen never go back (F2, F3)")
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD) // failing, some would go on for ever
class LookupInterleavingTest extends TwoProcesses {
  private static final String REF = "refs/heads/r";
  private static final String OTHER = "refs/heads/other";

  private final ObjectStore objects = new MemoryObjectStore();
  private final StagedStore store = new StagedStore(objects);
  private final RequestCounts counts = new RequestCounts();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Thread> started = new CopyOnWriteArrayList<>();
  private ObjectId third;

  @Override
  protected ObjectStore store() {
    return objects;
  }

  @Override
  protected ObjectStore storeHere() {
    return new ObservedObjectStore(store, counts);
  }

  @BeforeEach
  void create() throws Exception {
    third = TestRepositories.commit(there, "third", second);
    push(there, REF, first);
  }

  @AfterEach
  void end() {
    threads.shutdownNow();
  }

  private static void push(S3Repository r, String name, ObjectId id) throws IOException {
    assertThat(TestRepositories.force(r, name, id))
        .isIn(RefUpdate.Result.NEW, RefUpdate.Result.FAST_FORWARD, RefUpdate.Result.FORCED);
  }

  private ObjectId lookUp(String name) throws IOException {
    Ref ref = here.exactRef(name);
    return ref == null ? null : ref.getObjectId();
  }

  private <T> Future<T> start(Callable<T> task) {
    return threads.submit(
        () -> {
          started.add(Thread.currentThread());
          return task.call();
        });
  }

  /** Waits until threads wait for what another one does, and not for the test. */
  private void awaitWaiting(int count) {
    ConcurrentTasks.waitWhile(
        () -> started.stream().filter(LookupInterleavingTest::waits).count() < count);
  }

  private static boolean waits(Thread thread) {
    return (thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.BLOCKED)
        && Arrays.stream(thread.getStackTrace())
            .noneMatch(frame -> frame.getClassName().equals(Stop.class.getName()));
  }

  /** Starts a look-up whose answer waits, and changes the ref after the store has answered. */
  private Future<ObjectId> startAndUpdateBefore(Stop answered) throws Exception {
    lookUp(REF);
    store.after(Request.READ_MANIFEST, answered);
    Future<ObjectId> early = start(() -> lookUp(REF));
    answered.awaitReached();
    push(there, REF, second);
    return early;
  }

  @Test
  void F1_a_look_up_does_not_join_a_validation_that_began_before_it() throws Exception {
    open("always");
    Stop answered = new Stop();
    Future<ObjectId> early = startAndUpdateBefore(answered);
    long before = counts.snapshot().total();
    Future<ObjectId> late = start(() -> lookUp(REF));
    Future<ObjectId> later = start(() -> lookUp(REF));
    awaitWaiting(2);
    answered.release();

    assertThat(early.get()).isIn(first, second);
    assertThat(late.get()).isEqualTo(second);
    assertThat(later.get()).isEqualTo(second);
    assertThat(counts.snapshot().total() - before)
        .as("the early one, and one that the two share")
        .isEqualTo(2);
  }

  @Test
  void F2_an_answer_that_arrives_late_does_not_hide_an_update_made_meanwhile() throws Exception {
    open("1 h");
    push(there, OTHER, first);
    push(here, REF, second); // known now, so that nothing has to be asked for any more
    push(there, OTHER, second);
    Stop answered = new Stop();
    store.after(Request.READ_MANIFEST, answered);
    Future<Void> slow =
        start(
            () -> {
              here.scanForRepoChanges();
              return null;
            });
    answered.awaitReached();
    push(here, REF, third);
    answered.release();
    slow.get();

    assertThat(lookUp(REF)).isEqualTo(third);
  }

  private ManifestCommitter committer() {
    return StoredManifest.committer(objects, RepositoryName.of("r"), ManifestCommitter.DEADLINE);
  }

  @Test
  void F3_a_slow_reader_does_not_put_an_old_table_in_the_place_of_a_newer_one() throws Exception {
    open("always");
    there.getRefDatabase().compact();
    Manifest before = committer().validate().manifest();
    push(there, REF, second);
    there.getRefDatabase().compact();
    Manifest after = committer().validate().manifest();
    SnapshotTables tables = tables(new ObservedObjectStore(objects, counts));
    RefTable newest = tables.of(after);

    RefTable old = tables.of(before);

    assertThat(old.level(0).value(0).id()).as("what the slow reader asked for").isEqualTo(first);
    assertThat(tables.held(after.refs())).containsSame(newest);
    assertThat(tables.held(before.refs())).isEmpty();
    long requests = counts.snapshot().total();
    assertThat(tables.of(after)).isSameAs(newest);
    assertThat(counts.snapshot().total()).isEqualTo(requests);
  }

  private static SnapshotTables tables(ObjectStore store) {
    Counters metrics = new Counters();
    return new SnapshotTables(store, metrics, new TableCache(Long.MAX_VALUE, metrics), true);
  }

  @Test
  void F4_a_look_up_answers_from_the_refs_that_its_own_validation_returned() throws Exception {
    there.getRefDatabase().compact();
    push(there, OTHER, first);
    open("always");
    Stop loading = new Stop();
    store.before(Request.READ_SNAPSHOT, loading);
    Future<List<Ref>> slow = start(() -> here.getRefDatabase().getRefsByPrefix("refs/"));
    loading.awaitReached();
    // Folds OTHER: with the table that is being loaded, the newer manifest has none.
    there.getRefDatabase().compact();
    push(there, REF, second);
    manager.openRepository("r", Purpose.request()).close();
    loading.release();

    assertThat(slow.get())
        .extracting(ref -> ref.getName() + " " + ref.getObjectId().name())
        .containsExactly(OTHER + " " + first.name(), REF + " " + first.name());
    assertThat(lookUp(REF)).isEqualTo(second);
    assertThat(lookUp(OTHER)).isEqualTo(first);
  }

  @Test
  void F4_what_is_known_is_never_a_newer_manifest_with_an_older_table() throws Exception {
    there.getRefDatabase().compact();
    push(there, OTHER, first);
    open("1 h");
    assertThat(lookUp(OTHER)).isEqualTo(first);
    there.getRefDatabase().compact();
    manager.openRepository("r", Purpose.request()).close();

    assertThat(lookUp(OTHER)).isEqualTo(first);
    assertThat(lookUp(REF)).isEqualTo(first);
  }
}
