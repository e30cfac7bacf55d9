// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.follow;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gerrit.entities.AccountGroup;
import com.google.gerrit.entities.Change;
import com.google.gerrit.entities.Project;
import com.google.gerrit.server.config.AllProjectsName;
import com.google.gerrit.server.config.AllUsersName;
import com.google.gerrit.server.config.GerritRuntime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.gerrit.TestSite;
import org.jgits3.gerrit.index.DetachedState;
import org.jgits3.gerrit.index.Effect;
import org.jgits3.gerrit.index.IndexedHere;
import org.jgits3.gerrit.repository.S3GitRepositoryManager;
import org.jgits3.store.StoreException;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Documents of projects, some of which hang or cannot be written. */
class IndexingTest {
  private static final long MOST = Duration.ofSeconds(60).toNanos();
  private static final Project.NameKey PROJECT = Project.nameKey("a");
  private static final AllUsersName ALL_USERS = new AllUsersName("All-Users");
  private static final Effect CHANGE = new Effect.OfChange(Change.id(1));
  private static final Effect OTHER_CHANGE = new Effect.OfChange(Change.id(2));
  private static final Effect GROUP =
      new Effect.OfGroup(AccountGroup.uuid("g"), ObjectId.zeroId(), ObjectId.zeroId());

  @TempDir Path directory;
  private final CountDownLatch end = new CountDownLatch(1);
  private final Set<Project.NameKey> hanging = ConcurrentHashMap.newKeySet();
  private final Map<Project.NameKey, Throwable> failing = new ConcurrentHashMap<>();
  private final Set<Effect> followed = ConcurrentHashMap.newKeySet();
  private S3GitRepositoryManager gerrit;
  private Indexing indexing;

  /** Indexes in which some projects hang or fail. */
  private final class Hostile extends DetachedState {
    Hostile() {
      super(new IndexedHere(ALL_USERS));
    }

    @Override
    public Followed follow(Project.NameKey project, Collection<Effect> effects) {
      Followed result = new Followed();
      for (Effect effect : effects) {
        if (hanging.contains(project) && effect instanceof Effect.OfChange) {
          awaitEnd();
        }
        if (failing.containsKey(project)) {
          result.failed().put(effect, failing.get(project));
        } else {
          followed.add(effect);
        }
      }
      return result;
    }

    private void awaitEnd() {
      try {
        end.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @BeforeEach
  void open() throws Exception {
    gerrit = TestSite.below(directory).manager(GerritRuntime.BATCH);
    begin(Indexing.LONG, Indexing.PATIENCE);
  }

  private void begin(Duration longest, Duration patience) {
    AllProjectsName allProjects = new AllProjectsName("All-Projects");
    indexing = new Indexing(gerrit, new Hostile(), allProjects, ALL_USERS, longest, patience);
  }

  @AfterEach
  void close() {
    end.countDown();
    indexing.stop();
    gerrit.stop();
  }

  private void add(Project.NameKey project, Effect effect) {
    indexing.add(project, Set.of(effect), System.nanoTime());
  }

  /** Waits in short steps, since nothing happens when documents that hang have had their time. */
  private void awaitTried() throws InterruptedException {
    long begin = System.nanoTime();
    while (!indexing.isTried()) {
      assertThat(System.nanoTime() - begin).isLessThan(MOST);
      indexing.await(System.nanoTime() + 10_000_000);
    }
  }

  /** Tries again until a condition holds. */
  private void retryUntil(BooleanSupplier condition) throws InterruptedException {
    long begin = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - begin).isLessThan(MOST);
      indexing.retry();
      Thread.sleep(1);
    }
  }

  private void hang() {
    for (int i = 0; i < Indexing.THREADS; i++) {
      Project.NameKey project = Project.nameKey("hanging-" + i);
      hanging.add(project);
      add(project, CHANGE);
    }
  }

  @Test
  void tasks_that_hang_take_no_threads_from_other_projects() throws Exception {
    begin(Duration.ofMillis(1), Indexing.PATIENCE);
    hang();
    add(PROJECT, OTHER_CHANGE);
    retryUntil(() -> followed.contains(OTHER_CHANGE));
    assertThat(followed).doesNotContain(CHANGE);
    assertThat(indexing.isTried()).isFalse();
  }

  @Test
  void node_waits_some_time_for_documents_that_hang() throws Exception {
    begin(Indexing.LONG, Duration.ofMillis(1));
    hang();
    awaitTried();
    assertThat(followed).isEmpty();
    assertThat(indexing.isEmpty()).isFalse();
  }

  @Holds(
      "GroupDocuments, Indexing: Memberships are followed whatever the texts of their group are, "
          + "and wait for no other document")
  @Test
  void groups_are_followed_while_all_other_threads_hang() throws Exception {
    hang();
    add(ALL_USERS, GROUP);
    retryUntil(() -> followed.contains(GROUP));
    assertThat(followed).doesNotContain(CHANGE);
    end.countDown();
    awaitTried();
    assertThat(followed).contains(CHANGE);
  }

  @Test
  void document_that_fails_is_given_up_until_it_changes() throws Exception {
    failing.put(PROJECT, new IllegalArgumentException("immense term"));
    for (int round = 0; round < 2; round++) {
      add(PROJECT, CHANGE);
      awaitTried();
      assertThat(indexing.failing()).containsExactly(PROJECT);
      assertThat(indexing.isEmpty()).isFalse();
      retryUntil(indexing::isEmpty);
      assertThat(indexing.failing()).isEmpty();
      assertThat(indexing.givenUp()).isOne();
    }
    failing.clear();
    add(PROJECT, CHANGE);
    awaitTried();
    assertThat(followed).contains(CHANGE);
    assertThat(indexing.givenUp()).isZero();
  }

  @Test
  void documents_given_up_are_counted_no_more_once_the_project_is_compared() throws Exception {
    failing.put(PROJECT, new StackOverflowError());
    add(PROJECT, CHANGE);
    retryUntil(indexing::isEmpty);
    assertThat(indexing.givenUp()).isOne();
    failing.clear();
    add(PROJECT, new Effect.OfProject());
    awaitTried();
    assertThat(indexing.givenUp()).isZero();
  }

  @Test
  void documents_that_the_store_failed_are_waited_for() throws Exception {
    failing.put(PROJECT, new StoreException.Unavailable("key", "no answer", null));
    add(PROJECT, CHANGE);
    retryUntil(() -> !indexing.failing().isEmpty());
    assertThat(indexing.isTried()).isFalse();
    failing.clear();
    indexing.retry();
    awaitTried();
    assertThat(followed).contains(CHANGE);
  }
}
