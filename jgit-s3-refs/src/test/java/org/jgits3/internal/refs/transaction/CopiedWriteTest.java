// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.function.IoRunnable;
import org.jgits3.internal.refs.table.RefFold;
import org.jgits3.manifest.LiveObject;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.metrics.Count;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.StagedStore;
import org.jgits3.store.StagedStore.Request;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of a store that applies a write of the manifest and answers a copy of it, which it refuses,
 * after so many other writers that the trace of the first is pruned (A14d): objects that are listed
 * are never deleted, and nothing is done twice.
 */
@Timeout(120)
class CopiedWriteTest {
  /** One more than a manifest remembers. */
  private static final int WRITERS = 257;

  private static final String REF = "refs/heads/r";

  private final ObjectStore objects = new MemoryObjectStore();
  private boolean copying; // used by one thread at a time
  private IoRunnable thenOthers = () -> {};

  private final StagedStore store =
      new StagedStore(
          new DelegatingObjectStore(objects) {
            @Override
            public PutOutcome putIf(String key, byte[] body, Precondition precondition)
                throws IOException {
              PutOutcome outcome = super.putIf(key, body, precondition);
              if (!copying) {
                return outcome;
              }
              assertThat(outcome).isInstanceOf(PutOutcome.Won.class);
              copying = false;
              commitByManyOthers();
              return super.putIf(key, body, precondition);
            }
          });

  private final S3RepositoryManager manager = TestRepositories.manager(store);
  private final S3Repository repository = manager.createRepository("r");
  private final ObjectId a = TestRepositories.commit(repository, "a");
  private final Map<String, ObjectId> expected = new TreeMap<>();

  CopiedWriteTest() throws Exception {}

  @AfterEach
  void close() throws IOException {
    assertThat(copying).as("no write was copied").isFalse();
    repository.close();
    manager.close();
  }

  private void commitByManyOthers() throws IOException {
    Duration deadline = Duration.ofMinutes(1);
    for (int i = 0; i < WRITERS; i++) {
      try (ManifestCommitter other =
          StoredManifest.committer(objects, RepositoryName.of("r"), deadline)) {
        assertThat(
                other.<Boolean>commit(
                    base -> Proposal.edit(base.withDropped(base.dropped()), true)))
            .isTrue();
      }
    }
    thenOthers.run();
  }

  private void copyNextWriteAfter(Request request) {
    store.after(request, () -> copying = true);
  }

  private void push() throws IOException {
    assertThat(TestRepositories.update(repository, REF, a)).isEqualTo(RefUpdate.Result.NEW);
    expected.put(REF, a);
  }

  private BatchRefUpdate createAll(String prefix, int count) throws IOException {
    IntStream.range(0, count).forEach(i -> expected.put(prefix + i, a));
    return TestRepositories.createAll(repository, a, count, i -> prefix + i);
  }

  /** A process that has seen nothing yet finds all refs, and all objects that are listed. */
  private void assertWhole() throws Exception {
    try (S3RepositoryManager later = TestRepositories.manager(objects);
        S3Repository fresh = later.openRepository("r")) {
      for (LiveObject listed : LiveObject.of(fresh.manifest())) {
        assertThat(objects.stat(listed.key())).as(listed.key()).isPresent();
      }
      for (S3Repository r : new S3Repository[] {repository, fresh}) {
        Map<String, ObjectId> found = new TreeMap<>();
        for (Ref ref : r.getRefDatabase().getRefsByPrefix("refs/")) {
          found.put(ref.getName(), ref.getObjectId());
        }
        assertThat(found).isEqualTo(expected);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, RefFold.FEW})
  void a_table_whose_commit_was_applied_stays(int refs) throws Exception {
    createAll("refs/base/", refs);
    push();
    copyNextWriteAfter(Request.WRITE_SNAPSHOT);
    Folds.fold(repository);
    assertWhole();
    assertThat(repository.manifest().refs().hasRecent()).isEqualTo(refs > 0);
    assertThat(repository.manifest().refs().overlay()).isEmpty();
    assertThat(manager.counters().of(Count.FOLDS_LOST)).isZero();
  }

  @Test
  void a_table_of_all_refs_on_which_others_have_folded_is_made_again() throws Exception {
    createAll("refs/base/", RefFold.FEW);
    push();
    Folds.fold(repository);
    try (S3RepositoryManager elsewhere = TestRepositories.manager(objects);
        S3Repository r = elsewhere.openRepository("r")) {
      thenOthers =
          () -> {
            assertThat(TestRepositories.update(r, "refs/heads/other", a))
                .isEqualTo(RefUpdate.Result.NEW);
            expected.put("refs/heads/other", a);
            Folds.fold(r);
            assertThat(r.manifest().refs().hasRecent()).isTrue();
          };
      copyNextWriteAfter(Request.WRITE_SNAPSHOT);
      repository.getRefDatabase().compact();
    }
    assertWhole();
    assertThat(repository.manifest().refs().hasRecent()).isFalse();
  }

  @Test
  void a_segment_of_the_log_whose_commit_was_applied_stays() throws Exception {
    push();
    copyNextWriteAfter(Request.WRITE_LOG);
    Folds.fold(repository);
    assertWhole();
    assertThat(repository.manifest().log().segments()).hasSize(1);
    assertThat(manager.counters().of(Count.FOLDS_LOST)).isZero();
  }

  @Test
  void a_large_batch_that_was_applied_is_unknown_and_not_applied_again() throws Exception {
    push();
    long logged = entries();
    copyNextWriteAfter(Request.WRITE_SNAPSHOT);
    BatchRefUpdate batch = createAll("refs/changes/", 6000);
    assertThat(batch.getCommands())
        .extracting(ReceiveCommand::getMessage)
        .containsOnly("outcome unknown; fetch before retrying");
    assertWhole();
    assertThat(entries()).as("transactions").isEqualTo(logged + 1);
    assertThat(manager.counters().of(Count.COMMITS_UNKNOWN)).isEqualTo(1);
  }

  private long entries() throws IOException {
    return repository.manifest().log().tail().size()
        + repository.manifest().log().segments().stream().mapToLong(s -> s.entries()).sum();
  }
}
