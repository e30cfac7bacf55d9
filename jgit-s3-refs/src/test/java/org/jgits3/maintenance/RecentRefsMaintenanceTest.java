// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.jgits3.TestRepositories.delete;
import static org.jgits3.TestRepositories.force;
import static org.jgits3.TestRepositories.refs;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.S3Repository;
import org.jgits3.Soundness;
import org.jgits3.TestRepositories;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.refs.table.RefDelta;
import org.jgits3.internal.refs.table.RefFold;
import org.jgits3.internal.refs.table.RefTable;
import org.jgits3.internal.refs.table.SnapshotMerge;
import org.jgits3.internal.refs.transaction.Folds;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.manifest.RefValue;
import org.jgits3.manifest.Refs;
import org.jgits3.store.Crc32c;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreContent;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Maintenance, export and restore of a repository with a recent table. */
class RecentRefsMaintenanceTest {
  private static final String MAIN = "refs/heads/main";

  @TempDir Path directory;
  @AutoClose private MaintenanceFixture it;
  private ObjectId first;
  private ObjectId second;

  @BeforeEach
  void create() throws Exception {
    it = new MaintenanceFixture(directory.resolve("store"));
    first = TestRepositories.commit(it.user, "first");
    force(it.user, MAIN, first);
    createAll("refs/base/", RefFold.FEW);
    second = TestRepositories.commit(it.user, "second", first);
    force(it.user, MAIN, second);
    delete(it.user, "refs/base/7");
    Folds.fold(it.user);
    assertThat(recent().count()).as("one changed, one deleted").isEqualTo(2);
  }

  private void createAll(String prefix, int count) throws IOException {
    TestRepositories.createAll(it.user, first, count, i -> prefix + i);
  }

  private RefSnapshot recent() throws IOException {
    return it.manifest().refs().tables().get(1);
  }

  private RefSnapshot base() throws IOException {
    return it.manifest().refs().base().orElseThrow();
  }

  private String key(RefSnapshot table) throws IOException {
    return ObjectNames.snapshotKey(it.manifest().repositoryId(), table.id());
  }

  private Path file(String key) {
    return directory.resolve("store").resolve(key);
  }

  /** By a set: a comparison of each with each would take minutes. */
  private static void assertHasOneMoreThan(List<String> before, Repository r) throws IOException {
    Set<String> now = new HashSet<>(refs(r));
    assertThat(now).hasSize(before.size() + 1);
    assertThat(now.containsAll(before)).as("those of before").isTrue();
  }

  @Test
  void collections_and_sweeps_keep_both_tables_and_what_their_refs_lead_to() throws Exception {
    List<String> before = refs(it.user);
    RefSnapshot old = recent();
    force(it.user, "refs/heads/more", second);
    Folds.fold(it.user);
    it.gc();
    it.sweepAll();
    it.isSound();
    assertThat(recent().id()).isNotEqualTo(old.id());
    assertThat(file(key(old))).as("swept").doesNotExist();
    assertHasOneMoreThan(before, it.user);
  }

  @Test
  void a_batch_of_symbolic_refs_alone_makes_no_empty_recent_table() throws Exception {
    it.user.getRefDatabase().compact();
    it.user.setGitwebDescription("x".repeat(230_000));
    BatchRefUpdate batch = it.user.getRefDatabase().newBatchUpdate();
    for (int i = 0; i < 60; i++) {
      String name = "refs/heads/a-link-with-a-long-name-" + "x".repeat(100) + i;
      batch.addCommand(ReceiveCommand.link(ObjectId.zeroId(), MAIN, name));
    }
    String base = base().id();
    TestRepositories.execute(it.user, batch);
    TestRepositories.assertAllOk(batch);
    assertThat(base().id()).as("the manifest had no room").isNotEqualTo(base);
    assertThat(it.manifest().refs().hasRecent()).isFalse();
    it.isSound();
  }

