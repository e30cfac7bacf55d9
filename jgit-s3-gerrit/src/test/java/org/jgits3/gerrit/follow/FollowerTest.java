// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.follow;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Supplier;
import com.google.common.base.Throwables;
import com.google.common.util.concurrent.Uninterruptibles;
import com.google.gerrit.entities.Change;
import com.google.gerrit.entities.Project;
import com.google.gerrit.extensions.registration.RegistrationHandle;
import com.google.gerrit.extensions.restapi.Response;
import com.google.gerrit.index.project.ProjectIndexCollection;
import com.google.gerrit.metrics.Description;
import com.google.gerrit.metrics.DisabledMetricMaker;
import com.google.gerrit.server.config.AllProjectsName;
import com.google.gerrit.server.config.AllUsersName;
import com.google.gerrit.server.config.GerritRuntime;
import com.google.gerrit.server.index.account.AccountIndexCollection;
import com.google.gerrit.server.index.change.ChangeIndexCollection;
import com.google.gerrit.server.index.group.GroupIndexCollection;
import com.google.gson.Gson;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.TestRepositories;
import org.jgits3.gerrit.TestSite;
import org.jgits3.gerrit.index.DetachedState;
import org.jgits3.gerrit.index.DurableIndexes;
import org.jgits3.gerrit.index.Effect;
import org.jgits3.gerrit.index.IndexedHere;
import org.jgits3.gerrit.repository.S3GitRepositoryManager;
import org.jgits3.gerrit.shared.SharedEvents;
import org.jgits3.internal.refs.log.LongLog;
import org.jgits3.manifest.RefChange;
import org.jgits3.store.StoreException;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rounds of a follower on a real store, whose indexes refuse some projects. */
@Holds(
    "Follower, DurableIndexes, CursorFile: The saved position covers only durable documents, "
        + "except one that fails by itself")
@Holds(
    "Follower, OnlineReindexes: A project that changes during a reindex is compared before a "
        + "position is saved")
@Holds(
    "Follower, News, LocalState, Documents: Without a position, or a readable log of a project, a "
        + "node compares refs and indexes in both directions")
@Holds(
    "News, Follower, LocalState, Backlog: A failure concerns its own project. A document that "
        + "cannot be indexed is given up until it changes.")
@Holds(
    "FollowerStatus, Follower: Nothing that a user writes makes a node not ready, but an "
        + "unreadable `All-Users` or `All-Projects` does")
@Holds(
    "Indexing, Backlog, IndexedHere: A large or hanging project delays no other. A document is "
        + "followed in the project that has it now.")
class FollowerTest {
  private static final Duration MOST = Duration.ofSeconds(60);
  private static final AllProjectsName ALL_PROJECTS = new AllProjectsName("All-Projects");
  private static final AllUsersName ALL_USERS = new AllUsersName("All-Users");
  private static final StoreException OUTAGE = new StoreException.Unavailable("key", "", null);
  private static final Project.NameKey PROJECT = Project.nameKey("a");

  @TempDir Path directory;
  private S3GitRepositoryManager gerrit;
  private CursorFile file;
  private IndexedHere indexedHere;
  private final OnlineReindexes reindexes = new OnlineReindexes();
  private Refusing local;
  private final Map<String, Supplier<?>> metrics = new HashMap<>();
  private Indexing indexing;
  private FollowerStatus status;
  private Follower follower;
  private Runnable exchange = () -> {};
  private Runnable post = () -> {};
  private Duration postLong = MOST;

  /** Puts metrics that are asked for into a map. */
  private static final class Shown extends DisabledMetricMaker {
    private final Map<String, Supplier<?>> metrics;

    Shown(Map<String, Supplier<?>> metrics) {
      this.metrics = metrics;
    }

    @Override
    public <V> RegistrationHandle newCallbackMetric(
        String name, Class<V> type, Description description, Supplier<V> value) {
      metrics.put(name, value);
      return super.newCallbackMetric(name, type, description, value);
    }
  }

