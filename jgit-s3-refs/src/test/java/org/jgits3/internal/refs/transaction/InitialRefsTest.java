// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.refs.table.PackedRefsFile;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefDelta;
import org.jgits3.internal.refs.table.TestTables;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.manifest.RefValue;
import org.jgits3.store.StagedStore;
import org.jgits3.store.StagedStore.Request;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the refs that an import creates, few in the manifest and many as a snapshot. */
class InitialRefsTest {
  private static final int FEW = 20;

  /** More refs than a manifest has room for. */
  private static final int MANY = 3000;

  @TempDir Path directory;

  /** Runs once, after the upload of the next snapshot. */
  private StagedStore store;

  @AutoClose private S3RepositoryManager manager;
  @AutoClose private S3RepositoryManager elsewhere;
  @AutoClose private S3Repository here;
  private ObjectId commit;
  private ObjectId tag;

  @BeforeEach
  void create() throws Exception {
    store = new StagedStore(new DirectoryObjectStore(directory));
    manager = TestRepositories.manager(store);
    elsewhere = TestRepositories.manager(directory);
    here = manager.createRepository("r");
    commit = TestRepositories.commit(here, "first");
    tag = TestRepositories.tag(here, "v1", commit);
  }

  private PackedRefsTable table(int count, String... more) throws IOException {
    Map<String, RefValue> refs = new HashMap<>();
    refs.put("refs/tags/v1", new RefValue.Direct(tag, Optional.of(commit)));
    for (String name : more) {
      refs.put(name, TestTables.direct(commit));
    }
    IntStream.range(0, count).forEach(i -> refs.put("refs/c/" + i, TestTables.direct(commit)));
    return PackedRefsFile.read(directory.resolve("none"), RefDelta.of(refs)).orElseThrow();
  }

  private void create(PackedRefsTable table) throws IOException {
    InitialRefs refs = new InitialRefs(table, TestRepositories.WHO, "made");
    here.getRefDatabase().commitBatch(refs, table::tips, refs.bytes());
  }

  private List<Ref> listed() throws IOException {
    try (S3Repository there = elsewhere.openRepository("r")) {
      return there.getRefDatabase().getRefsByPrefix("refs/");
    }
  }

  private void areMade(PackedRefsTable table) throws IOException {
    create(table);
    assertThat(listed()).extracting(Ref::getName).hasSize(table.size());
    for (int i = 0; i < table.size(); i++) {
      Ref ref = listed().get(i);
      assertThat(ref.getName()).isEqualTo(table.name(i));
      assertThat(ref.getObjectId()).isEqualTo(table.value(i).id());
      assertThat(ref.getPeeledObjectId()).isEqualTo(table.value(i).peeled().orElse(null));
      i += i < FEW ? 0 : MANY / FEW;
    }
    try (S3Repository there = elsewhere.openRepository("r")) {
      var entry = there.getRefDatabase().getReflogReader("refs/c/7").getLastEntry();
      assertThat(entry.getComment()).isEqualTo("made");
      assertThat(entry.getOldId()).isEqualTo(ObjectId.zeroId());
      assertThat(entry.getNewId()).isEqualTo(commit);
    }
  }

  private void isRefused(PackedRefsTable table, String because) throws IOException {
    List<String> before = listed().stream().map(Ref::getName).toList();
    assertThatThrownBy(() -> create(table))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(because + " was not made");
    assertThat(listed()).extracting(Ref::getName).isEqualTo(before);
  }

  private void update(S3Repository r, String name) throws IOException {
    assertThat(TestRepositories.update(r, name, commit)).isEqualTo(RefUpdate.Result.NEW);
  }

  @Test
  void few_are_in_the_manifest() throws Exception {
    areMade(table(FEW));
    assertThat(here.manifest().refs().base()).isEmpty();
  }

  @Test
  void many_are_a_snapshot_with_the_bytes_of_the_table() throws Exception {
    PackedRefsTable table = table(MANY);
    areMade(table);
    assertThat(here.manifest().refs().base().orElseThrow().count()).isEqualTo(table.size());
    assertThat(here.manifest().refs().overlay()).isEmpty();
    assertThat(here.getRefDatabase().validated().table().level(0)).isSameAs(table);
  }

  @Test
  void many_whose_names_strings_order_in_another_way_are_logged_all_the_same() throws Exception {
    areMade(table(MANY, "refs/c/\ud83d\ude80", "refs/c/\uffee"));
  }

  @Test
  void a_name_below_another_is_refused() throws Exception {
    for (int count : new int[] {FEW, MANY}) {
      isRefused(table(count, "refs/c", "refs/a"), "refs/c/0");
      isRefused(table(count, "refs/c/7-", "refs/c/7/x/y"), "refs/c/7/x/y");
      new InitialRefs(table(count, "refs/c/7-", "refs/cc"), TestRepositories.WHO, "possible");
    }
  }

  @Test
  void symbolic_refs_are_not_in_the_way_of_others() throws Exception {
    here.updateRef("refs/d/x").link("refs/heads/main");
    for (int count : new int[] {FEW, MANY}) {
      isRefused(table(count, "refs/d/x"), "refs/d/x");
      isRefused(table(count, "refs/d"), "refs/d");
      isRefused(table(count, "refs/d/x/y"), "refs/d/x/y");
    }
    areMade(table(MANY, "refs/d/xy", "refs/dd"));
  }

  @Test
  void refs_that_are_there_stay() throws Exception {
    update(here, "refs/heads/main");
    isRefused(table(FEW, "refs/heads/main"), "refs/heads/main");
    isRefused(table(MANY, "refs/heads/main"), "refs/heads/main");
    create(table(MANY));
    assertThat(listed()).hasSize(1 + 1 + MANY);
  }

  @Test
  void refs_that_are_made_during_the_upload_stay() throws Exception {
    try (S3Repository there = elsewhere.openRepository("r")) {
      store.after(Request.WRITE_SNAPSHOT, () -> update(there, "refs/heads/main"));
      PackedRefsTable below = table(MANY, "refs/heads/main/x");
      assertThatThrownBy(() -> create(below))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("refs/heads/main/x was not made");
    }
    assertThat(listed()).extracting(Ref::getName).containsExactly("refs/heads/main");
    here.getRefDatabase().refresh();
  }
}
