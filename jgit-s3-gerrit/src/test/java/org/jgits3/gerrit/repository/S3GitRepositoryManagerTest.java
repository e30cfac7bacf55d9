// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.base.Throwables;
import com.google.gerrit.entities.Project;
import com.google.gerrit.server.config.GerritRuntime;
import com.google.gerrit.server.git.GitRepositoryManager.Status;
import com.google.gerrit.server.git.LocalDiskRepositoryManager;
import com.google.gerrit.server.git.RepositoryExistsException;
import com.google.gerrit.server.util.ManualRequestContext;
import com.google.gerrit.server.util.RequestContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.TestRepositories;
import org.jgits3.gerrit.TestSite;
import org.jgits3.gerrit.TwoGerrits;
import org.jgits3.store.Freshness;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Two Gerrits on one store, as far as their repositories go. */
@Holds(
    "Requests: A node examines a change on refs at least as new as those that the round learned of")
class S3GitRepositoryManagerTest extends TwoGerrits {
  private static final Project.NameKey PROJECT = Project.nameKey("a/project");
  private static final String REF = "refs/heads/main";

  /** More than background compaction leaves alone. */
  private static final int COMMITS = 30;

  /** Begins a request in this thread. */
  private RequestContext request() {
    return TestSite.begin(requests);
  }

  private static ObjectId commit(S3GitRepositoryManager gerrit, String message) throws Exception {
    try (Repository r = gerrit.openRepository(PROJECT)) {
      ObjectId id = TestRepositories.commit(r, message);
      set(r, id);
      return id;
    }
  }

  private static void set(Repository r, ObjectId id) throws Exception {
    assertThat(TestRepositories.force(r, REF, id))
        .isIn(RefUpdate.Result.NEW, RefUpdate.Result.FORCED);
  }

  private static ObjectId read(S3GitRepositoryManager gerrit) throws Exception {
    try (Repository r = gerrit.openRepository(PROJECT)) {
      return r.exactRef(REF).getObjectId();
    }
  }

  /** Gerrit looks at the root cause to tell a request for what does not exist from a failure. */
  @Test
  void root_cause_of_a_missing_project_is_that_it_is_missing() throws Exception {
    here.createRepository(PROJECT).close();
    here.delete(PROJECT);
    for (Project.NameKey name : List.of(PROJECT, Project.nameKey("never/made"))) {
      assertThatThrownBy(() -> here.openRepository(name))
          .isInstanceOf(RepositoryNotFoundException.class)
          .extracting(Throwables::getRootCause)
          .isInstanceOf(RepositoryNotFoundException.class);
    }
  }

  @Test
  void a_project_is_created_once() throws Exception {
    assertThat(here.getRepositoryStatus(PROJECT)).isEqualTo(Status.NON_EXISTENT);
    assertThatThrownBy(() -> here.openRepository(PROJECT))
        .isInstanceOf(RepositoryNotFoundException.class);
    here.createRepository(PROJECT).close();
    assertThat(here.getRepositoryStatus(PROJECT)).isEqualTo(Status.ACTIVE);
    assertThat(there.getRepositoryStatus(PROJECT)).isEqualTo(Status.ACTIVE);
    assertThatThrownBy(() -> there.createRepository(PROJECT))
        .isInstanceOf(RepositoryExistsException.class);
    assertThatThrownBy(() -> here.createRepository(Project.nameKey("a/project.git")))
        .isInstanceOf(RepositoryExistsException.class);
    assertThat(here.canPerformGC()).isTrue();
  }