  /** Indexes and caches that refuse some projects. */
  private static final class Refusing extends DetachedState {
    final Set<Project.NameKey> refused = ConcurrentHashMap.newKeySet();
    final Set<Project.NameKey> asked = ConcurrentHashMap.newKeySet();
    final Set<Project.NameKey> compared = ConcurrentHashMap.newKeySet();
    final Set<Project.NameKey> indexed = ConcurrentHashMap.newKeySet();
    final Set<Project.NameKey> evicted = ConcurrentHashMap.newKeySet();
    final Map<Project.NameKey, Throwable> unreadable = new ConcurrentHashMap<>();
    final Map<Project.NameKey, List<Change.Id>> changes = new ConcurrentHashMap<>();
    final Set<Change.Id> followed = ConcurrentHashMap.newKeySet();
    volatile Throwable refusal = new IOException("refused");
    volatile Change.Id broken = Change.id(0);
    volatile Callable<?> withChanges = () -> null;
    volatile CountDownLatch together = new CountDownLatch(0);

    Refusing(IndexedHere indexedHere) {
      super(indexedHere);
    }

    @Override
    public Set<Project.NameKey> indexedProjects() {
      return indexed;
    }

    @Override
    public void evict(Project.NameKey project, Collection<Effect> effects) throws IOException {
      evicted.add(project);
      Throwable reason = unreadable.get(project);
      if (reason != null) {
        Throwables.throwIfInstanceOf(reason, IOException.class);
        Throwables.throwIfUnchecked(reason);
      }
    }

    @Override
    public Followed follow(Project.NameKey project, Collection<Effect> effects) throws IOException {
      asked.add(project);
      waitForOthers();
      Followed result = new Followed();
      for (Effect effect : effects) {
        if (effect instanceof Effect.OfChange change) {
          follow(change, result);
          continue;
        }
        if (effect instanceof Effect.OfProject) {
          compared.add(project);
          changes.getOrDefault(project, List.of()).stream()
              .map(Effect.OfChange::new)
              .forEach(result.found()::add);
        }
        if (refused.contains(project)) {
          result.failed().put(effect, refusal);
        }
      }
      return result;
    }

    private void follow(Effect.OfChange change, Followed result) {
      try {
        withChanges.call();
        if (change.id().equals(broken)) {
          throw new IOException("broken");
        }
        followed.add(change.id());
      } catch (Exception e) {
        result.failed().put(change, e);
      }
    }

    private void waitForOthers() throws IOException {
      together.countDown();
      try {
        if (!together.await(MOST.toSeconds(), TimeUnit.SECONDS)) {
          throw new IOException("alone");
        }
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }
  }

  @BeforeEach
  void open() throws Exception {
    gerrit = TestSite.below(directory).manager(GerritRuntime.BATCH);
    file = new CursorFile(directory.resolve("position"));
    indexedHere = new IndexedHere(ALL_USERS);
    local = new Refusing(indexedHere);
    begin();
  }

  /** Begins with a node that has just started. */
  private void begin() {
    indexing = new Indexing(gerrit, local, ALL_PROJECTS, ALL_USERS);
    status = new FollowerStatus(local, indexing, new Shown(metrics));
    follower = follower();
  }

  @AfterEach
  void close() {
    follower.stop();
    gerrit.stop();
  }

  private void followUntilAsked() throws Exception {
    follower.start();
    eventually(() -> local.asked.contains(PROJECT));
    follower.stop();
  }

  private Follower follower() {
    SharedEvents none =
        new SharedEvents(gerrit, null, null, null, new Gson()) {
          @Override
          public void exchange() {
            exchange.run();
          }

          @Override
          public int unposted() {
            return 1;
          }

          @Override
          public void post(int most) {
            post.run();
          }
        };
    DurableIndexes indexes =
        new DurableIndexes(
            new ChangeIndexCollection(),
            new AccountIndexCollection(),
            new GroupIndexCollection(),
            new ProjectIndexCollection());
    Follower follower =
        new Follower(
            gerrit,
            local,
            indexing,
            indexedHere,
            reindexes,
            none,
            indexes,
            file,
            ALL_PROJECTS,
            ALL_USERS,
            status);
    follower.postLong = postLong;
    return follower;
  }

