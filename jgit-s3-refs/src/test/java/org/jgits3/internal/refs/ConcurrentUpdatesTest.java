// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.RefUpdate.Result;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.RequestKind;
import org.jgits3.store.StoreKind;
import org.jgits3.testing.EachStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Two processes in which many threads update the refs of one repository. */
@EachStore
class ConcurrentUpdatesTest {
  private static final int THREADS = 32;
  private static final int ROUNDS = 8;
  private static final String SHARED = "refs/heads/shared";

  @Parameter StoreKind kind;
  @TempDir Path directory;

  private final RequestCounts counts = new RequestCounts();
  private List<S3RepositoryManager> managers;
  private ObjectId[] line;

  /** Opens the store of the test once more. */
  private ObjectStore store() throws IOException {
    return kind.open(directory);
  }

  @BeforeEach
  void create() throws Exception {
    managers =
        List.of(
            TestRepositories.manager(new ObservedObjectStore(store(), counts)),
            TestRepositories.manager(new ObservedObjectStore(store(), counts)));
    line = new ObjectId[ROUNDS];
    try (S3Repository r = managers.get(0).createRepository("r")) {
      line[0] = TestRepositories.commit(r, "0");
      for (int i = 1; i < ROUNDS; i++) {
        line[i] = TestRepositories.commit(r, "" + i, line[i - 1]);
      }
    }
  }

  @AfterEach
  void close() throws IOException {
    for (S3RepositoryManager m : managers) {
      m.close();
    }
  }

  private static Result set(S3Repository r, String name, ObjectId old, ObjectId id)
      throws IOException {
    RefUpdate u = r.updateRef(name);
    u.setExpectedOldObjectId(old);
    u.setNewObjectId(id);
    return u.update();
  }

  @Test
  void every_update_is_acknowledged_and_none_is_lost() throws Exception {
    ConcurrentTasks.run(
        2 * THREADS,
        i -> {
          try (S3Repository r = managers.get(i % 2).openRepository("r")) {
            ObjectId old = ObjectId.zeroId();
            for (ObjectId id : line) {
              assertThat(set(r, "refs/heads/" + i, old, id)).isIn(Result.NEW, Result.FAST_FORWARD);
              assertThat(r.exactRef("refs/heads/" + i).getObjectId()).isEqualTo(id);
              old = id;
            }
          }
        });

    try (S3RepositoryManager cold = TestRepositories.manager(store());
        S3Repository r = cold.openRepository("r")) {
      assertThat(r.getRefDatabase().getRefsByPrefix("refs/heads/"))
          .hasSize(2 * THREADS)
          .allSatisfy(ref -> assertThat(ref.getObjectId()).isEqualTo(line[ROUNDS - 1]));
      for (Ref ref : r.getRefDatabase().getRefsByPrefix("refs/heads/")) {
        assertThat(r.getRefDatabase().getReflogReader(ref).getReverseEntries()).hasSize(ROUNDS);
      }
    }
    assertThat(counts.snapshot().of(RequestKind.PUT_IF))
        .as("writes for %d updates", 2 * THREADS * ROUNDS)
        .isLessThan(THREADS * ROUNDS);
  }

  @Test
  void of_updates_that_expect_the_same_value_one_succeeds() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      ObjectId old = round == 0 ? ObjectId.zeroId() : line[round - 1];
      ObjectId id = line[round];
      AtomicInteger won = new AtomicInteger();
      Set<Result> others = ConcurrentHashMap.newKeySet();
      ConcurrentTasks.run(
          THREADS,
          i -> {
            try (S3Repository r = managers.get(i % 2).openRepository("r")) {
              Result result = set(r, SHARED, old, id);
              if (result == Result.NEW || result == Result.FAST_FORWARD) {
                won.incrementAndGet();
              } else {
                others.add(result);
              }
            }
          });
      assertThat(won).as("round %d", round).hasValue(1);
      assertThat(others).isSubsetOf(Result.LOCK_FAILURE);
    }
  }
}
