// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.history.RefRestoration;
import org.jgits3.internal.refs.transaction.RefTransaction;
import org.jgits3.internal.refs.transaction.RefTransaction.Logged;
import org.jgits3.internal.refs.transaction.RefTransaction.Outcome;
import org.jgits3.manifest.RefChange;
import org.jgits3.manifest.RefValue;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of all operations with names of refs at and beyond the bounds. */
@Holds(
    "RefNames: No ref has a name that packed-refs or a client's lock file cannot have, without a "
        + "UTF-8 form, of more than 4096 bytes, or in more than 100 directories")
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
    ReceiveCommand one = create(TOO_LONG);
    batch(false, create(OTHER), one);
    ReceiveCommand ofAll = create(TOO_LONG);
    batch(true, create("refs/heads/third"), ofAll);
    for (ReceiveCommand bad : List.of(one, ofAll)) {
      assertThat(bad.getResult()).isEqualTo(ReceiveCommand.Result.REJECTED_OTHER_REASON);
      assertThat(bad.getMessage())
          .contains("more than 4096 bytes, 250 bytes between two slashes or 100 directories");
    }
    repository.updateRef("refs/heads/link").link(TOO_LONG);
    TestRepositories.force(repository, "refs/heads/link", commit);

    assertThat(repository.getRefDatabase().getRefs())
        .extracting(Ref::getName)
        .containsExactlyInAnyOrder(MAIN, OTHER);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void batch_says_whether_the_name_or_the_object_is_wrong(boolean atomic) throws Exception {
    createBeyondBounds();
    repository.updateRef("refs/heads/link").link(TOO_LONG.replace('a', 'b'));
    ObjectId blob = TestRepositories.blob(repository, new byte[1]);
    ReceiveCommand object = new ReceiveCommand(commit, blob, TOO_LONG);
    batch(atomic, object, create(OTHER));
    ReceiveCommand name = new ReceiveCommand(ObjectId.zeroId(), blob, "refs/heads/link");
    batch(atomic, name, create("refs/heads/third"));

    assertThat(object.getResult()).isEqualTo(ReceiveCommand.Result.REJECTED_OTHER_REASON);
    assertThat(object.getMessage()).contains("non-commit object " + blob.name());
    assertThat(name.getResult()).isEqualTo(ReceiveCommand.Result.REJECTED_OTHER_REASON);
    assertThat(name.getMessage()).contains("250 bytes between two slashes");
  }

  /** Creates a ref as no operation does any more. */
  private void createBeyondBounds() throws IOException {
    RefChange change = new RefChange(TOO_LONG, ObjectId.zeroId(), commit);
    Logged logged = new Logged(TestRepositories.WHO, "unchecked", List.of(change));
    RefTransaction<Boolean> unchecked =
        edits -> {
          edits.put(TOO_LONG, new RefValue.Direct(commit, Optional.empty()));
          return new Outcome<>(true, List.of(logged));
        };
    repository.getRefDatabase().commitBatch(unchecked, () -> Set.of(commit), 0);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void ref_beyond_the_bounds_is_updated_and_deleted(boolean atomic) throws Exception {
    createBeyondBounds();
    ObjectId next = TestRepositories.commit(repository, "next", commit);
    TestRepositories.assertAllOk(
        batch(atomic, create(OTHER), new ReceiveCommand(commit, next, TOO_LONG)));
    TestRepositories.assertAllOk(
        batch(
            atomic,
            create("refs/heads/third"),
            new ReceiveCommand(next, ObjectId.zeroId(), TOO_LONG)));
    assertThat(repository.exactRef(TOO_LONG)).isNull();
  }

  @Test
  void restoration_of_a_ref_beyond_the_bounds_says_them() throws Exception {
    createBeyondBounds();
    long before = repository.history().position().generation();
    TestRepositories.force(repository, TOO_LONG, TestRepositories.commit(repository, "next"));
    repository.history().restoration(before).apply();
    assertThat(repository.exactRef(TOO_LONG).getObjectId()).isEqualTo(commit);

    TestRepositories.delete(repository, TOO_LONG);
    RefRestoration plan = repository.history().restoration(before);
    assertThatThrownBy(plan::apply)
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll(TOO_LONG, "250 bytes between two slashes", "nothing was restored");
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