  private static void eventually(Callable<Boolean> condition) throws Exception {
    long start = System.nanoTime();
    while (!condition.call()) {
      assertThat(System.nanoTime() - start).isLessThan(MOST.toNanos());
      Thread.sleep(20);
    }
  }

  private void create(Project.NameKey project) throws IOException {
    gerrit.createRepository(project).close();
  }

  /** Follows until some rounds were ended. */
  private void rounds(int more) throws Exception {
    long before = status.report().rounds();
    eventually(() -> status.report().rounds() >= before + more);
  }

  /** Changes a branch of a project of this node. */
  private void change(Project.NameKey project) throws Exception {
    try (Repository repository = gerrit.openRepository(project)) {
      ObjectId commit = TestRepositories.commit(repository, "message");
      assertThat(TestRepositories.update(repository, "refs/heads/master", commit))
          .isEqualTo(RefUpdate.Result.NEW);
    }
  }

  /** Saves the present position, by a follower that applies all. */
  private byte[] position() throws Exception {
    follower.start();
    eventually(() -> status.report().ready());
    follower.stop();
    local.asked.clear();
    begin();
    return file.load().orElseThrow().toBytes();
  }

  @Test
  void a_position_is_not_saved_beyond_own_changes_missing_in_the_indexes() throws Exception {
    create(PROJECT);
    byte[] before = position();
    change(PROJECT);
    local.refused.add(PROJECT);
    local.refusal = OUTAGE;
    followUntilAsked();
    assertThat(file.load().orElseThrow().toBytes()).isEqualTo(before);
    local.refused.clear();
    local.asked.clear();
    begin();
    followUntilAsked();
    assertThat(file.load().orElseThrow().toBytes()).isNotEqualTo(before);
  }

  @Test
  void a_position_is_not_saved_while_a_document_is_to_be_followed_again() throws Exception {
    create(PROJECT);
    byte[] before = position();
    create(Project.nameKey("b"));
    local.withChanges =
        () -> {
          throw OUTAGE;
        };
    indexedHere.again(new Effect.OfChange(Change.id(1)), PROJECT);
    followUntilAsked();
    assertThat(file.load().orElseThrow().toBytes()).isEqualTo(before);
  }

  @Test
  void a_position_is_saved_although_a_document_fails_by_itself() throws Exception {
    byte[] before = position();
    local.refused.add(PROJECT);
    create(PROJECT);
    follower.start();
    eventually(() -> metric("failing") == 1);
    follower.stop();
    assertThat(file.load().orElseThrow().toBytes()).isNotEqualTo(before);
  }

  @Test
  void without_a_position_projects_only_in_the_index_are_compared_too() throws Exception {
    create(PROJECT);
    Project.NameKey deleted = Project.nameKey("deleted");
    local.indexed.add(deleted);
    follower.start();
    eventually(() -> local.asked.containsAll(Set.of(PROJECT, deleted)));
  }

  @Test
  void a_project_that_changes_during_a_reindex_is_compared_at_the_end() throws Exception {
    create(PROJECT);
    byte[] before = position();
    CountDownLatch end = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    Thread reindexer =
        new Thread(
            () -> {
              reindexes.onStart("changes", 1, 1);
              begun.countDown();
              Uninterruptibles.awaitUninterruptibly(end);
            });
    reindexer.start();
    begun.await();
    local.compared.clear();
    change(PROJECT);
    followUntilAsked();
    assertThat(local.compared).isEmpty();
    assertThat(file.load().orElseThrow().toBytes()).isEqualTo(before);
    begin();
    local.asked.clear();
    follower.start();
    eventually(() -> local.asked.contains(PROJECT));
    end.countDown();
    eventually(() -> local.compared.equals(Set.of(PROJECT)));
    reindexer.join();
  }

