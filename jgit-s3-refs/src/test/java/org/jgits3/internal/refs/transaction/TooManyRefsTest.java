// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.TestRepositories;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.refs.log.LogObjects;
import org.jgits3.internal.refs.snapshot.RefEdits;
import org.jgits3.internal.refs.snapshot.RefView;
import org.jgits3.internal.refs.snapshot.SnapshotReader;
import org.jgits3.internal.refs.snapshot.SnapshotUpload;
import org.jgits3.internal.refs.table.FullTable;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefDelta;
import org.jgits3.internal.refs.table.RefFold;
import org.jgits3.internal.refs.table.RefTable;
import org.jgits3.internal.refs.table.SnapshotMerge;
import org.jgits3.internal.refs.transaction.RefTransaction.Logged;
import org.jgits3.internal.refs.transaction.RefTransaction.Outcome;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.internal.store.read.RangeReader;
import org.jgits3.internal.store.upload.PackUploads;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.RefChange;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.manifest.RefValue;
import org.jgits3.manifest.Refs;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositorySettings;
import org.jgits3.manifest.RepositoryState;
import org.jgits3.metrics.Counters;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.UploadOptions;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** More refs than one array holds are refused before anything is written or memory is taken. */
@Holds(
    "RefFold, PackedRefsTable, SnapshotUpload, SnapshotReader: More refs than an array holds "
        + "are refused, with their number, before a table is written or allocated. Changes that do "
        + "not fit in the base go to the recent table.")
class TooManyRefsTest {
  private static final long MOST = Integer.MAX_VALUE - 8;

  private static final Manifest MANIFEST =
      Manifest.first(
          "0".repeat(32), new RepositoryState.Importing(0), 0, RepositorySettings.NONE, Refs.NONE);

  private static final RefValue.Direct VALUE =
      new RefValue.Direct(ObjectId.fromString("b".repeat(40)), Optional.empty());

  private final RequestCounts counts = new RequestCounts();
  private final ObjectStore store = new ObservedObjectStore(new MemoryObjectStore(), counts);
  @AutoClose private final PackUploads uploads = new PackUploads(store, UploadOptions.DEFAULT);
  private final SnapshotUpload upload = new SnapshotUpload(store, uploads);

  private static RefView view(RefTable table) {
    Map<String, RefValue> overlay = Map.of("refs/b", VALUE);
    return new RefView(new Refs(List.of(), new TreeMap<>(overlay), new TreeMap<>()), table);
  }

  private void isRefused(ThrowingCallable action, String refs, String bytes) {
    assertThatThrownBy(action)
        .isInstanceOf(IOException.class)
        .hasMessageContaining(
            refs
                + " refs of "
                + bytes
                + " bytes are too many; a table of refs has at most 2,147,483,639 bytes")
        .message()
        .doesNotContain("\n");
    assertThat(counts.snapshot().total()).isZero();
  }

  @Test
  void a_table_to_be_built() {
    isRefused(
        () -> PackedRefsTable.checkSize("refs", MOST + 1, 28_000_000),
        "28,000,000",
        "2,147,483,640");
    isRefused(
        () -> PackedRefsTable.checkSize("refs", 1L << 40, 1L << 33),
        "8,589,934,592",
        "1,099,511,627,776");
  }

  @Test
  void a_table_and_changes() throws IOException {
    PackedRefsTable full = FullTable.of("refs/a");
    assertThat(new SnapshotMerge(full, RefDelta.NONE).size()).isEqualTo(MOST);

    SnapshotMerge merge = new SnapshotMerge(full, RefDelta.of(Map.of("refs/b", VALUE)));
    isRefused(merge::build, "2", "2,147,483,687");
  }

  @Test
  void changes_of_a_full_base_go_to_the_recent_table() {
    PackedRefsTable full = FullTable.of("refs/a");
    assertThat(RefFold.of(new RefTable(full), RefDelta.of(Map.of("refs/b", VALUE))).isBase())
        .isFalse();
    assertThat(
            RefFold.of(new RefTable(full), RefDelta.of(Map.of("refs/a", RefValue.DELETED)))
                .isBase())
        .as("a base that is smaller")
        .isTrue();
  }

  @Test
  void a_fold() throws IOException {
    try (ManifestCommitter committer =
        StoredManifest.committer(store, RepositoryName.of("r"), Duration.ofSeconds(1))) {
      Compaction compaction = new Compaction(upload, committer, new Counters());
      isRefused(
          () ->
              compaction.run(
                  MANIFEST, view(new RefTable(FullTable.of("refs/a"))), RefFold::intoBase),
          "2",
          "2,147,483,687");
    }
  }

  /** Creates so many refs that the log keeps them in an object, and logs them. */
  private static Outcome<Boolean> createMany(RefEdits edits) {
    List<RefChange> changes = new ArrayList<>();
    for (int i = 1000; i < 2000; i++) {
      edits.put("refs/many/" + i, VALUE);
      changes.add(new RefChange("refs/many/" + i, ObjectId.zeroId(), VALUE.id()));
    }
    return new Outcome<>(true, List.of(new Logged(TestRepositories.WHO, "many", changes)));
  }

  private void prepare(RefTable table) throws IOException {
    LargeTransaction.prepare(
        MANIFEST,
        view(table),
        TooManyRefsTest::createMany,
        0,
        upload,
        new LogObjects(store, uploads));
  }

  @Test
  void a_large_batch_beside_a_full_base_is_made() throws IOException {
    prepare(new RefTable(FullTable.of("refs/a")));
    assertThat(counts.snapshot().total()).as("recent table and log").isEqualTo(2);
  }

  @Test
  void a_stored_table() {
    RefSnapshot snapshot = new RefSnapshot("x", MOST + 1, 28_000_000, 0, "");
    isRefused(
        () -> new SnapshotReader(store, true, RangeReader.Sizes.DEFAULT).read("key", snapshot),
        "key: 28,000,000",
        "2,147,483,640");
  }
}
