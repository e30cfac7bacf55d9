// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.function.IoConsumer;
import org.jgits3.manifest.LiveObject;
import org.jgits3.manifest.LogSegment;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.metrics.Count;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.GetResult;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.StagedStore;
import org.jgits3.store.StagedStore.Action;
import org.jgits3.store.StagedStore.Request;
import org.jgits3.store.StoreException;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/**
 * Tests of compactions beside other processes: each process sees the last acknowledged value of
 * each ref.
 */
@Holds(
    "Compaction, NewSnapshot: A compaction commits only on the tables it began with, and keeps "
        + "exactly the overlay entries that differ from the result (C1 to C4, L2, L4)")
@Holds(
    "Replacement, LargeTransaction: A fold deletes its upload only after a final refusal, never "
        + "in doubt or while it is listed (C5)")
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD) // failing, some would go on for ever
class CompactionInterleavingTest {
  static final String REF = "refs/heads/r";
  static final String OTHER = "refs/heads/other";

  final ObjectStore objects = new MemoryObjectStore();
  final StagedStore store = new StagedStore(objects);
  @AutoClose private S3RepositoryManager slowly;
  @AutoClose private S3RepositoryManager elsewhere;

  /** The handle whose compactions take long. */
  @AutoClose S3Repository slow;

  /** Another process, which acts meanwhile. */
  @AutoClose S3Repository fast;

  ObjectId a;
  ObjectId b;

  /** Values that were acknowledged last. */
  private final Map<String, ObjectId> expected = new TreeMap<>();

  @BeforeEach
  void create() throws Exception {
    slowly = TestRepositories.manager(store);
    elsewhere = TestRepositories.manager(objects);
    slow = slowly.createRepository("r");
    fast = elsewhere.openRepository("r");
    a = TestRepositories.commit(slow, "a");
    b = TestRepositories.commit(slow, "b");
    begin();
  }

  /** Makes the tables that the tests begin with. */
  void begin() throws IOException {}

  /** Tables that a manifest lists after a compaction. */
  int tables() {
    return 1;
  }

  /** Steps of others before a compaction. */
  int stepsBefore() {
    return 2;
  }

  void push(String name, ObjectId id) throws IOException {
    assertThat(TestRepositories.force(fast, name, id))
        .isIn(RefUpdate.Result.NEW, RefUpdate.Result.FORCED, RefUpdate.Result.NO_CHANGE);
    expected.put(name, id);
  }

  void delete(String name) throws IOException {
    assertThat(TestRepositories.delete(fast, name))
        .isIn(RefUpdate.Result.FORCED, RefUpdate.Result.NEW);
    expected.remove(name);
  }

  void pushBoth() throws IOException {
    push(REF, a);
    push(OTHER, a);
  }

  void moveOneAndDeleteTheOther() throws IOException {
    push(REF, b);
    delete(OTHER);
  }

  void compactSlowly() throws IOException {
    Folds.fold(slow);
  }

  void compactElsewhere() throws IOException {
    Folds.fold(fast);
  }

  void whileTheSnapshotIsUploaded(Action action) {
    store.after(Request.WRITE_SNAPSHOT, action);
  }

  void beforeTheCommit(Action action) {
    whileTheSnapshotIsUploaded(() -> store.before(Request.WRITE_MANIFEST, action));
  }

  /** Both processes, and one that has seen nothing yet, see what was acknowledged. */
  void assertNothingIsLost(String when) throws Exception {
    try (S3RepositoryManager later = TestRepositories.manager(objects);
        S3Repository fresh = later.openRepository("r")) {
      for (S3Repository r : List.of(slow, fast, fresh)) {
        assertThat(refs(r)).as(when).isEqualTo(expected);
      }
    }
  }

  private static Map<String, ObjectId> refs(S3Repository r) throws IOException {
    Map<String, ObjectId> found = new TreeMap<>();
    for (Ref ref : r.getRefDatabase().getRefsByPrefix("refs/heads/", "refs/changes/")) {
      found.put(ref.getName(), ref.getObjectId());
    }
    return found;
  }