  @Test
  void a_former_name_that_cannot_be_followed_is_followed_again() throws Exception {
    create(PROJECT);
    position();
    Config config = new Config();
    config.setString("s3", null, "store", "file:" + directory + "/store");
    try (S3RepositoryManager other = S3RepositoryManager.open(S3Settings.from(config, "test"))) {
      other.rename("a", "b");
    }
    local.refused.add(PROJECT);
    follower.start();
    for (int i = 0; i < 2; i++) {
      local.asked.clear();
      eventually(() -> local.asked.contains(PROJECT));
    }
  }

  @Test
  void projects_that_fail_do_not_stop_the_others() throws Exception {
    position();
    for (int i = 0; i <= Follower.PROJECTS; i++) {
      Project.NameKey failing = Project.nameKey("a%03d".formatted(i));
      create(failing);
      local.refused.add(failing);
    }
    Project.NameKey last = Project.nameKey("z");
    create(last);
    follower.start();
    eventually(() -> local.asked.contains(last));
    eventually(() -> status.report().ready());
  }

  @Test
  void projects_are_followed_at_the_same_time() throws Exception {
    position();
    local.together = new CountDownLatch(Indexing.THREADS);
    for (int i = 0; i < Indexing.THREADS; i++) {
      create(Project.nameKey("a" + i));
    }
    follower.start();
    eventually(() -> local.together.getCount() == 0);
  }

  private int answer() {
    Response<FollowerStatus.Report> answer = new GetFollower(status).apply(null);
    assertThat(answer.value().rounds()).isPositive();
    return answer.statusCode();
  }

  @Test
  void a_node_that_cannot_read_the_rights_is_not_ready() throws Exception {
    create(PROJECT);
    position();
    local.unreadable.put(ALL_USERS, new IOException("unreadable"));
    create(ALL_USERS);
    follower.start();
    rounds(2);
    assertThat(status.report().ready()).isFalse();
    assertThat(status.report().failure()).isNotEmpty();
    assertThat(answer()).isEqualTo(503);
    local.unreadable.clear();
    eventually(() -> status.report().ready());
    assertThat(answer()).isEqualTo(200);
  }

  @Test
  void a_node_that_cannot_follow_another_project_is_ready() throws Exception {
    create(PROJECT);
    local.refused.add(PROJECT);
    follower.start();
    eventually(() -> status.report().ready());
    assertThat(local.asked).contains(PROJECT);
    assertThat(status.report().failure()).isNotEmpty();
  }

  private long metric(String name) {
    return (Long) metrics.get("s3/follower/" + name).get();
  }

  @Test
  void metrics_show_the_lag_and_projects_that_cannot_be_followed() throws Exception {
    create(PROJECT);
    position();
    long year = Duration.ofDays(365).toMillis();
    assertThat(metric("lag")).isLessThan(year);
    ObjectId some = LongLog.id(0);
    RefChange elsewhere = new RefChange("refs/heads/master", ObjectId.zeroId(), some);
    new LongLog(gerrit.store(), PROJECT.get()).append(List.of(elsewhere)); // in 2023
    local.refused.add(PROJECT);
    follower.start();
    eventually(() -> metric("failing") == 1);
    assertThat(metric("lag")).isGreaterThan(year);
    local.refused.clear();
    eventually(() -> metric("failing") == 0);
    follower.stop();
    assertThat(metric("indexed")).isEqualTo(local.indexed());
    status.ended(System.nanoTime() - Duration.ofHours(1).toNanos(), Set.of(), true, true);
    assertThat(metric("behind")).isGreaterThanOrEqualTo(Duration.ofHours(1).toMillis());
  }

  private static List<Change.Id> changes(int count) {
    return IntStream.rangeClosed(1, count).mapToObj(Change::id).toList();
  }

