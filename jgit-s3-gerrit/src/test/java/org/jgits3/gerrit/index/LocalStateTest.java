// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gerrit.entities.Change;
import com.google.gerrit.entities.Project;
import com.google.gerrit.exceptions.StorageException;
import com.google.gerrit.extensions.registration.DynamicMap;
import com.google.gerrit.server.git.GitRepositoryManager;
import java.io.IOException;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.eclipse.jgit.internal.storage.dfs.DfsRepositoryDescription;
import org.eclipse.jgit.internal.storage.dfs.InMemoryRepository;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefDatabase;
import org.eclipse.jgit.lib.Repository;
import org.jgits3.gerrit.TestSite;
import org.jgits3.store.StoreException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Changes that cannot be followed, by their causes. */
class LocalStateTest {
  private static final Project.NameKey PROJECT = Project.nameKey("a");
  private static final List<Change.Id> CHANGES = List.of(Change.id(1));

  /** Repository whose refs cannot be read. */
  private static final class Damaged extends InMemoryRepository {
    private final RefDatabase refs;

    Damaged(IOException cause) {
      super(new DfsRepositoryDescription("a"));
      refs =
          new MemRefDatabase() {
            @Override
            public Ref exactRef(String name) throws IOException {
              throw cause;
            }
          };
    }

    @Override
    public RefDatabase getRefDatabase() {
      return refs;
    }
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
    return new LocalState(
        new Config(),
        new Repositories(opening),
        TestSite.requests(),
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        DynamicMap.emptyMap(),
        null,
        new IndexedHere());
  }

  private static void fails(LocalState state) {
    assertThatThrownBy(() -> state.followChanges(PROJECT, CHANGES)).isInstanceOf(IOException.class);
  }

  private static void failsAlways(LocalState state) {
    for (int i = 0; i < 2 * LocalState.ATTEMPTS; i++) {
      fails(state);
    }
  }

  @Test
  void change_that_keeps_failing_is_given_up() throws Exception {
    LocalState state = state(() -> new Damaged(new IOException("damaged")));
    for (int i = 1; i < LocalState.ATTEMPTS; i++) {
      fails(state);
    }
    assertThatCode(() -> state.followChanges(PROJECT, CHANGES)).doesNotThrowAnyException();
  }

  @Test
  void changes_of_a_project_that_cannot_be_opened_are_not_given_up() throws Exception {
    failsAlways(
        state(
            () -> {
              throw new IOException("damaged");
            }));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void store_that_fails_is_no_fault_of_the_change(boolean refuses) throws Exception {
    StoreException cause =
        refuses
            ? new StoreException.Refused("key", "refused", null)
            : new StoreException.Unavailable("key", "no answer", null);
    failsAlways(state(() -> new Damaged(cause)));
  }

  @Test
  void store_may_be_the_cause_of_a_cause() {
    StoreException cause = new StoreException.Unavailable("key", "no answer", null);
    assertThat(LocalState.isOfStore(new StorageException("x", new IOException(cause)))).isTrue();
    assertThat(LocalState.isOfStore(new StorageException("x"))).isFalse();
  }
}