  Set<String> objectsBelow(String part) throws IOException {
    Set<String> found = new HashSet<>();
    store.list(
        "",
        object -> {
          if (object.key().contains(part)) {
            found.add(object.key());
          }
        });
    return found;
  }

  @Test
  void C4_changes_of_others_during_the_commit_go_on_top_of_the_snapshot() throws Exception {
    pushBoth();
    beforeTheCommit(this::moveOneAndDeleteTheOther);
    compactSlowly();
    assertNothingIsLost("changed while the commit was sent");
    assertThat(objectsBelow("/refs/")).as("uploaded once").hasSize(tables());
  }

  @Test
  void C4_a_batch_with_its_own_snapshot_is_made_again_on_that_of_others() throws Exception {
    pushBoth();
    beforeTheCommit(
        () -> {
          moveOneAndDeleteTheOther();
          compactElsewhere();
        });
    createAll(slow, "refs/changes/", 3000);
    assertNothingIsLost("compacted while the batch was sent");
  }

  /** Creates so many refs in one transaction. */
  void createAll(S3Repository r, String directory, int count) throws IOException {
    assertThat(execute(r, directory, count))
        .extracting(ReceiveCommand::getResult)
        .containsOnly(ReceiveCommand.Result.OK);
  }

  private List<ReceiveCommand> execute(S3Repository r, String directory, int count)
      throws IOException {
    if (directory.equals("refs/changes/")) {
      IntStream.range(0, count).forEach(i -> expected.put(directory + i, a));
    }
    return TestRepositories.createAll(r, a, count, i -> directory + i).getCommands();
  }

  @Test
  void C5_the_slower_of_two_compactions_deletes_what_it_uploaded() throws Exception {
    push(OTHER, a);
    whileTheSnapshotIsUploaded(
        () -> {
          push(OTHER, b);
          compactElsewhere();
        });
    compactSlowly();
    assertThat(objectsBelow("/refs/")).as("those that are listed").hasSize(tables());
    assertThat(slowly.counters().of(Count.FOLDS_LOST)).isPositive();
    assertNothingIsLost("what was uploaded in vain was deleted");
  }

  @Test
  void C5_of_two_that_move_the_log_the_slower_deletes_its_segment() throws Exception {
    push(OTHER, a);
    Set<String> before = objectsBelow("/log/");
    whileTheSnapshotIsUploaded(() -> store.after(Request.WRITE_LOG, this::compactElsewhere));
    compactSlowly();
    Set<String> listed = new HashSet<>();
    String repositoryId = slow.manifest().repositoryId();
    fast.getRefDatabase().exactRef(REF); // reads the newest manifest
    for (LogSegment segment : fast.manifest().log().segments()) {
      listed.add(ObjectNames.logKey(repositoryId, segment.object().id()));
    }
    Set<String> written = objectsBelow("/log/");
    written.removeAll(before);
    assertThat(written).isEqualTo(listed);
  }

  /** Applies one write of a manifest, and answers nothing from then on. */
  private final class Silent extends DelegatingObjectStore {
    private boolean committed;

    Silent() {
      super(objects);
    }

    @Override
    public PutOutcome putIf(String key, byte[] body, Precondition precondition) throws IOException {
      if (!committed) {
        super.putIf(key, body, precondition);
      }
      committed = true;
      return new PutOutcome.Unknown("no answer", Duration.ZERO);
    }

    @Override
    public GetResult get(String key, Optional<ObjectVersion> known) throws IOException {
      if (committed) {
        throw new StoreException.Unavailable(key, "no answer", null);
      }
      return super.get(key, known);
    }
  }

