// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.time.Duration;
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
import org.jgits3.internal.refs.table.RefFold;
import org.jgits3.manifest.LiveObject;
import org.jgits3.manifest.LogSegment;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.Refs;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compactions of a repository beside other processes: each sees the last acknowledged value of each
 * ref.
 */
@Holds(
    "Replacement, LargeTransaction: A fold deletes its upload only after a final refusal, never "
        + "in doubt or while it is listed (C5)")
@Holds(
    "SnapshotTables, Derivation: A recent table is laid on the base that the same manifest lists, "
        + "however either was made (L5)")
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD) // failing, some would go on for ever
class CompactionInterleavingTest {
  /** Refs that make a new base of a transaction, more than a recent table may have. */
  private static final int MANY = 10_000;

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
  private int uploads;

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
  }

  void push(String name, ObjectId id) throws IOException {
    assertThat(TestRepositories.force(fast, name, id))
        .isIn(RefUpdate.Result.NEW, RefUpdate.Result.FORCED, RefUpdate.Result.NO_CHANGE);
    expected.put(name, id);
  }

  private void delete(String name) throws IOException {
    assertThat(TestRepositories.delete(fast, name)).isEqualTo(RefUpdate.Result.FORCED);
    expected.remove(name);
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
    assertThat(objectsBelow("/refs/")).as("those that are listed").hasSize(1);
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

  @Test
  void C4_a_batch_with_its_own_snapshot_is_made_again_on_that_of_others() throws Exception {
    push(REF, a);
    push(OTHER, a);
    whileTheSnapshotIsUploaded(
        () -> {
          push(REF, b);
          compactElsewhere();
        });
    execute(slow, "refs/changes/", 3000);
    assertNothingIsLost("compacted while the batch was sent");
  }

  @Test
  void C5_the_table_of_a_large_batch_whose_commit_is_in_doubt_stays() throws Exception {
    push(OTHER, a);
    try (S3RepositoryManager cut =
            TestRepositories.manager(new Silent(), "[s3]\ncommitDeadline = 300 ms");
        S3Repository r = cut.openRepository("r")) {
      assertThat(execute(r, "refs/changes/", 6000))
          .extracting(ReceiveCommand::getResult, ReceiveCommand::getMessage)
          .containsOnly(
              tuple(
                  ReceiveCommand.Result.REJECTED_OTHER_REASON,
                  "outcome unknown; fetch before retrying"));
      assertThat(cut.counters().of(Count.COMMITS_UNKNOWN)).isEqualTo(1);
    }
    fast.getRefDatabase().exactRef(REF); // reads the newest manifest
    for (LiveObject listed : LiveObject.of(fast.manifest())) {
      assertThat(objects.stat(listed.key())).as(listed.key()).isPresent();
    }
    assertNothingIsLost("it was committed");
    assertThat(objectsBelow("/refs/")).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"upload", "commit"})
  void L2_a_batch_with_a_new_base_undoes_no_fold_of_others(String during) throws Exception {
    createAll(fast, "refs/base/", RefFold.FEW);
    push(REF, a);
    push(OTHER, a);
    compactIntoRecent();
    Action fold =
        () -> {
          push(REF, b);
          delete(OTHER);
          compactIntoRecent();
        };
    whileTheSnapshotIsUploaded(
        during.equals("upload") ? fold : () -> store.before(Request.WRITE_MANIFEST, fold));
    createAll(slow, "refs/many/", MANY);
    assertNothingIsLost("folded during the " + during);
    Refs refs = slow.manifest().refs();
    assertThat(refs.hasRecent()).isFalse();
    assertThat(refs.overlay()).isEmpty();
    assertThat(refs.base().orElseThrow().count()).isEqualTo(RefFold.FEW + 1 + MANY);
  }

  @Test
  void L5_a_recent_table_that_could_be_derived_is_not_laid_on_an_older_base() throws Exception {
    createAll(fast, "refs/base/", RefFold.FEW);
    // One process has the old base, and an overlay with just what the new recent table has.
    whileTheSnapshotIsUploaded(() -> push(OTHER, b));
    createAll(slow, "refs/changes/", MANY);
    compactSlowly();
    assertThat(slow.manifest().refs().tables().get(1).count()).isEqualTo(1);
    assertNothingIsLost("both tables are other ones");
  }

  @Test
  void a_compaction_of_all_refs_that_others_overtake_each_time_says_so() throws Exception {
    createAll(fast, "refs/base/", RefFold.FEW);
    push(REF, a);
    compactIntoRecent();
    foldDuringEachUpload();
    assertThatThrownBy(slow.getRefDatabase()::compact)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("compacted elsewhere")
        .hasMessageContaining("nothing was done, try again");
    assertNothingIsLost("after many folds");
    assertThat(slow.manifest().refs().hasRecent()).as("of the others").isTrue();
  }

  private void compactIntoRecent() throws IOException {
    compactElsewhere();
    assertThat(fast.manifest().refs().hasRecent()).isTrue();
  }

  private void foldDuringEachUpload() {
    whileTheSnapshotIsUploaded(
        () -> {
          push(OTHER, uploads++ % 2 == 0 ? a : b);
          compactIntoRecent();
          foldDuringEachUpload();
        });
  }
}
