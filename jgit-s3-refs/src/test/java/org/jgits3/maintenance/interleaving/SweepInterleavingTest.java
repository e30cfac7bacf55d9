// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance.interleaving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCacheConfig;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.S3Repository;
import org.jgits3.Soundness;
import org.jgits3.TestRepositories;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.maintenance.GarbageCollection;
import org.jgits3.maintenance.MaintenanceFixture;
import org.jgits3.maintenance.Sweep;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreKind;
import org.jgits3.testing.EachStore;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/**
 * Interleavings of writers, collections, sweeps and deletions in which no process may go on, step
 * by step, each process over a client of its own: D0, D4, D5, and D10 to D12. The simulation has a
 * fault for each of D1 to D3 and D6; D13 and D15 are in {@code RestorerTest}.
 */
@Holds(
    "Sweep: A sweep commits its boundary first. It deletes only names up to it that the manifest "
        + "of that commit, or a later one, does not list. (D0, D3, D4)")
@Holds(
    "PackReplacement: Packs are replaced only while they are listed: of two collections or "
        + "compactions of the same packs the slower gives up (D5, D6, E4)")
@Holds(
    "ManifestFile: A process that has seen a later manifest notices one put back, and writes "
        + "nothing (A8, D12)")
@EachStore
@Timeout(120) // threads wait for each other
class SweepInterleavingTest {
  private static final String MAIN = "refs/heads/main";

  @Parameter StoreKind kind;
  @TempDir Path directory;

  private final List<Actor> actors = new ArrayList<>();
  private ObjectStore plain;

  /** Does the steps of all other processes. */
  private Actor others;

  private Actor writer;
  private Actor gc0;
  private Actor gc1;
  private Actor s1;
  private Actor s2;

  /** Opens another client of the store, with the same objects. */
  private ObjectStore store() throws IOException {
    return kind.open(directory);
  }

  @BeforeEach
  void create() throws Exception {
    plain = store();
    others = actor();
    others.manager.createRepository("r").close();
    others.push(MAIN);
    DfsBlockCache.reconfigure(new DfsBlockCacheConfig());
    writer = actor();
    gc0 = actor();
    gc1 = actor();
    s1 = actor();
    s2 = actor();
  }

  @AfterEach
  void close() throws IOException {
    for (Actor actor : actors) {
      actor.close();
    }
    plain.close();
  }

  private Actor actor() throws Exception {
    Actor actor = new Actor(store());
    actors.add(actor);
    return actor;
  }

  private Manifest manifest() throws IOException {
    return StoredManifest.read(plain, "r");
  }

  /** All objects of the store but marks of sweeps and leases. */
  private Set<String> stored() throws IOException {
    return MaintenanceFixture.stored(plain);
  }

  private Set<String> listed() throws IOException {
    return MaintenanceFixture.listed(manifest());
  }

  /** Objects that are stored and not listed. */
  private Set<String> unlisted() throws IOException {
    Set<String> keys = stored();
    keys.removeAll(listed());
    return keys;
  }

  /** Asserts that all that is listed is there, and whatever the refs lead to. */
  private void isSound() throws Exception {
    DfsBlockCache.reconfigure(new DfsBlockCacheConfig());
    assertThat(stored()).containsAll(listed());
    Soundness.assertSound(actor().manager, "r");
  }

  /** Uploads a pack, and sleeps before it is listed. */
  private Sleeper<ObjectId> stalledWriter() throws Exception {
    return writer.beforeWrite(
        () -> {
          try (S3Repository r = writer.manager.openRepository("r")) {
            return TestRepositories.commit(r, "late");
          }
        });
  }

  private String prefix() throws IOException {
    return ObjectNames.prefix(manifest().repositoryId());
  }

  private Set<String> packs() throws IOException {
    return Set.copyOf(manifest().packs().stream().map(PackEntry::id).toList());
  }

  @Test
  void D0_a_writer_a_collection_and_two_stalling_sweepers_lose_nothing() throws Exception {
    others.push("refs/heads/a");
    gc0.gc();
    others.push("refs/heads/b");
    try (Sleeper<Sweep.Report> first = s1.beforeDelete(s1::sweep);
        Sleeper<GarbageCollection.Report> collection = gc0.beforeWrite(gc0::gc)) {
      writer.push("refs/heads/c");
      assertThat(collection.wake().skipped()).isFalse();
      others.push("refs/heads/d");
      try (Sleeper<Sweep.Report> second = s2.beforeDelete(s2::sweep)) {
        writer.push("refs/heads/e");
        gc1.gc();
        assertThat(first.wake().objects()).isPositive();
        writer.push("refs/heads/f");
        assertThat(second.wake().objects()).isPositive();
      }
    }
    isSound();
    s1.sweep();
    s2.sweep();
    assertThat(stored()).isEqualTo(listed());
    isSound();
  }

