// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.jgits3.TestRepositories.creation;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.eclipse.jgit.transport.ReceiveCommand.Result;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of what the comparison leaves out: operations in {@link RefDirectoryLimits}, and reflogs by
 * way of the repository.
 */
@Holds(
    "BatchRules, BulkUpdate: A batch accepts no command that a check of each would refuse, and an "
        + "atomic one no two for one ref")
class UnlikeRefDirectoryTest {
  private static final String MASTER = "refs/heads/master";
  private static final String OTHER = "refs/heads/other";

  @TempDir Path directory;
  @AutoClose private S3RepositoryManager manager;
  @AutoClose private S3Repository repository;
  private ObjectId first;
  private ObjectId second;

  @BeforeEach
  void create() throws Exception {
    manager = TestRepositories.manager(directory);
    repository = manager.createRepository("r");
    first = TestRepositories.commit(repository, "first");
    second = TestRepositories.commit(repository, "second", first);
    set(MASTER, first);
  }

  private void set(String name, ObjectId id) throws IOException {
    RefUpdate u = repository.updateRef(name, true);
    u.setNewObjectId(id);
    u.setRefLogMessage("set", false);
    u.forceUpdate();
  }

  private void link(String name, String target) throws IOException {
    repository.updateRef(name, true).link(target);
  }

  private List<Result> atomic(ReceiveCommand... commands) throws IOException {
    TestRepositories.batch(repository, true, commands);
    return Arrays.stream(commands).map(ReceiveCommand::getResult).toList();
  }

  @Test
  void an_atomic_batch_with_two_commands_for_a_ref_changes_nothing() throws Exception {
    assertThat(atomic(creation(OTHER, first), creation(OTHER, second)))
        .containsExactly(Result.REJECTED_OTHER_REASON, Result.LOCK_FAILURE);
    assertThat(repository.exactRef(OTHER)).isNull();
  }

  @Test
  void a_rename_to_a_ref_that_exists_changes_nothing() throws Exception {
    set(OTHER, second);
    assertThat(repository.renameRef(MASTER, OTHER).rename())
        .isEqualTo(RefUpdate.Result.LOCK_FAILURE);
    assertThat(repository.exactRef(OTHER).getObjectId()).isEqualTo(second);
    assertThat(repository.exactRef(MASTER).getObjectId()).isEqualTo(first);
    assertThat(repository.getRefDatabase().getReflogReader(OTHER).getLastEntry().getComment())
        .isEqualTo("set");
  }

  @Test
  void a_rename_that_another_ref_is_in_the_way_of_changes_nothing() throws Exception {
    String symbolic = "refs/heads/symbolic";
    link(symbolic, "refs/heads/unborn");
    set(OTHER + "/deep/below", second);
    for (String name : List.of(symbolic, OTHER, OTHER + "/deep", OTHER + "/deep/below/more")) {
      assertThat(repository.renameRef(MASTER, name).rename())
          .isEqualTo(RefUpdate.Result.LOCK_FAILURE);
    }
    assertThat(repository.exactRef(symbolic).isSymbolic()).isTrue();
    assertThat(repository.exactRef(MASTER).getObjectId()).isEqualTo(first);
  }

  @Test
  void an_update_through_a_symbolic_ref_to_a_name_that_is_taken_is_refused() throws Exception {
    link(OTHER, MASTER + "/below");
    assertThat(TestRepositories.update(repository, OTHER, second))
        .isEqualTo(RefUpdate.Result.LOCK_FAILURE);
    assertThat(repository.exactRef(MASTER + "/below")).isNull();
  }

  private ObjectId blob() throws IOException {
    return TestRepositories.blob(repository, new byte[] {1});
  }

  @Test
  void ref_to_a_blob_is_not_renamed_to_a_branch() throws Exception {
    String blob = "refs/blobs/one";
    set(blob, blob());
    assertThat(repository.renameRef(blob, OTHER).rename())
        .isEqualTo(RefUpdate.Result.REJECTED_OTHER_REASON);
    assertThat(repository.exactRef(OTHER)).isNull();
    assertThat(repository.renameRef(blob, "refs/blobs/two").rename())
        .isEqualTo(RefUpdate.Result.RENAMED);
    set("refs/commits/one", first);
    assertThat(repository.renameRef("refs/commits/one", OTHER).rename())
        .isEqualTo(RefUpdate.Result.RENAMED);
  }

  @Holds(
      "S3RefDatabase, BatchRules, S3RefUpdate, S3RefRename, RefRestoration, SourceRefs: A branch, "
          + "and a detached `HEAD`, points to a commit")
  @Test
  void branch_is_not_set_to_an_object_that_is_no_commit() throws Exception {
    link("refs/alias/other", OTHER);
    for (String name : List.of(MASTER, OTHER, "refs/alias/other", "HEAD")) {
      RefUpdate update = repository.updateRef(name, name.equals("HEAD"));
      update.setNewObjectId(blob());
      assertThat(update.forceUpdate()).isEqualTo(RefUpdate.Result.REJECTED_OTHER_REASON);
    }
    ReceiveCommand through = creation("refs/alias/other", blob());
    assertThat(atomic(creation("refs/tags/v1", first), through))
        .containsExactly(Result.REJECTED_OTHER_REASON, Result.REJECTED_OTHER_REASON);
    ReceiveCommand update = new ReceiveCommand(first, blob(), MASTER);
    assertThat(atomic(update)).containsExactly(Result.REJECTED_OTHER_REASON);
    assertThat(update.getMessage())
        .isEqualTo(
            "cannot update ref 'refs/heads/master': trying to write non-commit object "
                + blob().name()
                + " to branch 'refs/heads/master'");
    assertThat(repository.exactRef(MASTER).getObjectId()).isEqualTo(first);
    assertThat(atomic(creation("refs/tags/blob", blob()))).containsExactly(Result.OK);
  }

  private String pushed(ObjectId from, ObjectId to) throws IOException {
    BatchRefUpdate batch = repository.getRefDatabase().newBatchUpdate();
    batch.setAllowNonFastForwards(true);
    batch.setRefLogMessage("push", true);
    batch.addCommand(new ReceiveCommand(from, to, OTHER));
    TestRepositories.execute(repository, batch);
    return repository.getRefDatabase().getReflogReader(OTHER).getLastEntry().getComment();
  }

  @Test
  void reflog_tells_forced_pushes_from_others() throws Exception {
    assertThat(pushed(ObjectId.zeroId(), first)).isEqualTo("push: created");
    assertThat(pushed(first, second)).isEqualTo("push: fast-forward");
    assertThat(pushed(second, first)).isEqualTo("push: forced-update");
  }

  @Test
  @SuppressWarnings("deprecation")
  void the_repository_finds_reflogs_and_what_they_say_of_the_past() throws Exception {
    set(MASTER, second);
    set(MASTER, first);
    assertThat(repository.getReflogReader(MASTER).getLastEntry().getComment()).isEqualTo("set");
    assertThat(repository.getReflogReader("master")).isNull();
    assertThat(repository.getReflogReader("refs/heads/none")).isNull();
    assertThat(repository.getReflogReader(repository.exactRef(MASTER)).getReverseEntries())
        .hasSize(3);
    assertThat(repository.resolve("master@{1}")).isEqualTo(second);
    assertThat(repository.resolve("master@{2}")).isEqualTo(first);
  }
}
