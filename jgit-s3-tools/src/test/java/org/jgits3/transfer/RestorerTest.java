// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jgits3.TestRepositories.force;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.ManifestFile;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.maintenance.Sweep;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StagedStore;
import org.jgits3.store.StagedStore.Request;
import org.jgits3.store.StoreContent;
import org.jgits3.testing.Holds;
import org.jgits3.verify.Verification;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Restoring an older manifest. D13 and D15 are the interleavings of that name in the model of
 * sweeps.
 */
@Holds(
    "ListingRules, Restorer, RestoredPack: A restoration copies the objects of an older manifest "
        + "to new names, and lists no old one (D13, D15)")
class RestorerTest {
  private static final RepositoryName NAME = RepositoryName.of("r");
  private static final String MAIN = "refs/heads/main";
  private static final String LOST = "refs/heads/lost";

  @TempDir Path directory;
  private DirectoryObjectStore plain;
  private StagedStore staged;
  @AutoClose private S3RepositoryManager sweeper;
  @AutoClose private S3RepositoryManager manager;
  private ObjectId main;
  private ObjectId lost;

  @BeforeEach
  void create() throws Exception {
    plain = new DirectoryObjectStore(directory);
    staged = new StagedStore(new DirectoryObjectStore(directory));
    sweeper = expiringAtOnce(staged);
    manager = expiringAtOnce(new DirectoryObjectStore(directory));
    try (S3Repository r = manager.createRepository("r")) {
      main = TestRepositories.commit(r, "main");
      lost = TestRepositories.commit(r, "lost");
      force(r, MAIN, main);
      force(r, LOST, lost);
    }
  }

  private static S3RepositoryManager expiringAtOnce(ObjectStore store) throws Exception {
    return TestRepositories.manager(store, "[gc]\npruneExpire = now");
  }

  private Manifest manifest() throws IOException {
    return StoredManifest.read(plain, "r");
  }

  private void gc() throws IOException {
    manager.maintenance("r").collectGarbage(NullProgressMonitor.INSTANCE);
  }

  private Sweep.Report sweep() throws IOException {
    return sweeper.sweep("r", Duration.ZERO, false);
  }

  /** The accident: a branch is deleted, and its objects are collected until they are gone. */
  private void lose() throws IOException {
    try (S3Repository r = manager.openRepository("r", Purpose.request())) {
      TestRepositories.delete(r, LOST);
      force(r, MAIN, TestRepositories.commit(r, "later", main));
    }
    gc();
    gc();
    assertThat(manifest().dropped()).isPositive();
  }

  /** Collects, then loses refs and objects. Returns the manifest that has them. */
  private Manifest collectAndLose() throws Exception {
    gc();
    Manifest copy = manifest();
    lose();
    return copy;
  }

  private Restorer.Report restore(Manifest copy) throws IOException {
    return new Restorer(manager, NullProgressMonitor.INSTANCE).run(NAME, copy);
  }

  private void isSound() throws IOException {
    assertThat(new Verification(manager, NullProgressMonitor.INSTANCE).run("r").findings())
        .isEmpty();
  }

  private List<String> refs() throws IOException {
    try (S3Repository r = manager.openRepository("r", Purpose.request())) {
      return TestRepositories.refs(r);
    }
  }

  private Manifest many() throws Exception {
    try (S3Repository r = manager.openRepository("r", Purpose.request())) {
      ObjectId tip = lost;
      for (int i = 0; i < 60; i++) {
        tip = TestRepositories.commit(r, "c" + i, tip);
      }
      force(r, LOST, tip);
    }
    Manifest copy = manifest();
    lose();
    return copy;
  }

  @Test
  void many_packs_are_restored_by_one_write() throws Exception {
    Manifest copy = many();
    Manifest before = manifest();
    restore(copy);
    assertThat(manifest().generation()).isEqualTo(before.generation() + 1);
  }

  @Test
  void many_packs_of_which_two_are_gone_change_nothing_and_each_is_named() throws Exception {
    Manifest copy = many();
    Manifest before = manifest();
    String first = copy.packs().get(copy.packs().size() - 2).id();
    String last = copy.packs().get(copy.packs().size() - 1).id();
    List<String> gone =
        StoreContent.keys(plain, "objects/").stream()
            .filter(key -> key.contains(first) || key.contains(last))
            .toList();
    plain.delete(gone);
    assertThat(gone).hasSizeGreaterThan(1);
    assertThatThrownBy(() -> restore(copy))
        .isInstanceOf(IOException.class)
        .message()
        .contains(gone);
    assertThat(manifest().packs()).hasSameSizeAs(before.packs());
  }

