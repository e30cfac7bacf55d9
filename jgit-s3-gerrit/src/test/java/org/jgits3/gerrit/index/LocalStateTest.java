// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.base.Throwables;
import com.google.common.collect.ImmutableSortedSet;
import com.google.common.reflect.Reflection;
import com.google.gerrit.entities.Change;
import com.google.gerrit.entities.Project;
import com.google.gerrit.exceptions.StorageException;
import com.google.gerrit.extensions.registration.DynamicMap;
import com.google.gerrit.server.config.AllUsersName;
import com.google.gerrit.server.git.GitRepositoryManager;
import com.google.gerrit.server.project.ProjectCache;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.internal.storage.dfs.DfsRepositoryDescription;
import org.eclipse.jgit.internal.storage.dfs.InMemoryRepository;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefDatabase;
import org.eclipse.jgit.lib.Repository;
import org.jgits3.gerrit.TestSite;
import org.jgits3.store.StoreException;
import org.junit.jupiter.api.Test;

/** Changes that cannot be followed, by their causes. */
class LocalStateTest {
  private static final Project.NameKey PROJECT = Project.nameKey("a");
  private static final List<Effect> CHANGES =
      List.of(new Effect.OfChange(Change.id(1)), new Effect.OfChange(Change.id(2)));

  private static final AllUsersName ALL_USERS = new AllUsersName("All-Users");

  /** Repository whose refs cannot be read. */
  private static final class Damaged extends InMemoryRepository {
    final AtomicInteger asked = new AtomicInteger();
    private final RefDatabase refs;

    Damaged(Throwable cause) {
      super(new DfsRepositoryDescription("a"));
      refs =
          new MemRefDatabase() {
            @Override
            public Ref exactRef(String name) throws IOException {
              asked.incrementAndGet();
              Throwables.throwIfInstanceOf(cause, IOException.class);
              Throwables.throwIfUnchecked(cause);
              throw new IllegalStateException(cause);
            }
          };
    }

    @Override
    public RefDatabase getRefDatabase() {
      return refs;
    }
  }

  /** Cache that has the project, and notes evictions. */
  private static ProjectCache projects(List<Project.NameKey> evicted) {
    return Reflection.newProxy(
        ProjectCache.class,
        (proxy, method, arguments) -> {
          switch (method.getName()) {
            case "all":
              return ImmutableSortedSet.of(PROJECT);
            case "evict":
              evicted.add((Project.NameKey) arguments[0]);
              return null;
            default:
              throw new UnsupportedOperationException(method.getName());
          }
        });
  }

  /** Opens a repository, or fails. */
  private interface Opening {
    Repository open() throws IOException;
  }

  /** Repositories that are opened in one way. */
  private record Repositories(Opening opening) implements GitRepositoryManager {
    @Override
    public Status getRepositoryStatus(Project.NameKey name) {
      return Status.UNAVAILABLE;
    }

    @Override
    public Repository openRepository(Project.NameKey name) throws IOException {
      return opening.open();
    }

    @Override
    public Repository createRepository(Project.NameKey name) throws IOException {
      return opening.open();
    }

    @Override
    public NavigableSet<Project.NameKey> list() {
      return new TreeSet<>();
    }

    @Override
    public Boolean canPerformGC() {
      return false;
    }

    @Override
    public void repositoryDeleted(Project.NameKey name) {}
  }

  private static LocalState state(Opening opening) throws Exception {
    return state(opening, projects(new ArrayList<>()));
  }

  private static LocalState state(Opening opening, ProjectCache projects) throws Exception {
    return new LocalState(
        new Config(),
        new Repositories(opening),
        TestSite.requests(),
        ALL_USERS,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        projects,
        null,
        null,
        DynamicMap.emptyMap(),
        null,
        new IndexedHere(ALL_USERS));
  }

  private static Map<Effect, Throwable> failures(Throwable cause) throws Exception {
    return state(() -> new Damaged(cause)).follow(PROJECT, CHANGES).failed();
  }

  @Test
  void each_change_fails_by_itself() throws Exception {
    IOException cause = new IOException("damaged");
    assertThat(failures(cause)).isEqualTo(Map.of(CHANGES.get(0), cause, CHANGES.get(1), cause));
  }

  @Test
  void error_of_one_change_is_its_failure() throws Exception {
    assertThat(failures(new StackOverflowError()).keySet()).containsExactlyElementsOf(CHANGES);
    assertThat(failures(new AssertionError()).keySet()).containsExactlyElementsOf(CHANGES);
  }

  @Test
  void store_that_fails_is_asked_once_and_for_another_change_next_time() throws Exception {
    Damaged damaged = new Damaged(new StoreException.Unavailable("key", "no answer", null));
    LocalState state = state(() -> damaged);
    List<Effect> again = List.copyOf(state.follow(PROJECT, CHANGES).failed().keySet());
    assertThat(damaged.asked).hasValue(1);
    assertThat(again).containsExactly(CHANGES.get(1), CHANGES.get(0));
  }

  @Test
  void project_that_is_gone_is_to_be_compared_by_itself() throws Exception {
    LocalState state =
        state(
            () -> {
              throw new RepositoryNotFoundException("a");
            });
    assertThat(state.follow(PROJECT, CHANGES).found()).containsExactly(new Effect.OfProject());
  }

  @Test
  void caches_are_evicted_although_the_project_cannot_be_opened() throws Exception {
    List<Project.NameKey> evicted = new ArrayList<>();
    LocalState state =
        state(
            () -> {
              throw new IOException("damaged");
            },
            projects(evicted));
    assertThatThrownBy(() -> state.evict(PROJECT, List.of(new Effect.OfConfig())))
        .isInstanceOf(IOException.class);
    assertThat(evicted).containsExactly(PROJECT);
  }

  @Test
  void store_may_be_the_cause_of_a_cause() {
    StoreException cause = new StoreException.Unavailable("key", "no answer", null);
    assertThat(LocalState.isOfStore(new StorageException("x", new IOException(cause)))).isTrue();
    assertThat(LocalState.isOfStore(new StorageException("x"))).isFalse();
    IllegalStateException loop = new IllegalStateException();
    loop.initCause(new StorageException("x", loop));
    assertThat(LocalState.isOfStore(loop)).isFalse();
  }
}
