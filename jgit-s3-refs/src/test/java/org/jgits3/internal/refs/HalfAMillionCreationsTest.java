// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.store.RequestKind;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All refs of a large Gerrit site in one batch, which is one conditional write. */
class HalfAMillionCreationsTest {
  private static final int REFS = 500_000;

  @TempDir Path directory;
  private final RequestCounts counts = new RequestCounts();
  @AutoClose private S3RepositoryManager manager;
  @AutoClose private S3Repository here;
  private ObjectId first;

  @BeforeEach
  void create() throws Exception {
    manager =
        TestRepositories.manager(
            new ObservedObjectStore(new DirectoryObjectStore(directory), counts));
    here = manager.createRepository("r");
    first = TestRepositories.commit(here, "first");
  }

  /** Two refs for each change, as Gerrit names them. */
  private static String name(int i) {
    int change = i / 2;
    return String.format("refs/changes/%02d/%d/", change % 100, change)
        + (i % 2 == 0 ? "1" : "meta");
  }

  private List<ReceiveCommand> create(int count, boolean atomic) throws IOException {
    BatchRefUpdate batch = here.getRefDatabase().newBatchUpdate();
    batch.setAtomic(atomic);
    for (int i = 0; i < count; i++) {
      batch.addCommand(TestRepositories.creation(name(i), first));
    }
    TestRepositories.execute(here, batch);
    return batch.getCommands();
  }

  private long written() {
    return counts.snapshot().of(RequestKind.PUT_IF);
  }

  private static void assertAll(List<ReceiveCommand> commands, ReceiveCommand.Result result) {
    assertThat(commands.stream().filter(c -> c.getResult() != result).toList()).isEmpty();
  }

  @Test
  @Tag("long") // LargeBatchTest has a smaller one
  void are_one_write_and_all_there_for_a_process_that_starts_afresh() throws Exception {
    long before = written();
    assertAll(create(REFS, true), ReceiveCommand.Result.OK);
    assertThat(written() - before).isEqualTo(1);

    try (S3RepositoryManager later = TestRepositories.manager(new DirectoryObjectStore(directory));
        S3Repository cold = later.openRepository("r")) {
      List<Ref> refs = cold.getRefDatabase().getRefsByPrefix("refs/");
      assertThat(refs.size()).isEqualTo(REFS);
      assertThat(refs.stream().allMatch(r -> first.equals(r.getObjectId()))).isTrue();
      for (int i = 0; i < REFS; i += 997) {
        assertThat(cold.exactRef(name(i))).as(name(i)).isNotNull();
      }
    }
  }
}