  @Test
  void others_are_followed_while_a_large_project_is_compared() throws Exception {
    position();
    int all = 50 * Backlog.CHUNK;
    local.changes.put(PROJECT, changes(all));
    Project.NameKey other = Project.nameKey("other");
    AtomicInteger before = new AtomicInteger(all);
    local.withChanges =
        () -> {
          eventually(() -> local.asked.contains(other));
          return before.accumulateAndGet(local.followed.size(), Math::min);
        };
    create(PROJECT);
    follower.start();
    eventually(() -> local.compared.contains(PROJECT));
    create(other);
    eventually(() -> local.followed.size() == all);
    assertThat(before.get()).isLessThan(all);
  }

  @Test
  void node_in_time_is_ready_while_a_large_project_is_compared() throws Exception {
    position();
    follower.start();
    eventually(() -> status.report().ready());
    int all = 50 * Backlog.CHUNK;
    local.changes.put(PROJECT, changes(all));
    long begin = System.nanoTime();
    AtomicBoolean progress = new AtomicBoolean();
    local.withChanges =
        () -> {
          eventually(
              () ->
                  status.report().behindMillis()
                      < Duration.ofNanos(System.nanoTime() - begin).toMillis());
          progress.compareAndSet(false, local.followed.size() < all);
          return null;
        };
    create(PROJECT);
    eventually(() -> local.followed.size() == all);
    assertThat(progress).isTrue();
  }

  @Test
  void node_that_is_late_is_not_ready_before_all_is_compared() throws Exception {
    create(PROJECT);
    int all = 50 * Backlog.CHUNK;
    local.changes.put(PROJECT, changes(all));
    AtomicBoolean early = new AtomicBoolean();
    local.withChanges =
        () -> {
          if (status.report().ready()) {
            early.set(true);
          }
          return null;
        };
    follower.start();
    eventually(() -> status.report().ready());
    assertThat(early).isFalse();
    assertThat(local.followed).hasSize(all);
  }

  @Test
  void node_that_is_late_tries_all_changes_although_one_fails() throws Exception {
    create(PROJECT);
    int all = 50 * Backlog.CHUNK;
    local.changes.put(PROJECT, changes(all));
    local.broken = Change.id(1);
    follower.start();
    eventually(() -> status.report().ready());
    assertThat(local.followed).hasSize(all - 1);
    assertThat(status.report().failure()).isNotEmpty();
    eventually(() -> metric("failing") == 1);
    local.broken = Change.id(0);
    eventually(() -> metric("failing") == 0);
    assertThat(local.followed).hasSize(all);
  }

  @Test
  void a_position_is_not_saved_while_changes_of_a_project_wait() throws Exception {
    create(Project.nameKey("b"));
    byte[] before = position();
    local.changes.put(PROJECT, changes(2));
    local.withChanges =
        () -> {
          throw OUTAGE;
        };
    create(PROJECT);
    follower.start();
    eventually(() -> metric("failing") == 1);
    follower.stop();
    assertThat(file.load().orElseThrow().toBytes()).isEqualTo(before);
    local.withChanges = () -> null;
    begin();
    follower.start();
    eventually(() -> local.followed.size() == 2 && metric("failing") == 0);
    follower.stop();
    assertThat(file.load().orElseThrow().toBytes()).isNotEqualTo(before);
  }

  @Test
  void changes_are_followed_although_something_else_of_the_project_fails() throws Exception {
    position();
    local.changes.put(PROJECT, changes(2));
    local.refused.add(PROJECT);
    create(PROJECT);
    follower.start();
    eventually(() -> local.followed.size() == 2);
  }

  @Test
  void an_error_does_not_end_following() throws Exception {
    create(PROJECT);
    AtomicBoolean failed = new AtomicBoolean();
    exchange =
        () -> {
          if (failed.compareAndSet(false, true)) {
            throw new LinkageError("expected");
          }
        };
    follower.start();
    eventually(() -> local.asked.contains(PROJECT));
    assertThat(failed).isTrue();
  }