  /** All that is listed stays, and the outcome is counted once. */
  private void commitInDoubt(IoConsumer<S3Repository> action) throws Exception {
    try (S3RepositoryManager cut =
            TestRepositories.manager(new Silent(), "[s3]\ncommitDeadline = 300 ms");
        S3Repository r = cut.openRepository("r")) {
      action.accept(r);
      assertThat(cut.counters().of(Count.UNKNOWN_NO_ANSWER)).isEqualTo(1);
    }
    fast.getRefDatabase().exactRef(REF); // reads the newest manifest
    for (LiveObject listed : LiveObject.of(fast.manifest())) {
      assertThat(objects.stat(listed.key())).as(listed.key()).isPresent();
    }
    assertNothingIsLost("it was committed");
  }

  @Test
  void C5_a_snapshot_whose_commit_is_in_doubt_stays() throws Exception {
    push(OTHER, a);
    commitInDoubt(
        r -> assertThatThrownBy(() -> Folds.fold(r)).isInstanceOf(UnknownOutcomeException.class));
    assertThat(objectsBelow("/refs/")).hasSize(tables());
    assertThat(fast.manifest().refs().overlay()).as("folded").isEmpty();
  }

  @Test
  void C5_a_table_of_all_refs_whose_commit_is_in_doubt_stays() throws Exception {
    push(OTHER, a);
    compactElsewhere();
    push(OTHER, b);
    commitInDoubt(
        r ->
            assertThatThrownBy(r.getRefDatabase()::compact)
                .isInstanceOf(UnknownOutcomeException.class));
    assertThat(fast.manifest().refs().hasRecent()).isFalse();
    assertThat(fast.manifest().refs().overlay()).as("folded").isEmpty();
  }

  @Test
  void C5_the_table_of_a_large_batch_whose_commit_is_in_doubt_stays() throws Exception {
    push(OTHER, a);
    commitInDoubt(
        r ->
            assertThat(execute(r, "refs/changes/", 6000))
                .extracting(ReceiveCommand::getMessage)
                .containsOnly("outcome unknown; fetch before retrying"));
    assertThat(objectsBelow("/refs/")).hasSize(tables());
  }

  /** Steps of another process. */
  private enum Step {
    PUSH_A,
    PUSH_B,
    DELETE,
    COMPACT
  }

  private void take(Step step) throws IOException {
    switch (step) {
      case PUSH_A -> push(REF, a);
      case PUSH_B -> push(REF, b);
      case DELETE -> delete(REF);
      case COMPACT -> compactElsewhere();
    }
  }

  private void takeAll(List<Step> steps) throws IOException {
    for (Step step : steps) {
      take(step);
    }
  }

  private static List<List<Step>> sequences(int length) {
    if (length == 0) {
      return List.of(List.of());
    }
    List<List<Step>> made = new ArrayList<>();
    for (List<Step> shorter : sequences(length - 1)) {
      for (Step step : Step.values()) {
        List<Step> longer = new ArrayList<>(shorter);
        longer.add(step);
        made.add(longer);
      }
    }
    return made;
  }

  /**
   * Among them: a ref is created while a compaction uploads (C1), updated, deleted, created again
   * or put back to its value in the old snapshot (C2), and others compact meanwhile (C3, C4).
   */
  @Test
  void C1_to_C4_any_two_steps_of_others_after_any_two_before() throws Exception {
    for (List<Step> before : sequences(stepsBefore())) {
      for (List<Step> during : sequences(2)) {
        for (int uploading = 0; uploading <= during.size(); uploading++) {
          List<Step> first = during.subList(0, uploading);
          List<Step> second = during.subList(uploading, during.size());
          takeAll(before);
          // Whatever was compacted, there is something to fold.
          push(OTHER, a.equals(expected.get(OTHER)) ? b : a);
          whileTheSnapshotIsUploaded(
              () -> {
                takeAll(first);
                store.before(Request.WRITE_MANIFEST, () -> takeAll(second));
              });
          compactSlowly();
          assertNothingIsLost(
              before + ", then " + first + " during the upload, " + second + " during the commit");
        }
      }
    }
  }
}
