// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.manifest.Manifest;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Refs that stay in the manifest, more than it has room for. */
@Holds("RefEdits: A manifest has at most 256 KiB, and the refs that cannot leave it are bounded")
class ManySymbolicRefsTest {
  private static final int MANY = 2000;

  /** Part of a name, so that fewer of them fill a manifest. */
  private static final String LONG = "x".repeat(150);

  private static final String MAIN = "refs/heads/main";

  @TempDir Path directory;
  @AutoClose private S3RepositoryManager manager;
  @AutoClose private S3Repository repository;
  private ObjectId commit;

  @BeforeEach
  void create() throws Exception {
    manager = TestRepositories.manager(directory);
    repository = manager.createRepository("r");
    commit = TestRepositories.commit(repository, "first");
    set(MAIN);
  }

  private static String name(int i) {
    return "refs/remotes/upstream-" + LONG + i + "/HEAD";
  }

  private RefUpdate.Result link(String name, String target) throws IOException {
    return repository.updateRef(name).link(target);
  }

  private void set(String name) throws IOException {
    assertThat(TestRepositories.update(repository, name, commit)).isEqualTo(RefUpdate.Result.NEW);
  }

  private BatchRefUpdate batch() throws IOException {
    BatchRefUpdate batch = repository.getRefDatabase().newBatchUpdate();
    for (int i = 0; i < MANY; i++) {
      batch.addCommand(ReceiveCommand.link(ObjectId.zeroId(), MAIN, name(i)));
    }
    return batch;
  }

  private void execute(BatchRefUpdate batch) throws IOException {
    TestRepositories.execute(repository, batch);
  }

  /** Asserts that there is room for all but symbolic refs. */
  private void assertUsable() throws IOException {
    repository.getRefDatabase().compact();
    assertThat(repository.manifest().approximateBytes()).isLessThan(Manifest.MAX_BYTES / 4);
    TestRepositories.commit(repository, "pack");
    set("refs/heads/another");
    assertThat(link(Constants.HEAD, "refs/heads/" + "x".repeat(200)))
        .isEqualTo(RefUpdate.Result.FORCED);
    assertThat(link(Constants.HEAD, MAIN)).isEqualTo(RefUpdate.Result.FORCED);
  }

  @Test
  void symbolic_refs_beyond_the_limit_are_refused_by_name_and_others_go_on() throws Exception {
    int made = 0;
    IOException refused = null;
    while (made < MANY && refused == null) {
      try {
        assertThat(link(name(made), MAIN)).isEqualTo(RefUpdate.Result.NEW);
        made++;
      } catch (IOException e) {
        refused = e;
      }
    }
    assertThat(made).isBetween(150, MANY - 1);
    assertThat(refused)
        .hasMessageContaining(name(made))
        .hasMessageContaining("symbolic refs")
        .hasMessageContaining(" at most " + RefEdits.MOST_KEPT);
    assertUsable();

    assertThat(link(name(0), "refs/heads/m")).isEqualTo(RefUpdate.Result.FORCED);
    for (int i = 1; i <= 10; i++) {
      RefUpdate delete = repository.getRefDatabase().newUpdate(name(i), true);
      delete.setForceUpdate(true);
      assertThat(delete.delete()).isEqualTo(RefUpdate.Result.FORCED);
    }
    assertThat(link(name(made), MAIN)).isEqualTo(RefUpdate.Result.NEW);
    assertThat(repository.exactRef(name(made)).getObjectId()).isEqualTo(commit);
  }

  @Test
  void a_batch_of_symbolic_refs_beyond_the_limit_is_refused_with_a_message() throws Exception {
    BatchRefUpdate batch = batch();
    execute(batch);
    for (ReceiveCommand command : batch.getCommands()) {
      assertThat(command.getResult()).isEqualTo(ReceiveCommand.Result.REJECTED_OTHER_REASON);
      assertThat(command.getMessage()).contains("refs/remotes/upstream-", "symbolic refs");
    }
    assertThat(repository.getRefDatabase().getRefsByPrefix("refs/remotes/")).isEmpty();
    assertUsable();
  }

  @Test
  void refs_outside_refs_count_as_well() throws Exception {
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < MANY; i++) {
                set("BACKUP_" + LONG.toUpperCase(Locale.ROOT) + i + "_HEAD");
              }
            })
        .isInstanceOf(IOException.class)
        .hasMessageContaining("_HEAD")
        .hasMessageContaining(" at most " + RefEdits.MOST_KEPT);
    assertUsable();
  }
}
