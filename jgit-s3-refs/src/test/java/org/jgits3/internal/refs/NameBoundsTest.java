// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of all operations with names of refs at and beyond the bounds. */
@Holds("RefNames: No ref has a name of which clients with refs in files cannot make a lock file")
class NameBoundsTest {
  private static final String MAIN = "refs/heads/main";
  private static final String OTHER = "refs/heads/other";
  private static final String LONGEST = "refs/heads/" + "a".repeat(250);
  private static final String TOO_LONG = LONGEST + "a";

  @TempDir Path directory;
  @AutoClose private S3RepositoryManager manager;
  @AutoClose private S3Repository repository;
  private ObjectId commit;

  @BeforeEach
  void create() throws Exception {
    manager = TestRepositories.manager(directory);
    repository = manager.createRepository("r");
    commit = TestRepositories.commit(repository, "commit");
    TestRepositories.force(repository, MAIN, commit);
  }

  private BatchRefUpdate batch(boolean atomic, ReceiveCommand... commands) throws IOException {
    BatchRefUpdate batch = repository.getRefDatabase().newBatchUpdate();
    batch.setAtomic(atomic);
    batch.addCommand(commands);
    TestRepositories.execute(repository, batch);
    return batch;
  }

  private ReceiveCommand create(String name) {
    return new ReceiveCommand(ObjectId.zeroId(), commit, name);
  }

  @Test
  void no_operation_creates_a_ref_with_a_name_beyond_the_bounds() throws Exception {
    assertThat(TestRepositories.force(repository, TOO_LONG, commit))
        .isEqualTo(RefUpdate.Result.LOCK_FAILURE);
    assertThat(repository.updateRef(TOO_LONG).link(MAIN)).isEqualTo(RefUpdate.Result.LOCK_FAILURE);
    assertThat(repository.renameRef(MAIN, TOO_LONG).rename())
        .isEqualTo(RefUpdate.Result.LOCK_FAILURE);
    batch(false, create(TOO_LONG), create(OTHER));
    batch(true, create(TOO_LONG), create("refs/heads/third"));
    repository.updateRef("refs/heads/link").link(TOO_LONG);
    TestRepositories.force(repository, "refs/heads/link", commit);

    assertThat(repository.getRefDatabase().getRefs())
        .extracting(Ref::getName)
        .containsExactlyInAnyOrder(MAIN, OTHER);
  }

  @Test
  void all_operations_create_a_ref_with_the_longest_name() throws Exception {
    assertThat(repository.renameRef(MAIN, LONGEST).rename()).isEqualTo(RefUpdate.Result.RENAMED);
    TestRepositories.assertAllOk(batch(true, create(LONGEST.replace('a', 'b')), create(OTHER)));
    TestRepositories.assertAllOk(batch(false, create(LONGEST.replace('a', 'c') + "/c")));
    assertThat(repository.updateRef(LONGEST.replace('a', 'd')).link(LONGEST))
        .isEqualTo(RefUpdate.Result.NEW);
  }
}