  @Test
  void refs_and_objects_are_as_they_were_in_one_transaction() throws Exception {
    List<String> then = refs();
    Manifest copy = collectAndLose();
    Manifest before = manifest();
    Restorer.Report plan = new Restorer(manager, NullProgressMonitor.INSTANCE).plan(NAME, copy);
    assertThat(manifest()).isEqualTo(before);
    Restorer.Report report = restore(copy);
    assertThat(report.packs()).isEqualTo(plan.packs()).isEqualTo(1);
    assertThat(report.changes()).isEqualTo(plan.changes()).hasSize(2);
    assertThat(refs()).isEqualTo(then);
    assertThat(manifest().generation()).isEqualTo(before.generation() + 1);
    assertThat(manifest().packs()).hasSize(before.packs().size() + 1);
    isSound();
    gc();
    isSound();
  }

  @Test
  void D13_names_of_an_older_manifest_are_refused_while_a_sweeper_sleeps() throws Exception {
    Manifest copy = collectAndLose();
    sweep(); // leaves a mark to go by
    staged.before(
        Request.DELETE,
        () -> {
          try (ManifestCommitter committer =
              StoredManifest.committer(plain, NAME, ManifestCommitter.DEADLINE)) {
            assertThatThrownBy(
                    () ->
                        committer.<Boolean>commit(
                            base ->
                                Proposal.edit(
                                    base.withPacks(copy.packs()).withRefs(copy.refs()), true)))
                .isInstanceOf(ManifestException.Stalled.class)
                .hasMessageContaining("may be deleted already");
          }
        });
    sweep();
    assertThat(staged.isStaged(Request.DELETE)).as("the sweeper sleeps").isFalse();
    isSound();
  }

  @Test
  void D15_a_restoration_to_fresh_names_survives_a_late_sweeper() throws Exception {
    List<String> then = refs();
    Manifest copy = collectAndLose();
    staged.before(Request.DELETE, () -> restore(copy));
    sweep();
    sweep();
    assertThat(staged.isStaged(Request.DELETE)).as("the sweeper sleeps").isFalse();
    assertThat(refs()).isEqualTo(then);
    assertThat(manifest().packs())
        .extracting(PackEntry::id)
        .doesNotContainAnyElementsOf(copy.packs().stream().map(PackEntry::id).toList());
    isSound();
    sweep();
    sweep();
    isSound();
  }

  @Test
  void what_a_sweep_has_deleted_is_named_and_nothing_is_changed() throws Exception {
    Manifest copy = collectAndLose();
    sweep();
    sweep();
    Manifest before = manifest();
    long objects = objects();
    for (boolean dry : new boolean[] {true, false}) {
      Restorer restorer = new Restorer(manager, NullProgressMonitor.INSTANCE);
      assertThatThrownBy(() -> (dry ? restorer.plan(NAME, copy) : restorer.run(NAME, copy)).packs())
          .isInstanceOf(IOException.class)
          .hasMessageContaining("is gone: " + plain.location() + "/objects/")
          .message()
          .contains(copy.packs().get(0).objectSizes(copy.repositoryId()).keySet());
    }
    assertThat(manifest()).isEqualTo(before);
    assertThat(objects()).isEqualTo(objects);
  }

  @Test
  void a_damaged_pack_is_not_restored() throws Exception {
    Manifest copy = collectAndLose();
    String key = copy.packs().get(0).objectSizes(copy.repositoryId()).firstKey();
    Path file = directory.resolve(key);
    byte[] bytes = Files.readAllBytes(file);
    bytes[20] ^= 1;
    Files.write(file, bytes);
    Manifest before = manifest();
    assertThatThrownBy(() -> restore(copy))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(key)
        .hasMessageContaining("CRC32C");
    assertThat(manifest()).isEqualTo(before);
  }

  @Test
  void a_deleted_repository_comes_back_under_its_name() throws Exception {
    comesBack(manifest());
    isSound();
  }

  private void comesBack(Manifest copy) throws Exception {
    List<String> then = refs();
    manager.delete("r");
    manager.createRepository("r").close();
    restore(copy);
    assertThat(refs()).isEqualTo(then);
  }

  @Holds("Restorer: A restoration takes no refs of a tombstone")
  @Test
  void a_manifest_that_holds_no_repository_is_no_copy() throws Exception {
    String id = manifest().repositoryId();
    manager.delete("r");
    Manifest tombstone = ManifestFile.read(plain, id).orElseThrow().manifest();
    Manifest before = manifestOfANewOne();
    isRefused(tombstone, "has no repository");
    assertThat(manifest()).isEqualTo(before);
  }

  private Manifest manifestOfANewOne() throws IOException {
    manager.createRepository("r").close();
    try (S3Repository r = manager.openRepository("r", Purpose.request())) {
      force(r, MAIN, TestRepositories.commit(r, "new"));
    }
    return manifest();
  }

  private void isRefused(Manifest copy, String why) {
    Restorer restorer = new Restorer(manager, NullProgressMonitor.INSTANCE);
    assertThatThrownBy(() -> restorer.plan(NAME, copy))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(why);
    assertThatThrownBy(() -> restore(copy))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(why);
  }

  private long objects() throws IOException {
    List<String> keys = StoreContent.keys(plain, "objects/");
    return keys.size();
  }
}