  @Test
  void ref_that_cannot_be_parsed_holds_up_no_project() throws Exception {
    create(PROJECT);
    position();
    for (String ref :
        List.of("refs/users/01/1/edit-99999999999/1", "refs/changes/99/9".repeat(9))) {
      RefChange hostile = new RefChange(ref, ObjectId.zeroId(), LongLog.id(0));
      new LongLog(gerrit.store(), PROJECT.get()).append(List.of(hostile));
    }
    Project.NameKey other = Project.nameKey("other");
    create(other);
    follower.start();
    eventually(() -> local.asked.contains(other) && status.report().ready());
    assertThat(status.report().failure()).isEmpty();
  }

  @Test
  void error_while_a_project_is_evicted_fails_that_one() throws Exception {
    position();
    local.unreadable.put(PROJECT, new StackOverflowError());
    create(PROJECT);
    Project.NameKey other = Project.nameKey("other");
    create(other);
    follower.start();
    eventually(() -> local.asked.contains(other) && status.report().ready());
    assertThat(local.asked).doesNotContain(PROJECT);
    assertThat(status.report().failure()).isNotEmpty();
    local.unreadable.clear();
    eventually(() -> local.asked.contains(PROJECT) && status.report().failure().isEmpty());
  }

  @Holds(
      "Follower, LocalState: Caches that rights rest on are evicted before documents are written, "
          + "and wait for none")
  @Test
  void rights_are_evicted_while_documents_hang() throws Exception {
    position();
    CountDownLatch end = new CountDownLatch(1);
    local.changes.put(PROJECT, changes(1));
    local.withChanges = () -> end.await(MOST.toSeconds(), TimeUnit.SECONDS);
    create(PROJECT);
    follower.start();
    eventually(() -> local.compared.contains(PROJECT));
    Project.NameKey other = Project.nameKey("other");
    create(other);
    eventually(() -> local.evicted.contains(other) && local.asked.contains(other));
    assertThat(local.followed).isEmpty();
    end.countDown();
    eventually(() -> status.report().ready());
  }

  @Test
  void event_that_hangs_keeps_no_node_from_following() throws Exception {
    CountDownLatch hangs = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    post =
        () -> {
          hangs.countDown();
          Uninterruptibles.awaitUninterruptibly(end);
        };
    follower.start();
    assertThat(hangs.await(MOST.toSeconds(), TimeUnit.SECONDS)).isTrue();
    create(PROJECT);
    eventually(() -> local.evicted.contains(PROJECT) && local.asked.contains(PROJECT));
    end.countDown();
  }

  @Holds("Follower: Events that hang take eight threads at most, and following goes on")
  @Test
  void at_most_eight_threads_post_events_that_hang() throws Exception {
    AtomicInteger begun = new AtomicInteger();
    Semaphore ends = new Semaphore(0);
    post =
        () -> {
          begun.incrementAndGet();
          ends.acquireUninterruptibly();
        };
    postLong = Duration.ZERO;
    begin();
    try {
      follower.start();
      eventually(() -> begun.get() == Follower.HANGING);
      rounds(3);
      assertThat(begun).hasValue(Follower.HANGING);
      ends.release();
      eventually(() -> begun.get() == Follower.HANGING + 1);
      rounds(3);
      assertThat(begun).hasValue(Follower.HANGING + 1);
    } finally {
      ends.release(1_000);
    }
  }

  @Test
  void rights_are_evicted_although_documents_fail() throws Exception {
    position();
    local.refused.add(ALL_USERS);
    create(ALL_USERS);
    follower.start();
    eventually(() -> local.evicted.contains(ALL_USERS) && local.asked.contains(ALL_USERS));
  }

  @Test
  void content_of_all_users_keeps_no_node_from_being_ready() throws Exception {
    create(ALL_USERS);
    local.changes.put(ALL_USERS, changes(2));
    local.broken = Change.id(1);
    follower.start();
    eventually(() -> local.followed.contains(Change.id(2)) && metric("failing") == 1);
    eventually(() -> status.report().ready());
    assertThat(metric("failing")).isOne();
  }
}
