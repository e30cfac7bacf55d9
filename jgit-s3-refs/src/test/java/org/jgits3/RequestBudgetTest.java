// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.jgits3.TestRepositories.delete;
import static org.jgits3.TestRepositories.update;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.RefUpdate.Result;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.StoredConfig;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.RequestKind;
import org.jgits3.store.RequestOutcome;
import org.jgits3.store.StoreKind;
import org.jgits3.testing.EachStore;
import org.jgits3.testing.Holds;
import org.jgits3.testing.PackBytes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Requests of each operation to the store, beside another process elsewhere. */
@Holds("No operation takes more requests than [round trips](roundtrips.md) says")
@EachStore
class RequestBudgetTest extends TwoProcesses {
  /** Row of all changes of refs. */
  private static final String CHANGE =
      "update, creation, deletion or rename of a ref; batch of 1,000 updates";

  /** Row of all reads that one validation answers. */
  private static final String VALIDATION =
      "look-up; open and look-up; request with any number of look-ups; scan for changes;"
          + " refused update, or no change";

  /** Row of a deletion and a fork in a process that knows neither repository. */
  private static final String COLD = "delete a repository, or fork a template, first in a process";

  /** Row of all reads that ask nothing. */
  private static final String WITHIN_WINDOW =
      "open, look-up, listing or request within the window of `validate`";

  private static final String REF = "refs/heads/master";

  @Parameter StoreKind kind;
  @TempDir Path directory;

  private final RequestCounts counts = new RequestCounts();

  /** Requests that were made one after the other, and the end of the last of them. */
  private int depth;

  private long lastEnd;

  /** Name that a process which knows nothing looks up after each request. */
  private Optional<String> lookedUp = Optional.empty();

  /** Results of these look-ups: true where there was a repository. */
  private final List<Boolean> found = new ArrayList<>();

  @Override
  protected ObjectStore store() throws IOException {
    return kind.open(directory);
  }

  @Override
  protected ObjectStore storeHere() throws IOException {
    return new ObservedObjectStore(store(), this::count);
  }

  @BeforeEach
  void create() throws Exception {
    update(there, REF, first);
    there.getRefDatabase().compact();
  }

  /** Opens the repository in a process that has served it before, objects included. */
  private void openWarm(String validate) throws Exception {
    open(validate);
    here.exactRef(REF);
    here.parseCommit(first);
    here.parseCommit(second);
  }

  /** Something that is done to a repository. */
  @FunctionalInterface
  private interface Operation {
    void run() throws Exception;
  }

  /** Leaves out what a compaction in the background adds, whenever that may be. */
  private synchronized void count(RequestKind kind, RequestOutcome how, long bytes, long nanos) {
    if (!Thread.currentThread().getName().startsWith("jgit-s3-compaction")) {
      long now = System.nanoTime();
      counts.requestEnded(kind, how, bytes, nanos);
      if (depth == 0 || now - nanos - lastEnd >= 0) {
        depth++; // began after the one before had ended
        lastEnd = now;
      }
      lookedUp.ifPresent(name -> found.add(exists(name)));
    }
  }

  private boolean exists(String name) {
    try (S3RepositoryManager fresh = TestRepositories.manager(store());
        Repository opened = fresh.openRepository(name)) {
      return opened != null;
    } catch (RepositoryNotFoundException e) {
      return false;
    } catch (IOException | ConfigInvalidException e) {
      throw new IllegalStateException(e);
    }
  }

  private RequestCounts.Snapshot cost(Operation operation) throws Exception {
    RequestCounts.Snapshot before = counts.snapshot();
    depth = 0;
    operation.run();
    return counts.snapshot().since(before);
  }

  /** Compares an operation with its row of the documented table. */
  private void costs(String row, Operation operation) throws Exception {
    RequestCounts.Snapshot cost = cost(operation);
    RoundTrips.assertCost(row, cost, depth);
  }

  /**
   * Compares an operation with its row.
   *
   * @param name name that gets a repository, or loses it, by the commit
   * @param after number of requests after the commit
   */
  private void costs(String row, String name, int after, Operation operation) throws Exception {
    boolean before = exists(name);
    found.clear();
    lookedUp = Optional.of(name);
    costs(row, operation);
    lookedUp = Optional.empty();
    int commit = found.size() - after - 1;
    assertThat(found.subList(0, commit)).as("before the commit: %s", row).containsOnly(before);
    assertThat(found.subList(commit, found.size())).as("since: %s", row).containsOnly(!before);
  }