  @Test
  void D4_a_sweeper_that_lists_after_its_read_deletes_nothing_newer() throws Exception {
    others.push("refs/heads/a");
    gc0.gc();
    Set<String> old = unlisted();
    others.push("refs/heads/b");
    try (Sleeper<Sweep.Report> sweep = s1.beforeList(prefix(), s1::sweep)) {
      others.push("refs/heads/c");
      gc0.gc();
      others.push("refs/heads/d");
      sweep.wake();
    }
    assertThat(s1.store.doomed()).containsAll(old).doesNotContainAnyElementsOf(listed());
    isSound();
  }

  /**
   * Beside a sweep the rule alone loses nothing if it is broken: whatever the slower collection
   * would list has been minted at or before the boundary, and is refused for that. So this insists
   * on the reason as well.
   */
  @Test
  void D5_the_slower_of_two_collections_of_the_same_packs_gives_up() throws Exception {
    others.push("refs/heads/a");
    try (Sleeper<GarbageCollection.Report> slow = gc1.beforeWrite(gc1::gc)) {
      gc0.gc();
      others.push("refs/heads/b");
      try (Sleeper<Sweep.Report> sweep = s1.beforeDelete(s1::sweep)) {
        Set<String> packs = packs();
        assertThatThrownBy(slow::wake)
            .isInstanceOf(IOException.class)
            .hasMessageContaining("no longer listed");
        assertThat(packs()).isEqualTo(packs);
        sweep.wake();
      }
    }
    isSound();
  }

  /** Deletes the repository, and creates another one of its name; returns the id of the former. */
  private String startAnew() throws IOException {
    String former = manifest().repositoryId();
    others.manager.delete("r");
    others.manager.createRepository("r").close();
    return former;
  }

  @Test
  void D10_a_sweeper_of_a_former_life_changes_nothing_of_the_next() throws Exception {
    others.push("refs/heads/a");
    gc0.gc();
    String former = prefix();
    String old = manifest().packs().get(0).id();
    others.push("refs/heads/b");
    try (Sleeper<Sweep.Report> unsaid = s2.beforeWrite(s2::sweep);
        Sleeper<Sweep.Report> late = s1.beforeList(former, s1::sweep)) {
      assertThat(manifest().sweepBoundary()).isPositive();
      startAnew();
      writer.push(MAIN);
      // Not minted by this repository: only its prefix protects it from a sweep of the one before.
      String planted = ObjectNames.packKey(manifest().repositoryId(), old, "pack");
      plain.put(planted, new byte[1], 0, 1);
      assertThatThrownBy(unsaid::wake)
          .isInstanceOf(ManifestException.Gone.class)
          .hasMessageContaining("the repository was deleted");
      assertThat(late.wake().objects()).isPositive();
      assertThat(s1.store.doomed()).isNotEmpty().allMatch(key -> key.startsWith(former));
      assertThat(s2.store.doomed()).isEmpty();
      assertThat(stored()).contains(planted);
    }
    isSound();
  }

  @Test
  void D11_a_tombstone_ends_all_that_was_under_way() throws Exception {
    others.push("refs/heads/a");
    gc1.gc();
    others.push("refs/heads/b");
    try (Sleeper<Sweep.Report> asleep = s1.beforeDelete(s1::sweep);
        Sleeper<ObjectId> late = stalledWriter();
        Sleeper<GarbageCollection.Report> collection = gc0.beforeWrite(gc0::gc)) {
      Set<String> left = stored();
      String former = startAnew();
      assertThat(manifest().repositoryId()).isNotEqualTo(former);
      others.push(MAIN);
      assertThatThrownBy(late::wake).isInstanceOf(ManifestException.Gone.class);
      assertThatThrownBy(collection::wake).isInstanceOf(ManifestException.Gone.class);
      asleep.wake();
      isSound();
      s2.sweep(former);
      assertThat(stored()).doesNotContainAnyElementsOf(left).isEqualTo(listed());
    }
    isSound();
  }

  @Test
  void D12_an_older_manifest_put_back_is_noticed_and_changes_nothing() throws Exception {
    Manifest old = manifest();
    others.push("refs/heads/a");
    try (Sleeper<Sweep.Report> sweep = s1.beforeWrite(s1::sweep);
        Sleeper<ObjectId> late = stalledWriter();
        Sleeper<GarbageCollection.Report> collection = gc0.beforeWrite(gc0::gc)) {
      Set<String> before = stored();
      StoredManifest.rewrite(plain, "r", m -> old);
      for (Sleeper<?> each : List.of(sweep, late, collection)) {
        assertThatThrownBy(each::wake)
            .isInstanceOf(UnknownOutcomeException.class)
            .hasRootCauseInstanceOf(ManifestException.Corrupt.class);
      }
      assertThatThrownBy(s1::sweep).isInstanceOf(ManifestException.Corrupt.class);
      assertThat(stored()).isEqualTo(before);
      assertThat(manifest()).isEqualTo(old);
    }
    isSound();
  }
}
