// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.jgits3.S3Repository;
import org.jgits3.internal.refs.table.RefFold;
import org.jgits3.manifest.Refs;
import org.jgits3.store.StagedStore.Action;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Compactions of a repository with a recent table beside other processes: all that holds without
 * one, and that no fold into one level undoes a fold into the other.
 */
@Holds(
    "RefFold, RefTable: The recent table keeps marks of deleted refs until the base is rewritten. "
        + "A new base has all recent changes. (L3)")
@Holds(
    "SnapshotTables, Derivation: A recent table is laid on the base that the same manifest lists, "
        + "however either was made (L5)")
class RecentRefsInterleavingTest extends CompactionInterleavingTest {
  /** Refs that make a new base of a transaction, more than a recent table may have. */
  private static final int MANY = 10_000;

  private int batches;
  private int uploads;

  @Override
  void begin() throws IOException {
    createAll(fast, "refs/base/", RefFold.FEW);
    assertThat(fast.manifest().refs().base()).isPresent();
  }

  @Override
  int tables() {
    return 2;
  }

  @Override
  int stepsBefore() {
    return 1;
  }

  private void makeNewBase(S3Repository r) throws IOException {
    createAll(r, "refs/many" + batches++ + '/', MANY);
  }

  private void compactIntoRecent() throws IOException {
    compactElsewhere();
    assertThat(fast.manifest().refs().hasRecent()).isTrue();
  }

  @Test
  void L1_a_base_made_while_a_recent_table_is_uploaded_is_not_undone() throws Exception {
    push(REF, a);
    compactIntoRecent();
    push(OTHER, a);
    whileTheSnapshotIsUploaded(
        () -> {
          push(REF, b);
          makeNewBase(fast);
        });
    compactSlowly();
    assertNothingIsLost("a new base");
    assertThat(slow.manifest().refs().hasRecent()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "compaction, upload, push",
    "compaction, upload, fold",
    "compaction, commit, fold",
    "batch, upload, push",
    "batch, upload, fold",
    "batch, commit, fold"
  })
  void L2_a_new_base_undoes_nothing_that_others_do_meanwhile(
      String made, String during, String others) throws Exception {
    pushBoth();
    compactIntoRecent();
    boolean folded = others.equals("fold");
    Action action =
        () -> {
          moveOneAndDeleteTheOther();
          if (folded) {
            compactIntoRecent();
          }
        };
    if (during.equals("upload")) {
      whileTheSnapshotIsUploaded(action);
    } else {
      beforeTheCommit(action);
    }
    boolean batch = made.equals("batch");
    if (batch) {
      makeNewBase(slow);
    } else {
      slow.getRefDatabase().compact();
    }
    assertNothingIsLost("done meanwhile");
    Refs refs = slow.manifest().refs();
    assertThat(refs.hasRecent()).isFalse();
    if (folded) {
      assertThat(refs.overlay()).isEmpty();
      assertThat(refs.base().orElseThrow().count()).isEqualTo(RefFold.FEW + 1 + (batch ? MANY : 0));
    }
  }

  @Test
  void L3_a_ref_of_the_base_stays_deleted_in_any_table() throws Exception {
    push(REF, a);
    makeNewBase(fast);
    delete(REF);
    compactIntoRecent();
    assertNothingIsLost("marked in the recent table");
    push(OTHER, a);
    compactIntoRecent();
    assertNothingIsLost("marked in the next one");
    makeNewBase(fast);
    assertNothingIsLost("gone from the base");
    assertThat(fast.manifest().refs().hasRecent()).isFalse();
  }

  @Test
  void L4_a_ref_that_goes_back_to_its_value_in_the_base_keeps_it() throws Exception {
    push(REF, a);
    makeNewBase(fast);
    push(REF, b);
    whileTheSnapshotIsUploaded(() -> push(REF, a));
    compactSlowly();
    assertNothingIsLost("back to the base");
    compactElsewhere();
    assertNothingIsLost("folded once more");
  }

  @Test
  void L5_a_recent_table_that_could_be_derived_is_not_laid_on_an_older_base() throws Exception {
    // One process has the old base, and an overlay with just what the new recent table has.
    whileTheSnapshotIsUploaded(() -> push(OTHER, b));
    createAll(slow, "refs/changes/", MANY);
    compactSlowly();
    assertThat(slow.manifest().refs().tables().get(1).count()).isEqualTo(1);
    assertNothingIsLost("both tables are other ones");
  }

  @Test
  void a_compaction_of_all_refs_that_others_overtake_each_time_says_so() throws Exception {
    push(REF, a);
    compactIntoRecent();
    foldDuringEachUpload();
    assertThatThrownBy(slow.getRefDatabase()::compact)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("compacted elsewhere")
        .hasMessageContaining("nothing was done, try again");
    assertNothingIsLost("after many folds");
    assertThat(slow.manifest().refs().hasRecent()).as("of the others").isTrue();
  }

  private void foldDuringEachUpload() {
    whileTheSnapshotIsUploaded(
        () -> {
          push(OTHER, uploads++ % 2 == 0 ? a : b);
          compactIntoRecent();
          foldDuringEachUpload();
        });
  }
}