  @Test
  void look_up_of_unchanged_refs_is_one_request_without_content() throws Exception {
    openWarm("always");
    costs(VALIDATION, () -> here.exactRef(REF));
    assertThat(cost(() -> here.exactRef(REF)).totalBytes()).isZero();
  }

  @Test
  void look_up_within_the_window_is_no_request() throws Exception {
    openWarm("1 h");
    costs(WITHIN_WINDOW, () -> here.getRefDatabase().getRefs());
    costs(WITHIN_WINDOW, () -> manager.openRepository("r").close());
  }

  @Test
  void to_serve_a_request_within_the_window_is_no_request() throws Exception {
    openWarm("1 h");
    costs(WITHIN_WINDOW, this::fetch);
  }

  private void fetch() throws IOException {
    try (S3Repository r = manager.openRepository("r", Purpose.request())) {
      assertThat(r.getRefDatabase().getRefs()).hasSize(2);
    }
  }

  @Test
  void the_first_request_after_a_cold_start_is_three_requests() throws Exception {
    start("always");
    costs("first request served after a cold start", this::fetch);
  }

  @Test
  void first_look_up_of_refs_in_the_manifest_is_two_requests() throws Exception {
    try (Repository small = elsewhere.createRepository("small")) {
      update(small, REF, TestRepositories.commit(small, "small"));
    }
    start("always");
    Operation lookUp =
        () -> {
          try (S3Repository r = manager.openRepository("small", Purpose.request())) {
            assertThat(r.exactRef(REF)).isNotNull();
            assertThat(r.getRefDatabase().getRefs()).hasSize(2);
          }
        };
    costs("the same if the refs fit into the manifest", lookUp);
  }

  @Test
  void first_look_up_after_a_cold_start_is_two_requests() throws Exception {
    open("always");
    costs("first look-up through a handle that was opened cold", () -> here.exactRef(REF));
  }

  @Test
  void to_open_a_known_repository_for_one_look_up_is_one_request() throws Exception {
    openWarm("always");
    costs(VALIDATION, () -> assertThat(lookUp("r")).isEqualTo(first));
  }

  @Test
  void to_serve_a_request_with_any_number_of_look_ups_is_one_request() throws Exception {
    openWarm("always");
    Operation fetch =
        () -> {
          try (S3Repository r = manager.openRepository("r", Purpose.request())) {
            assertThat(r.exactRef(REF).getObjectId()).isEqualTo(first);
            assertThat(r.getRefDatabase().getRefs()).hasSize(2);
          }
        };
    costs(VALIDATION, fetch);
  }

  @Test
  void to_open_again_for_the_same_request_is_no_request() throws Exception {
    openWarm("always");
    long began = System.nanoTime();
    Operation open = () -> assertThat(lookUpFor(began)).isEqualTo(first);
    costs(VALIDATION, open);
    costs("open again for the same request", open);
  }

  private ObjectId lookUpFor(long began) throws IOException {
    try (S3Repository r = manager.openRepository("r", Purpose.request(began))) {
      return r.exactRef(REF).getObjectId();
    }
  }

  @Test
  void to_scan_for_changes_is_one_request() throws Exception {
    openWarm("always");
    costs(VALIDATION, here::scanForRepoChanges);
  }

  @Test
  void an_update_is_one_request() throws Exception {
    openWarm("always");
    costs(CHANGE, () -> assertThat(update(here, REF, second)).isEqualTo(Result.FAST_FORWARD));
    costs(CHANGE, () -> assertThat(update(here, "refs/heads/new", first)).isEqualTo(Result.NEW));
  }

  @Test
  void a_forced_update_is_one_request() throws Exception {
    openWarm("always");
    RefUpdate u = here.updateRef(REF);
    u.setNewObjectId(second);
    u.setExpectedOldObjectId(first);
    costs(CHANGE, () -> assertThat(u.forceUpdate()).isEqualTo(Result.FORCED));
  }

  @Test
  void a_deletion_is_one_request() throws Exception {
    openWarm("always");
    costs(CHANGE, () -> assertThat(delete(here, REF)).isEqualTo(Result.FORCED));
  }

  @Test
  void a_rename_is_one_request() throws Exception {
    openWarm("always");
    costs(
        CHANGE,
        () -> assertThat(here.renameRef(REF, "refs/heads/x").rename()).isEqualTo(Result.RENAMED));
  }

