// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgits3.S3RepositoryManager;
import org.jgits3.Soundness;
import org.jgits3.TestRepositories;
import org.jgits3.internal.commit.ManifestFile;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RepositoryState;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.StoreContent;
import org.jgits3.store.StoreException;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Sweeps beside writers, collections and other sweeps, awake and asleep; D0 is the first of the
 * interleavings that lose objects without the rules.
 */
@Holds(
    "ObjectNames, Sweep: A sweep deletes only keys of its repository: objects, marks like these, "
        + "and uploads by the boundary alone. A deleted one loses all after the grace period.")
@Holds(
    "Sweep: A killed import is deleted by a commit, a week after its last one, before its objects "
        + "are (E-m23, E-m24, E-m36)")
@Holds("Sweep: A sweep ends with an error if the store lists objects that it reported deleted")
class SweepTest extends MaintainedRepository {
  @BeforeEach
  void create() throws Exception {
    push(1);
  }

  private static Sweep.Report sweep(S3RepositoryManager manager) throws IOException {
    return manager.sweep("r", Duration.ZERO, false);
  }

  /** All objects of the store but marks of sweeps. */
  private Set<String> storedAndLeased() throws IOException {
    Set<String> keys = new TreeSet<>(StoreContent.keys(it.plain, "objects/"));
    keys.removeIf(key -> key.contains("/sweep/"));
    return keys;
  }

  /** Leaves objects that are listed no more. */
  private void replacePacks() throws IOException {
    push("refs/heads/a");
    push("refs/heads/b");
    it.gc();
    assertThat(stored()).hasSizeGreaterThan(listed().size());
  }

  @Test
  void what_no_manifest_lists_goes_and_nothing_else() throws Exception {
    replacePacks();
    int unlisted = stored().size() - listed().size();
    Sweep.Report report = sweep(it.maintainer);
    Sweep.Report again = sweep(it.maintainer);
    assertThat(report.objects() + again.objects()).isGreaterThanOrEqualTo((long) unlisted);
    assertThat(report.bytes()).isPositive();
    assertThat(stored()).isEqualTo(listed());
    it.isSound();
    push("refs/heads/c");
    it.isSound();
  }

  @Test
  void a_dry_run_counts_what_a_sweep_deletes_and_changes_nothing() throws Exception {
    sweep(it.maintainer); // leaves a mark
    replacePacks();
    Set<String> before = stored();
    Manifest manifest = it.manifest();
    Sweep.Report dry = it.maintainer.sweep("r", Duration.ZERO, true);
    assertThat(stored()).isEqualTo(before);
    assertThat(it.manifest()).isEqualTo(manifest);
    Sweep.Report wet = sweep(it.maintainer);
    assertForetold(dry, wet);
    assertThat(dry.objects()).isPositive();
  }

  @Test
  void a_store_that_keeps_what_it_reports_deleted_ends_a_sweep_with_one_error() throws Exception {
    sweep(it.maintainer);
    replacePacks();
    Set<String> before = stored();
    AtomicInteger deletions = new AtomicInteger();
    DelegatingObjectStore retaining =
        new DelegatingObjectStore(it.plain) {
          @Override
          public void delete(Collection<String> keys) {
            assertThat(deletions.incrementAndGet()).as("deletions").isOne();
          }
        };
    try (S3RepositoryManager manager = TestRepositories.manager(retaining)) {
      assertThatThrownBy(() -> sweep(manager))
          .isInstanceOf(StoreException.Refused.class)
          .hasMessageContaining("is still listed after the store has reported it deleted");
    }
    assertThat(stored()).isEqualTo(before);
    it.isSound();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void what_a_deleted_repository_left_stays_for_the_grace_period(boolean again) throws Exception {
    Duration grace = Duration.ofDays(1);
    push(MAIN);
    String former = it.manifest().repositoryId();
    it.users.delete("r");
    Set<String> left = storedAndLeased();
    if (again) {
      it.users.createRepository("r").close();
    }
    RepositoryState.Deleted state = (RepositoryState.Deleted) read(former).manifest().state();
    Instant deleted = Instant.ofEpochMilli(state.since());
    for (int hours : List.of(0, 23, -48)) {
      assertThat(sweepDeleted(former, grace, deleted.plus(Duration.ofHours(hours)))).isZero();
      assertThat(storedAndLeased()).as("at %d hours", hours).containsAll(left);
    }
    assertThat(sweepDeleted(former, grace, deleted.plus(grace))).isEqualTo(left.size());
    assertThat(storedAndLeased()).doesNotContainAnyElementsOf(left);
  }

  @Test
  void a_grace_period_of_zero_ignores_a_deletion_in_the_future() throws Exception {
    push(MAIN);
    String former = it.manifest().repositoryId();
    it.users.delete("r");
    Instant before = Instant.parse("2001-01-01T00:00:00Z");
    assertThat(sweepDeleted(former, Duration.ZERO, before)).isPositive();
    assertThat(storedAndLeased()).isEmpty();
  }

  private VersionedManifest read(String repositoryId) throws IOException {
    return ManifestFile.read(it.plain, repositoryId).orElseThrow();
  }

  /** Sweeps a deleted repository at some time, having said rightly what that would delete. */
  private long sweepDeleted(String repositoryId, Duration grace, Instant now) throws IOException {
    Sweep sweep = new Sweep(it.plain, () -> now);
    Sweep.Report dry = sweep.runDeleted(read(repositoryId), grace, true);
    Sweep.Report report = sweep.runDeleted(read(repositoryId), grace, false);
    assertThat(dry.objects()).isEqualTo(report.objects());
    assertThat(dry.bytes()).isEqualTo(report.bytes());
    return report.objects();
  }

  @Test
  void a_renamed_repository_is_swept_under_its_new_name_only() throws Exception {
    replacePacks();
    it.users.rename("r", "s");
    assertThatThrownBy(() -> sweep(it.maintainer)).isInstanceOf(ManifestException.Gone.class);
    for (int i = 0; i < 2; i++) {
      it.maintainer.sweep("s", Duration.ZERO, false);
    }
    Soundness.assertSound(it.maintainer, "s");
    assertThat(stored()).isEqualTo(MaintenanceFixture.listed(StoredManifest.read(it.plain, "s")));
  }

  @Test
  void abandoned_uploads_are_aborted_and_those_of_late_are_not() throws Exception {
    String repositoryId = it.manifest().repositoryId();
    String old = ObjectNames.packKey(repositoryId, ObjectNames.mint(it.manifest()), "pack");
    it.plain.beginMultipart(old, Map.of());
    sweep(it.maintainer);
    String late = ObjectNames.packKey(repositoryId, ObjectNames.mint(it.manifest()), "pack");
    MultipartUpload running = it.plain.beginMultipart(late, Map.of());
    assertThat(it.maintainer.sweep("r", Duration.ZERO, true).uploads()).isOne();
    assertThat(sweep(it.maintainer).uploads()).isOne();
    assertThat(it.plain.listMultipart("objects/"))
        .extracting(MultipartUpload::key)
        .containsExactly(late);
    it.plain.abortMultipart(running);
  }

  @Test
  void objects_with_names_of_another_kind_are_left_alone() throws Exception {
    String key = ObjectNames.prefix(it.manifest().repositoryId()) + "lease";
    it.plain.put(key, new byte[] {1}, 0, 1);
    it.sweepAll();
    assertThat(storedAndLeased()).contains(key);
  }
}
