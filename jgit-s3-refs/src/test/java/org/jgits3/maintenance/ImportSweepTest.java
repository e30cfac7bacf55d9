// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.Soundness;
import org.jgits3.TestRepositories;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.ManifestFile;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.manifest.LiveObject;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositoryState;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.store.StagedStore;
import org.jgits3.store.StoreContent;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sweeps of repositories that an import has left without a name, and of imports that go on. */
class ImportSweepTest {
  private static final Duration WEEK = Duration.ofDays(7);
  private static final Duration ALMOST = WEEK.minusMillis(1);

  @TempDir Path directory;

  private DirectoryObjectStore plain;
  private StagedStore store;
  @AutoClose private S3RepositoryManager manager;
  @AutoClose private S3Repository made;
  private String id;

  @BeforeEach
  void create() throws Exception {
    plain = new DirectoryObjectStore(directory);
    store = new StagedStore(plain);
    manager = MaintenanceFixture.manager(plain);
    made = manager.imports().create(false);
    id = made.manifest().repositoryId();
    push();
  }

  private void push() throws IOException {
    ObjectId commit = TestRepositories.commit(made, "at " + manifest().generation());
    TestRepositories.force(made, "refs/heads/main", commit);
  }

  private Manifest manifest() throws IOException {
    return ManifestFile.read(plain, id).orElseThrow().manifest();
  }

  private Instant lastCommit() throws IOException {
    RepositoryState.Importing state = (RepositoryState.Importing) manifest().state();
    return Instant.ofEpochMilli(state.since());
  }

  private Set<String> stored() throws IOException {
    return new TreeSet<>(StoreContent.keys(plain, ObjectNames.prefix(id)));
  }

  /** Sweeps at some time, having said rightly what that would delete. */
  private Sweep.Report sweep(Instant now, Duration grace) throws IOException {
    Manifest before = manifest();
    Sweep.Report dry = sweep(now, grace, true);
    assertThat(manifest()).isEqualTo(before);
    Sweep.Report report = sweep(now, grace, false);
    assertThat(dry.objects()).isEqualTo(report.objects());
    assertThat(dry.bytes()).isEqualTo(report.bytes());
    return report;
  }

  private Sweep.Report sweep(Instant now, Duration grace, boolean dryRun) throws IOException {
    Sweep sweep = new Sweep(store, () -> now);
    ManifestFile file = new ManifestFile(store, id, Optional.empty());
    return sweep.runImporting(
        new ManifestCommitter(file, ManifestCommitter.DEADLINE), grace, dryRun);
  }

  private void publish() throws IOException {
    manager.imports().publish(made, RepositoryName.of("r"));
  }

  private void isSound() throws Exception {
    try (S3RepositoryManager other = MaintenanceFixture.manager(plain)) {
      Soundness.assertSound(other, "r");
      assertThat(LiveObject.of(StoredManifest.read(plain, "r"))).isNotEmpty();
    }
  }

  @Test
  void import_is_deleted_a_week_after_its_last_commit() throws Exception {
    Set<String> left = stored();
    Manifest before = manifest();
    assertThat(sweep(lastCommit().plus(ALMOST), Duration.ZERO).objects()).isZero();
    assertThat(manifest()).isEqualTo(before);
    assertThat(sweep(lastCommit().plus(WEEK), Duration.ZERO).objects()).isEqualTo(left.size());
    assertThat(manifest().holdsRepository()).isFalse();
    assertThat(stored()).isEmpty();
  }

  @Test
  void longer_grace_period_counts_since_the_last_commit_and_the_deletion() throws Exception {
    Duration grace = Duration.ofDays(30);
    Instant last = lastCommit();
    sweep(last.plus(WEEK), grace);
    assertThat(manifest().holdsRepository()).isTrue();
    assertThat(sweep(last.plus(grace), grace).objects()).isZero();
    assertThat(manifest().state())
        .isEqualTo(new RepositoryState.Deleted(last.plus(grace).toEpochMilli()));
    assertThat(stored()).isNotEmpty();
    Sweep later = new Sweep(plain, () -> last.plus(grace).plus(grace));
    VersionedManifest tombstone = ManifestFile.read(plain, id).orElseThrow();
    assertThat(later.runDeleted(tombstone, grace, false).objects()).isPositive();
    assertThat(stored()).isEmpty();
  }

  @Test
  void import_that_goes_on_meanwhile_is_left_alone() throws Exception {
    Instant late = lastCommit().plus(WEEK);
    store.beforeWrite(this::push);
    assertThat(sweep(late, Duration.ZERO, false).objects()).isZero();
    publish();
    isSound();
  }

  @Test
  void import_that_a_sweep_has_deleted_gets_no_name() throws Exception {
    sweep(lastCommit().plus(WEEK), Duration.ZERO);
    assertThatThrownBy(this::push).isInstanceOf(IOException.class);
    assertThatThrownBy(this::publish).isInstanceOf(ManifestException.Gone.class);
    assertThat(manager.list()).isEmpty();
    manager.createRepository("r").close();
  }

  @Test
  void E_m36_import_is_not_swept_as_a_repository_with_a_name() throws Exception {
    push();
    made.maintenance().collectGarbage(NullProgressMonitor.INSTANCE);
    Set<String> before = stored();
    Manifest manifest = manifest();
    for (int i = 0; i < 2; i++) {
      assertThat(manager.sweepById(id, Duration.ZERO, false).objects()).isZero();
    }
    assertThat(stored()).isEqualTo(before);
    assertThat(manifest()).isEqualTo(manifest);
    publish();
    isSound();
  }
}