  @Test
  void of_many_that_create_a_project_one_does() throws Exception {
    List<Future<Boolean>> created = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
      for (int i = 0; i < 8; i++) {
        S3GitRepositoryManager gerrit = i % 2 == 0 ? here : there;
        Callable<Boolean> create =
            () -> {
              try {
                gerrit.createRepository(PROJECT).close();
                return true;
              } catch (RepositoryExistsException e) {
                return false;
              }
            };
        created.add(threads.submit(create));
      }
    }
    int winners = 0;
    for (Future<Boolean> each : created) {
      winners += each.get() ? 1 : 0;
    }
    assertThat(winners).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/a", "a/", "../a", "a/../b", "a/./b", "a//b", "a.git/b", "a?b", "a%b", "a*b", "a:b", "a<b",
        "a>b", "a|b", "a$b", "a\rb", "a/+b", "a~b", "a\\b"
      })
  void names_that_gerrit_refuses_are_refused(String name) throws Exception {
    Project.NameKey project = Project.nameKey(name);
    LocalDiskRepositoryManager disk = site.localDisk();
    assertThatThrownBy(() -> disk.createRepository(project))
        .isInstanceOf(RepositoryNotFoundException.class);
    assertThatThrownBy(() -> here.createRepository(project))
        .isInstanceOf(RepositoryNotFoundException.class);
    assertThatThrownBy(() -> here.openRepository(project))
        .isInstanceOf(RepositoryNotFoundException.class);
    assertThat(here.getRepositoryStatus(project)).isEqualTo(Status.NON_EXISTENT);
    assertThat(here.list()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a", "All-Users", "a/b/c", "a b", "a.b", "a+b", "a@b", "a#b", "a&b", "a'b", "a(b)", "ä",
        "a=b", "a,b", "a;b", "a!b", "a{b}", "a[b]", "a^b", "-a", ".a", "..a", "a..", "a.gitb"
      })
  void names_that_gerrit_takes_are_taken(String name) throws Exception {
    Project.NameKey project = Project.nameKey(name);
    site.localDisk().createRepository(project).close();
    here.createRepository(project).close();
    here.openRepository(project).close();
    assertThat(there.list()).containsExactly(project);
  }

  @Test
  void each_request_lists_what_there_was_when_it_began() throws Exception {
    request();
    assertThat(here.list()).isEmpty();
    there.createRepository(Project.nameKey("b")).close();
    assertThat(here.list()).isEmpty();
    here.createRepository(Project.nameKey("a")).close();
    assertThat(here.list()).containsExactly(Project.nameKey("a"), Project.nameKey("b"));
    there.createRepository(Project.nameKey("c")).close();
    request();
    assertThat(here.list()).hasSize(3).isUnmodifiable();
  }

  @Test
  void repositories_that_are_no_projects_are_not_listed() throws Exception {
    Config config = new Config();
    config.setString("s3", null, "store", "file:" + directory.resolve("store"));
    try (S3RepositoryManager library = S3RepositoryManager.open(S3Settings.from(config, "test"))) {
      library.createRepository("a~b").close();
    }
    assertThat(here.list()).isEmpty();
  }

  @Test
  void a_request_validates_once_and_sees_what_is_written_here() throws Exception {
    there.createRepository(PROJECT).close();
    ObjectId first = commit(there, "first");
    RequestContext context = request();
    assertThat(read(here)).isEqualTo(first);
    ObjectId elsewhere = commit(there, "elsewhere");
    assertThat(read(here)).as("no second validation").isEqualTo(first);
    try (ExecutorService worker = Executors.newSingleThreadExecutor()) {
      Callable<ObjectId> read =
          () -> {
            requests.setContext(context);
            return read(here);
          };
      assertThat(worker.submit(read).get()).as("of a worker neither").isEqualTo(first);
    }
    request();
    assertThat(read(here)).isEqualTo(elsewhere);
    ObjectId own = commit(here, "own");
    assertThat(read(here)).isEqualTo(own);
  }

  @Test
  void work_outside_requests_sees_what_is_written_elsewhere_soon() throws Exception {
    there.createRepository(PROJECT).close();
    commit(there, "first");
    read(here);
    ObjectId second = commit(there, "second");
    Thread.sleep(Requests.OUTSIDE.toMillis());
    assertThat(read(here)).isEqualTo(second);
  }

  @Test
  void work_that_began_earlier_sees_what_was_read_since() throws Exception {
    there.createRepository(PROJECT).close();
    ObjectId first = commit(there, "first");
    long began = System.nanoTime();
    request();
    assertThat(read(here)).isEqualTo(first);
    ObjectId second = commit(there, "second");
    request();
    assertThat(here.since(began, () -> read(here))).as("no validation").isEqualTo(first);
    assertThat(here.since(System.nanoTime(), () -> read(here))).isEqualTo(second);
  }

  @Test
  void a_project_that_was_missing_after_work_began_is_looked_for_again() throws Exception {
    long began = System.nanoTime();
    request();
    assertThatThrownBy(() -> here.openRepository(PROJECT))
        .isInstanceOf(RepositoryNotFoundException.class);
    there.createRepository(PROJECT).close();
    ObjectId first = commit(there, "first");
    assertThat(here.since(began, () -> read(here))).isEqualTo(first);
  }

  @Test
  void a_project_that_is_missing_is_looked_for_once_in_a_request() throws Exception {
    request();
    assertThatThrownBy(() -> here.openRepository(PROJECT))
        .isInstanceOf(RepositoryNotFoundException.class);
    there.createRepository(PROJECT).close();
    assertThatThrownBy(() -> here.openRepository(PROJECT))
        .as("no second look")
        .isInstanceOf(RepositoryNotFoundException.class);
    request();
    here.openRepository(PROJECT).close();
  }

  @Test
  void tasks_of_a_request_find_a_project_that_was_missing_just_before_it() throws Exception {
    request();
    assertThat(here.getRepositoryStatus(PROJECT)).isEqualTo(Status.NON_EXISTENT);
    there.createRepository(PROJECT).close();
    request();
    assertThat(here.getRepositoryStatus(PROJECT)).isEqualTo(Status.ACTIVE);
    requests.setContext(null);
    assertThat(here.getRepositoryStatus(PROJECT)).isEqualTo(Status.ACTIVE);
  }

  @Test
  void an_http_request_that_is_queued_validates_once() throws Exception {
    there.createRepository(PROJECT).close();
    ObjectId first = commit(there, "first");
    GerritRequest http = here.begin(Optional.empty());
    assertThat(readFor(http)).isEqualTo(first);
    ObjectId second = commit(there, "second");
    assertThat(readFor(http)).as("no second validation").isEqualTo(first);
    assertThat(readFor(here.begin(Optional.empty()))).as("of another request").isEqualTo(second);
  }

  /** Reads the ref for a request, as if Gerrit passed it to its filters. */
  private ObjectId readFor(GerritRequest http) throws Exception {
    here.enter(http);
    try {
      request();
      return read(here);
    } finally {
      here.leave();
    }
  }

  @Test
  void a_project_that_an_http_request_names_is_validated_when_that_begins() throws Exception {
    there.createRepository(PROJECT).close();
    ObjectId first = commit(there, "first");
    GerritRequest http = here.begin(Optional.of(PROJECT));
    http.await(PROJECT.get());
    ObjectId second = commit(there, "second");
    assertThat(readFor(http)).as("no second validation").isEqualTo(first);
    assertThat(readFor(here.begin(Optional.of(PROJECT)))).as("of another").isEqualTo(second);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_project_that_is_created_after_an_http_request_named_it_is_there(boolean elsewhere)
      throws Exception {
    GerritRequest first = here.begin(Optional.of(PROJECT));
    awaitValidators(); // they find none
    (elsewhere ? there : here).createRepository(PROJECT).close();
    GerritRequest second = here.begin(Optional.of(PROJECT));
    awaitValidators();
    ObjectId commit = commit(there, "first");
    for (GerritRequest http : List.of(first, second)) {
      here.enter(http);
      request();
      here.openRepository(PROJECT).close();
      here.leave();
    }
    assertThat(readFor(here.begin(Optional.of(PROJECT)))).isEqualTo(commit);
  }

  private static void awaitValidators() throws InterruptedException {
    while (Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("jgit-s3-validation"))
        .noneMatch(thread -> thread.getState() == Thread.State.TIMED_WAITING)) {
      Thread.sleep(1);
    }
  }

  @Test
  void missing_project_that_a_request_names_is_there_once_created_here() throws Exception {
    here.enter(here.begin(Optional.of(PROJECT)));
    try {
      request();
      assertThatThrownBy(() -> here.openRepository(PROJECT))
          .isInstanceOf(RepositoryNotFoundException.class);
      here.createRepository(PROJECT).close();
      here.openRepository(PROJECT).close();
    } finally {
      here.leave();
    }
  }

  @Test
  void a_project_that_was_missing_is_there_once_it_is_created_here() throws Exception {
    RequestContext context = request();
    assertThatThrownBy(() -> here.openRepository(PROJECT))
        .isInstanceOf(RepositoryNotFoundException.class);
    here.createRepository(PROJECT).close();
    requests.setContext(context);
    here.openRepository(PROJECT).close();
  }

  @Test
  void an_insertion_and_the_update_of_its_ref_are_two_writes() throws Exception {
    here.createRepository(PROJECT).close();
    request();
    try (S3Repository r = (S3Repository) here.openRepository(PROJECT)) {
      long before = r.manifest().generation();
      commit(here, "first");
      assertThat(r.manifest().generation()).isEqualTo(before + 1);
    }
  }

  @Test
  void what_a_request_inserts_its_other_handles_see_without_a_write() throws Exception {
    here.createRepository(PROJECT).close();
    request();
    try (Repository first = here.openRepository(PROJECT);
        S3Repository second = (S3Repository) here.openRepository(PROJECT)) {
      long before = second.manifest().generation();
      ObjectId inserted = TestRepositories.commit(first, "first");
      assertThat(second.getObjectDatabase().has(inserted)).isTrue();
      assertThat(second.manifest().generation()).as("not listed yet").isEqualTo(before);
      set(second, inserted);
      assertThat(second.manifest().generation()).isEqualTo(before + 1);
    }
    assertThat(read(here)).isEqualTo(read(there));
  }

  @Test
  void insert_of_a_request_without_a_ref_is_listed_when_its_handle_closes() throws Exception {
    here.createRepository(PROJECT).close();
    request();
    try (S3Repository second = (S3Repository) here.openRepository(PROJECT)) {
      long before = second.manifest().generation();
      ObjectId inserted;
      try (Repository first = here.openRepository(PROJECT)) {
        inserted = TestRepositories.commit(first, "first");
        assertThat(second.manifest().generation()).isEqualTo(before);
      }
      try (Repository r = there.openRepository(PROJECT)) {
        assertThat(r.getObjectDatabase().has(inserted)).isTrue();
      }
    }
  }

  @Test
  void a_request_that_replaces_a_project_opens_the_new_one() throws Exception {
    here.createRepository(PROJECT).close();
    request();
    try (Repository old = here.openRepository(PROJECT)) {
      set(old, TestRepositories.commit(old, "old"));
      here.delete(PROJECT);
      here.createRepository(PROJECT).close();
      try (Repository now = here.openRepository(PROJECT)) {
        assertThat(now.exactRef(REF)).isNull();
      }
    }
  }

  @Test
  void a_request_within_another_sees_what_that_one_sees() throws Exception {
    there.createRepository(PROJECT).close();
    ObjectId first = commit(there, "first");
    request();
    assertThat(read(here)).isEqualTo(first);
    ObjectId second = commit(there, "second");
    Thread.sleep(Requests.OUTSIDE.toMillis()); // work outside requests would read again
    try (ManualRequestContext inner = new ManualRequestContext(() -> null, requests);
        ManualRequestContext innermost = new ManualRequestContext(() -> null, requests)) {
      assertThat(inner).isNotSameAs(innermost);
      assertThat(read(here)).as("no second validation").isEqualTo(first);
    }
    requests.setContext(null);
    try (ManualRequestContext alone = new ManualRequestContext(() -> null, requests)) {
      assertThat(alone).isNotNull();
      assertThat(read(here)).as("of a request by itself").isEqualTo(second);
    }
  }

  @ParameterizedTest
  @EnumSource(GerritRuntime.class)
  void only_the_daemon_merges_packs_in_the_background(GerritRuntime runtime) throws Exception {
    try (AutoStop gerrit = new AutoStop(site.manager(runtime))) {
      gerrit.manager.createRepository(PROJECT).close();
      for (int i = 0; i < COMMITS; i++) {
        commit(gerrit.manager, "commit " + i);
      }
      long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
      while (runtime == GerritRuntime.DAEMON
          && packs() == COMMITS
          && System.nanoTime() < deadline) {
        Thread.sleep(20);
      }
      if (runtime == GerritRuntime.DAEMON) {
        assertThat(packs()).isLessThan(COMMITS);
      } else {
        assertThat(gerrit.manager.repositories().compactionBacklog()).isZero(); // none is under way
        assertThat(packs()).isEqualTo(COMMITS);
      }
    }
  }

  /** A Gerrit that is stopped when a test ends. */
  private record AutoStop(S3GitRepositoryManager manager) implements AutoCloseable {
    @Override
    public void close() {
      manager.stop();
    }
  }

  private int packs() throws Exception {
    try (S3Repository r = (S3Repository) there.openRepository(PROJECT)) {
      r.validate(Freshness.ALWAYS);
      return r.manifest().packs().size();
    }
  }
}