  /** Writes one more table of changes, and lists it above the others. */
  private void listAlso(Map<String, RefValue> changes) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    SnapshotMerge merge = RefFold.intoRecent(RefTable.EMPTY, RefDelta.of(changes)).merge();
    merge.writeTo(out);
    byte[] table = out.toByteArray();
    String id = ObjectNames.mint(it.manifest());
    String sha256 = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(table));
    RefSnapshot listed = new RefSnapshot(id, table.length, merge.count(), Crc32c.of(table), sha256);
    try (ObjectStore store = new DirectoryObjectStore(directory.resolve("store"))) {
      String key = ObjectNames.snapshotKey(it.manifest().repositoryId(), id);
      store.put(key, table, 0, table.length);
      StoredManifest.rewrite(
          store,
          "r",
          m -> {
            List<RefSnapshot> tables = new ArrayList<>(m.refs().tables());
            tables.add(listed);
            return m.withRefs(new Refs(tables, m.refs().overlay(), m.refs().symrefs()));
          });
    }
  }

  @Test
  void an_empty_recent_table_is_read_and_ended_by_a_compaction() throws Exception {
    List<String> before = refs(it.user);
    it.user.getRefDatabase().compact();
    listAlso(Map.of());
    try (S3Repository fresh = it.maintainer.openRepository("r")) {
      assertThat(refs(fresh)).isEqualTo(before);
      assertThat(fresh.manifest().refs().hasRecent()).isTrue();
      fresh.getRefDatabase().compact();
      assertThat(refs(fresh)).isEqualTo(before);
    }
    assertThat(it.manifest().refs().hasRecent()).isFalse();
    it.isSound();
  }

  /** No version writes them yet. */
  @Test
  void more_than_two_tables_are_read_verified_kept_and_folded_into_two() throws Exception {
    List<String> expected = refs(it.user);
    expected.remove("refs/base/9 " + first.name());
    expected.set(expected.indexOf(MAIN + ' ' + second.name()), MAIN + ' ' + first.name());
    listAlso(Map.of(MAIN, new RefValue.Direct(first, Optional.empty())));
    listAlso(Map.of("refs/base/9", RefValue.DELETED));
    assertThat(it.manifest().refs().tables()).hasSize(4);
    it.isSound();
    it.sweepAll();
    try (S3Repository fresh = it.maintainer.openRepository("r")) {
      assertThat(refs(fresh)).isEqualTo(expected);
      force(fresh, "refs/heads/more", second);
      Folds.fold(fresh);
      assertThat(it.manifest().refs().tables()).hasSize(2);
      assertHasOneMoreThan(expected, fresh);
    }
    it.gc();
    it.isSound();
    try (S3Repository again = it.maintainer.openRepository("r")) {
      assertHasOneMoreThan(expected, again);
    }
  }

  @Test
  void a_recent_table_that_is_missing_or_damaged_is_told_by_its_key() throws Exception {
    String key = key(recent());
    Path file = file(key);
    byte[] good = Files.readAllBytes(file);
    Files.delete(file);
    assertThat(Soundness.faults(it.maintainer, "r")).anyMatch(fault -> fault.contains(key));
    Files.write(file, StoreContent.flipped(good, 60));
    assertThat(Soundness.faults(it.maintainer, "r")).anyMatch(fault -> fault.contains(key));
    Files.write(file, good);
    it.isSound();
  }

  @Test
  void a_process_that_has_the_refs_writes_all_beside_a_damaged_or_lost_base() throws Exception {
    List<String> before = refs(it.user);
    Files.delete(file(key(base())));
    force(it.user, "refs/heads/more", second);
    Folds.fold(it.user);
    assertThat(it.manifest().refs().hasRecent()).as("needs no base").isTrue();
    it.user.getRefDatabase().compact();
    assertThat(it.manifest().refs().hasRecent()).isFalse();
    it.isSound();
    try (S3Repository fresh = it.maintainer.openRepository("r")) {
      assertHasOneMoreThan(before, fresh);
    }
  }

  @Test
  void the_log_is_replayed_backwards_across_a_new_base() throws Exception {
    List<String> before = refs(it.user);
    long then = it.manifest().generation();
    force(it.user, MAIN, first);
    createAll("refs/more/", 10_000);
    delete(it.user, "refs/base/9");
    Folds.fold(it.user);
    assertThat(it.manifest().refs().hasRecent()).as("on a new base").isTrue();
    it.user.history().restoration(then).apply();
    assertThat(refs(it.user)).isEqualTo(before);
  }
}
