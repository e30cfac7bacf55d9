// SPDX-License-Identifier: Apache-2.0
package org.jgits3.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.refs.log.LongLog;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.TestTables;
import org.jgits3.internal.refs.transaction.InitialRefs;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.manifest.RefChange;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Refs are brought back to what they were, by a transaction that can be undone as well. {@code
 * RefDatabasePropertyTest} restores random generations.
 */
@Holds("RefRestoration: Refs are restored all or none, and never over changes made since the plan")
class RefRestorationTest {
  private static final String MASTER = "refs/heads/master";

  @TempDir Path directory;
  @AutoClose private S3RepositoryManager manager;
  @AutoClose private S3Repository repository;
  private final List<ObjectId> commits = new ArrayList<>();

  @BeforeEach
  void create() throws Exception {
    manager = TestRepositories.manager(directory);
    repository = manager.createRepository("r");
    for (int i = 0; i < 4; i++) {
      commits.add(TestRepositories.commit(repository, "commit " + i));
    }
  }

  private RefUpdate.Result update(String name, ObjectId id) throws IOException {
    return TestRepositories.force(repository, name, id);
  }

  private long generation() throws IOException {
    return repository.history().position().generation();
  }

  @Test
  void ref_changed_twice_under_other_messages_gets_the_value_before() throws Exception {
    update(MASTER, commits.get(0));
    update("refs/heads/other", commits.get(0));
    long then = generation();
    TestRepositories.batch(
        repository,
        false,
        logged("one", commits.get(0), ObjectId.zeroId(), "refs/heads/other"),
        logged("two", commits.get(0), ObjectId.zeroId(), MASTER),
        logged("one", ObjectId.zeroId(), commits.get(1), MASTER));
    assertThat(repository.exactRef(MASTER).getObjectId()).isEqualTo(commits.get(1));
    repository.history().restoration(then).apply();
    assertThat(repository.exactRef(MASTER).getObjectId()).isEqualTo(commits.get(0));
  }