  @Test
  void a_refusal_is_one_request() throws Exception {
    openWarm("always");
    RefUpdate u = here.updateRef(REF);
    u.setNewObjectId(second);
    u.setExpectedOldObjectId(second);
    costs(VALIDATION, () -> assertThat(u.update()).isEqualTo(Result.LOCK_FAILURE));
    costs(VALIDATION, () -> assertThat(update(here, REF, first)).isEqualTo(Result.NO_CHANGE));
    costs(
        VALIDATION,
        () -> assertThat(update(here, REF + "/x", first)).isEqualTo(Result.LOCK_FAILURE));
  }

  @Test
  void an_update_on_refs_that_changed_elsewhere_is_three_requests() throws Exception {
    openWarm("always");
    update(there, "refs/heads/other", first);
    costs(
        "update after another process changed refs",
        () -> assertThat(update(here, REF, second)).isEqualTo(Result.FAST_FORWARD));
  }

  @Test
  void an_update_of_a_ref_that_changed_elsewhere_is_three_requests() throws Exception {
    ObjectId third = TestRepositories.commit(there, "third", second);
    openWarm("always");
    here.parseCommit(third);
    update(there, REF, second);
    costs(
        "update after another process changed refs",
        () -> assertThat(update(here, REF, third)).isEqualTo(Result.FAST_FORWARD));
  }

  @Test
  void a_thousand_updates_in_a_batch_are_one_request() throws Exception {
    openWarm("always");
    Operation batch =
        () ->
            TestRepositories.assertAllOk(
                TestRepositories.createAll(here, first, 1000, i -> "refs/heads/b" + i));
    costs(CHANGE, batch);
  }

  @Test
  void a_push_after_its_advertisement_is_a_bundle_and_one_conditional_write() throws Exception {
    openWarm("always");
    PackBytes pack = PackBytes.ofSize(1_000, 1);
    Operation push =
        () -> {
          try (S3Repository r = manager.openRepository("r", Purpose.push())) {
            pack.pushTo(r);
            assertThat(update(r, "refs/heads/pushed", pack.commit())).isEqualTo(Result.NEW);
          }
        };
    here.exactRef(REF); // the advertisement
    costs("push after its advertisement, through the library", push);
  }

  @Test
  void a_repository_is_created_by_two_writes() throws Exception {
    start("always");
    long began = System.nanoTime();
    costs("create a repository", "new", 0, () -> manager.createRepository("new").close());
    costs(
        "open again for the same request",
        () -> manager.openRepository("new", Purpose.request(began)).close());
  }

  @Test
  void to_open_again_after_an_update_that_began_later_is_no_request() throws Exception {
    openWarm("always");
    long began = System.nanoTime();
    update(here, REF, second);
    costs("open again for the same request", () -> assertThat(lookUpFor(began)).isEqualTo(second));
  }

  @Test
  void a_repository_is_deleted_by_a_write_and_its_name_freed_by_another() throws Exception {
    start("always");
    costs(COLD, "r", 2, () -> manager.delete("r"));
    manager.createRepository("new").close();
    costs("delete a known repository", "new", 2, () -> manager.delete("new"));
  }

  @Test
  void a_rename_is_two_writes_and_another_that_frees_the_old_name() throws Exception {
    start("always");
    costs("rename, first in a process", "new", 2, () -> manager.rename("r", "new"));
    manager.openRepository("new").close();
    costs("rename a known repository", "newer", 2, () -> manager.rename("new", "newer"));
  }

  @Test
  void repositories_are_listed_in_one_request_if_they_are_few() throws Exception {
    start("always");
    costs("list up to 1,000 repositories", () -> assertThat(manager.list()).containsExactly("r"));
  }

  @Test
  void a_configuration_is_saved_in_one_request() throws Exception {
    openWarm("always");
    StoredConfig config = here.getConfig();
    config.setBoolean("receive", null, "denyDeletes", true);
    costs("save the configuration", config::save);
  }

  @Test
  void a_fork_of_a_known_template_is_two_writes_and_a_look() throws Exception {
    TestTemplates.make(elsewhere, "r", "template");
    start("always");
    costs(COLD, () -> manager.fork("template", "a").close());
    costs("fork of a known template", () -> manager.fork("template", "b").close());
    long bytes = cost(() -> manager.fork("template", "c").close()).totalBytes();
    assertThat(bytes).as("of one manifest").isLessThan(8 << 10);
    assertThat(lookUp("c")).isEqualTo(first);
  }

  private ObjectId lookUp(String name) throws IOException {
    try (S3Repository r = manager.openRepository(name)) {
      return r.exactRef(REF).getObjectId();
    }
  }
}
