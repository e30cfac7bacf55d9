// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.testing.Holds;
import org.jgits3.testing.PackBytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the memory that a process has of repositories it has opened. */
@Holds(
    "KnownRepositories: Handles of one repository share one object in a process. Memory bounds "
        + "those without a handle.")
@Timeout(120)
class KnownRepositoriesTest {
  private static final String REF = "refs/heads/main";

  /** Room for the repository that was opened last, and no other. */
  private static final long FOR_ONE = 0;

  private final ObjectStore store = new MemoryObjectStore();
  private final RequestCounts counts = new RequestCounts();
  private final List<S3RepositoryManager> managers = new ArrayList<>();

  @AfterEach
  void close() throws IOException {
    for (S3RepositoryManager manager : managers) {
      manager.close();
    }
  }

  private S3RepositoryManager manager(ObjectStore in, long limit, String validate)
      throws Exception {
    String settings = "[s3]\nmanifestLimit = %d\n[s3 \"refs\"]\nvalidate = %s";
    S3RepositoryManager manager =
        TestRepositories.manager(
            new ObservedObjectStore(in, counts), settings.formatted(limit, validate));
    managers.add(manager);
    return manager;
  }

  private S3RepositoryManager manager(long limit) throws Exception {
    return manager(store, limit, "always");
  }

  @Test
  void a_hook_finds_objects_of_its_push_though_others_were_opened_meanwhile() throws Exception {
    S3RepositoryManager manager = manager(FOR_ONE);
    manager.createRepository("a").close();
    manager.createRepository("b").close();
    PackBytes pack = PackBytes.ofSize(1_000, 1);
    try (S3Repository push = manager.openRepository("a", Purpose.push())) {
      pack.pushTo(push);
      manager.openRepository("b").close();
      assertThat(manager.repositories().keptNames()).containsExactly("b");
      try (S3Repository hook = manager.openRepository("a", Purpose.request())) {
        assertThat(hook.parseCommit(pack.commit()).getId()).isEqualTo(pack.commit());
      }
    }
  }

  @Test
  void a_process_sees_its_own_updates_though_others_were_opened_meanwhile() throws Exception {
    S3RepositoryManager manager = manager(store, FOR_ONE, "1 h");
    manager.createRepository("b").close();
    try (S3Repository mine = manager.createRepository("a")) {
      ObjectId id = TestRepositories.commit(mine, "first");
      manager.openRepository("b").close();
      try (S3Repository other = manager.openRepository("a")) {
        assertThat(other.exactRef(REF)).isNull();
      }
      TestRepositories.createRef(mine, REF, id);
      try (S3Repository later = manager.openRepository("a")) {
        assertThat(later.exactRef(REF).getObjectId()).isEqualTo(id);
      }
    }
  }

  @Test
  void as_many_are_known_as_there_is_memory_for() throws Exception {
    S3RepositoryManager manager = manager(64 << 20);
    List<String> names = new ArrayList<>();
    for (int i = 0; i < 1500; i++) {
      names.add("r" + i);
      manager.createRepository("r" + i).close();
    }
    RequestCounts.Snapshot before = counts.snapshot();
    for (String name : names) {
      manager.openRepository(name).close();
    }
    assertThat(counts.snapshot().since(before).total()).isZero();
    assertThat(manager.repositories().keptNames()).isEqualTo(names);
  }

  /** Memory that a new repository takes. */
  private long small() throws Exception {
    S3RepositoryManager one = manager(FOR_ONE);
    one.createRepository("small").close();
    return one.manifestBudget().held();
  }

  @Test
  void those_opened_least_recently_are_forgotten_first_when_memory_is_short() throws Exception {
    long small = small();
    S3RepositoryManager manager = manager(3 * small + small / 2);
    for (String name : List.of("a", "b", "c")) {
      manager.createRepository(name).close();
    }
    manager.openRepository("a").close();
    manager.createRepository("d").close();
    assertThat(manager.repositories().keptNames()).containsExactly("c", "a", "d");
    assertThat(manager.manifestBudget().held()).isEqualTo(3 * small);
  }

  @Test
  void a_repository_counts_with_the_manifest_it_has_when_it_is_opened() throws Exception {
    long small = small();
    S3RepositoryManager manager = manager(3 * small + small / 2);
    for (String name : List.of("a", "b", "c")) {
      manager.createRepository(name).close();
    }
    try (S3Repository a = manager.openRepository("a")) {
      a.setGitwebDescription("large ".repeat(20_000));
    }
    manager.openRepository("a").close();
    assertThat(manager.repositories().keptNames())
        .as("kept, though too large")
        .containsExactly("a");
    assertThat(manager.manifestBudget().held()).isGreaterThan(3 * small + small / 2);
    manager.openRepository("b").close();
    assertThat(manager.repositories().keptNames()).containsExactly("b");
    assertThat(manager.manifestBudget().held()).isEqualTo(small);
  }

  @Test
  void names_that_stand_for_nothing_drive_nothing_out() throws Exception {
    S3RepositoryManager manager = manager(FOR_ONE);
    manager.createRepository("r").close();
    assertThatThrownBy(() -> manager.openRepository("missing"))
        .isInstanceOf(RepositoryNotFoundException.class);
    assertThat(manager.repositories().keptNames()).containsExactly("r");
  }

  @Test
  void a_repository_that_is_opened_the_moment_it_is_created_is_one_with_it() throws Exception {
    AtomicReference<SharedRepository> first = new AtomicReference<>();
    AtomicReference<S3RepositoryManager> opener = new AtomicReference<>();
    ObjectStore eager =
        new DelegatingObjectStore(store) {
          @Override
          public PutOutcome putIf(String key, byte[] body, Precondition precondition)
              throws IOException {
            PutOutcome outcome = super.putIf(key, body, precondition);
            if (key.endsWith("/manifest")) {
              opener.get().openRepository("r").close();
              first.set(known(opener.get(), "r"));
            }
            return outcome;
          }
        };
    opener.set(manager(eager, 1 << 20, "always"));
    opener.get().createRepository("r").close();
    assertThat(first.get()).isNotNull().isSameAs(known(opener.get(), "r"));
  }

  private static SharedRepository known(S3RepositoryManager manager, String name) {
    return manager.repositories().find(RepositoryName.of(name)).orElseThrow();
  }

  @Test
  void a_handle_that_is_never_closed_keeps_nothing() throws Exception {
    S3RepositoryManager manager = manager(FOR_ONE);
    manager.createRepository("other").close();
    leak(manager);
    assertThat(manager.indexBudget().held()).isPositive();
    ConcurrentTasks.waitWhile(
        () -> {
          System.gc();
          manager.openRepository("other").close();
          return manager.indexBudget().held() > 0;
        });
    assertThat(manager.repositories().find(RepositoryName.of("leaking"))).isEmpty();
  }

  @SuppressWarnings("MustBeClosedChecker")
  private static void leak(S3RepositoryManager manager) throws IOException {
    S3Repository leaking = manager.createRepository("leaking");
    ObjectId id = TestRepositories.commit(leaking, "first");
    assertThat(leaking.parseCommit(id).getType()).isEqualTo(Constants.OBJ_COMMIT);
  }
}
