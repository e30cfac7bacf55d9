// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.refs.table.RefFold;
import org.jgits3.internal.refs.transaction.Folds;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.metrics.Count;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.RequestKind;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Recent tables, and the bases they end in, made here instead of downloaded. */
class RecentDerivationTest extends DerivationTestCase {
  /** Changes of a ref each that do not fit into a manifest together. */
  private static final int STEP = 400;

  private final MemoryObjectStore store = new MemoryObjectStore();

  @BeforeEach
  void create() throws Exception {
    create(store, store);
    change(0, RefFold.FEW, ObjectId.zeroId(), first);
    openCompacted();
    assertSameRefs();
    assertThat(here.counters().of(Count.DOWNLOADS)).isEqualTo(1);
  }

  private void change(int from, int count, ObjectId before, ObjectId after) throws IOException {
    ReceiveCommand[] commands = new ReceiveCommand[count];
    Arrays.setAll(
        commands, i -> new ReceiveCommand(before, after, "refs/changes/" + (from + i) + "/1"));
    TestRepositories.assertAllOk(TestRepositories.batch(writer, true, commands));
  }

  private void fold() throws IOException {
    Folds.fold(writer);
  }

  @Test
  void each_recent_table_and_the_base_after_them_are_derived() throws Exception {
    int folds = 0;
    boolean recent = false;
    do {
      change(folds * STEP, STEP, first, second);
      change(folds * STEP, 7, second, ObjectId.zeroId());
      assertSameRefs(); // sees the overlay
      fold();
      assertSameRefs();
      folds++;
      assertThat(here.counters().of(Count.DERIVATIONS)).isEqualTo(folds);
      recent |= writer.manifest().refs().hasRecent();
    } while (writer.manifest().refs().hasRecent());
    assertThat(recent).isTrue();
    assertThat(folds).as("8000 entries of a recent table").isEqualTo(8000 / STEP + 1);
    assertThat(here.counters().of(Count.DOWNLOADS)).as("that of the beginning").isEqualTo(1);
  }

  @Test
  void of_a_missed_recent_table_the_base_is_not_downloaded_again() throws Exception {
    change(0, STEP, first, second);
    fold();
    change(STEP, STEP, first, second);
    fold();
    RequestCounts.Snapshot before = counts.snapshot();
    assertSameRefs();
    assertThat(counts.snapshot().since(before).total()).isEqualTo(2);
    assertThat(here.counters().of(Count.DOWNLOADS)).isEqualTo(2);
    assertThat(here.counters().of(Count.DERIVATIONS)).isZero();
  }

  @Test
  void a_process_that_begins_reads_both_tables() throws Exception {
    change(0, STEP, first, second);
    fold();
    RequestCounts cold = new RequestCounts();
    try (S3RepositoryManager late = TestRepositories.manager(new ObservedObjectStore(store, cold));
        S3Repository r = late.openRepository("r")) {
      RequestCounts.Snapshot opened = cold.snapshot();
      assertThat(TestRepositories.refs(r)).isEqualTo(TestRepositories.refs(writer));
      assertThat(late.counters().of(Count.DOWNLOADS)).isEqualTo(2);
      RequestCounts.Snapshot made = cold.snapshot().since(opened);
      assertThat(made.requests())
          .containsEntry(RequestKind.GET, 1L)
          .containsEntry(RequestKind.READ, 2L);
      assertThat(made.total()).isEqualTo(3);
    }
  }

  @Test
  void an_object_is_found_by_its_refs_in_both_tables_as_they_are_now() throws Exception {
    change(0, STEP, first, second);
    fold();
    ObjectId none = TestRepositories.commit(writer, "none");
    assertThat(reader.getRefDatabase().getTipsWithSha1(second)).hasSize(STEP);
    assertThat(reader.getRefDatabase().getTipsWithSha1(first)).hasSize(RefFold.FEW - STEP);
    assertThat(reader.getRefDatabase().getTipsWithSha1(none)).isEmpty();
    assertThat(TestRepositories.delete(reader, "refs/changes/1/1"))
        .isEqualTo(RefUpdate.Result.FORCED);
    assertThat(reader.getRefDatabase().getTipsWithSha1(second)).hasSize(STEP - 1);
  }
}