  private static ReceiveCommand logged(String message, ObjectId from, ObjectId to, String name) {
    ReceiveCommand command = new ReceiveCommand(from, to, name);
    command.setRefLogMessage(message, false);
    return command;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void ref_that_one_batch_deletes_and_creates_gets_the_value_before(boolean compacted)
      throws Exception {
    update(MASTER, commits.get(0));
    long then = generation();
    TestRepositories.batch(
        repository,
        false,
        TestRepositories.creation(MASTER, commits.get(1)),
        new ReceiveCommand(commits.get(0), ObjectId.zeroId(), MASTER));
    assertThat(repository.exactRef(MASTER).getObjectId()).isEqualTo(commits.get(1));
    if (compacted) {
      repository.getRefDatabase().compact();
    }
    repository.history().restoration(then).apply();
    assertThat(repository.exactRef(MASTER).getObjectId()).isEqualTo(commits.get(0));
  }

  @Test
  void a_plan_changes_nothing_and_tells_old_from_new() throws Exception {
    update(MASTER, commits.get(0));
    long then = generation();
    update(MASTER, commits.get(1));
    long now = generation();

    RefRestoration plan = repository.history().restoration(then);
    assertThat(plan.changes())
        .containsExactly(new RefChange(MASTER, commits.get(1), commits.get(0)));
    assertThat(plan.missing()).isEmpty();
    assertThat(generation()).isEqualTo(now);
    assertThat(repository.history().restoration(now).changes()).isEmpty();
  }

  @Test
  void a_restoration_is_one_transaction_with_a_message_of_its_own() throws Exception {
    update(MASTER, commits.get(0));
    long then = generation();
    update(MASTER, commits.get(1));
    update("refs/heads/new", commits.get(1));
    repository.updateRef("HEAD", true).link("refs/heads/new");
    long before = generation();
    repository.history().restoration(then).apply();

    assertThat(generation()).isEqualTo(before + 1);
    Transaction only = repository.history().since(before).next().orElseThrow();
    assertThat(only.message()).isEqualTo("restore-refs: refs as of generation " + then);
    assertThat(repository.exactRef("HEAD").getTarget().getName()).isEqualTo(MASTER);
    assertThat(repository.exactRef("refs/heads/new")).isNull();
  }

  @Test
  void a_ref_pushed_to_meanwhile_and_all_others_keep_their_values() throws Exception {
    update(MASTER, commits.get(0));
    update("refs/heads/a", commits.get(0));
    long then = generation();
    update(MASTER, commits.get(1));
    update("refs/heads/a", commits.get(1));
    RefRestoration plan = repository.history().restoration(then);
    update("refs/heads/a", commits.get(2));

    assertThatThrownBy(() -> plan.apply())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("refs/heads/a was changed meanwhile");
    assertThat(repository.exactRef(MASTER).getObjectId()).isEqualTo(commits.get(1));
    assertThat(repository.exactRef("refs/heads/a").getObjectId()).isEqualTo(commits.get(2));
  }

  @Test
  void an_object_that_is_gone_is_named_and_nothing_is_restored() throws Exception {
    update(MASTER, commits.get(0));
    long then = generation();
    ObjectId gone = ObjectId.fromString("1".repeat(40));
    LongLog log = new LongLog(new DirectoryObjectStore(directory), "r");
    log.append(
        List.of(
            new RefChange("refs/heads/gone", ObjectId.zeroId(), gone),
            new RefChange("refs/heads/gone", gone, ObjectId.zeroId())));
    update(MASTER, commits.get(1));
    RefRestoration plan = repository.history().restoration(then + 1);
    assertThat(plan.missing()).isEmpty();

    log.append(List.of(new RefChange("refs/heads/gone", gone, ObjectId.zeroId())));
    RefRestoration back = repository.history().restoration(generation() - 1);
    assertThat(back.missing()).extracting(RefChange::ref).containsExactly("refs/heads/gone");
    assertThatThrownBy(back::apply).isInstanceOf(MissingObjectException.class);
    assertThat(repository.exactRef(MASTER).getObjectId()).isEqualTo(commits.get(1));
  }

  @Test
  void very_many_refs_are_restored_at_once() throws Exception {
    update(MASTER, commits.get(0));
    long then = generation();
    TestRepositories.createAll(repository, commits.get(1), 5000, i -> "refs/changes/" + i);
    long between = generation();
    repository.history().restoration(then).apply();
    assertThat(repository.getRefDatabase().getRefsByPrefix("refs/changes/")).isEmpty();
    repository.history().restoration(between).apply();
    assertThat(repository.getRefDatabase().getRefsByPrefix("refs/changes/")).hasSize(5000);
  }

  @Test
  void generations_that_the_log_does_not_reach_are_refused() throws Exception {
    update(MASTER, commits.get(0));
    long first = generation();
    assertThat(repository.history().restoration(first - 1).changes())
        .containsExactly(new RefChange(MASTER, commits.get(0), ObjectId.zeroId()));
    assertThatThrownBy(() -> repository.history().restoration(first - 2))
        .isInstanceOf(HistoryUnavailableException.class)
        .hasMessageContaining("begins with generation " + first);
    assertThatThrownBy(() -> repository.history().restoration(first + 1))
        .isInstanceOf(HistoryUnavailableException.class)
        .hasMessageContaining("in the future");
  }

  @Test
  void a_symbolic_ref_that_an_atomic_batch_deleted_comes_back() throws Exception {
    update(MASTER, commits.get(0));
    repository.updateRef("refs/heads/link", true).link(MASTER);
    List<String> before = TestRepositories.refs(repository);
    long then = generation();
    TestRepositories.batch(
        repository,
        true,
        new ReceiveCommand(commits.get(0), ObjectId.zeroId(), "refs/heads/link"),
        new ReceiveCommand(ObjectId.zeroId(), commits.get(1), "refs/heads/a"));
    assertThat(repository.exactRef("refs/heads/link")).isNull();
    assertThat(repository.exactRef(MASTER).getObjectId()).isEqualTo(commits.get(0));

    assertThat(repository.getRefDatabase().getReflogReader(MASTER).getReverseEntries()).hasSize(1);
    repository.history().restoration(then).apply();
    assertThat(TestRepositories.refs(repository)).isEqualTo(before);
    assertThat(repository.exactRef("refs/heads/link").getTarget().getName()).isEqualTo(MASTER);
    assertThat(repository.exactRef("HEAD").getTarget().getName()).isEqualTo(MASTER);
  }

  @Test
  void branch_that_was_no_commit_is_not_restored() throws Exception {
    ObjectId blob = TestRepositories.blob(repository, new byte[] {1});
    PackedRefsTable table = TestTables.of(Map.of(MASTER, TestTables.direct(blob)));
    InitialRefs unchecked = new InitialRefs(table, TestRepositories.WHO, "made");
    repository.getRefDatabase().commitBatch(unchecked, table::tips, unchecked.bytes());
    long bad = generation();
    assertThat(update(MASTER, commits.get(0))).isEqualTo(RefUpdate.Result.FORCED);
    update("refs/tags/v1", commits.get(1));
    assertThatThrownBy(() -> repository.history().restoration(bad).apply())
        .isInstanceOf(IOException.class)
        .hasMessageContaining(MASTER + " pointed to " + blob.name() + ", which is no commit");
    assertThat(repository.exactRef(MASTER).getObjectId()).isEqualTo(commits.get(0));
    assertThat(repository.exactRef("refs/tags/v1")).isNotNull();
  }
}
