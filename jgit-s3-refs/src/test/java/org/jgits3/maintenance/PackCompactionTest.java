// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jgits3.TestRepositories.force;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCacheConfig;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.manifest.LiveObject;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.PackFileEntry;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.StagedStore;
import org.jgits3.store.StagedStore.Request;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.Test;

@Holds(
    "PackCompaction, BackgroundSteps, MaintenancePauses, BackgroundGc: The heap bounds the "
        + "objects of a compaction or collection in a server. Failures, an `Error` too, are retried "
        + "at growing intervals. Packs of garbage and of collections are not compacted.")
@Holds(
    "RepositoryVersion, S3RepositoryManager: Maintenance uses the configuration that a repository "
        + "has then, and includes those opened before it began")
class PackCompactionTest extends MaintainedRepository {
  private static final RepositoryName NAME = RepositoryName.of("r");

  private final AtomicBoolean ending = new AtomicBoolean();
  private Instant now = Instant.EPOCH;

  private static List<PackEntry> packs(String source, long... sizes) {
    List<PackEntry> packs = new ArrayList<>();
    LongStream.of(sizes)
        .forEach(
            size -> {
              String id = String.format("%012x-%020x", 1, packs.size());
              TreeMap<String, PackFileEntry> files = new TreeMap<>();
              files.put("pack", new PackFileEntry(size, 0, 0, -1));
              packs.add(new PackEntry(id, source, files, 0, 1, 0, Map.of()));
            });
    return packs;
  }

  private static long[] sizes(List<PackEntry> packs) {
    return packs.stream().mapToLong(p -> p.files().get("pack").size()).toArray();
  }

  @Test
  void few_packs_and_those_in_progression_are_left_alone() {
    assertThat(PackCompaction.due(packs("INSERT", 5, 5, 5, 5, 5, 5, 5, 5, 5))).isEmpty();
    assertThat(
            PackCompaction.due(
                packs("COMPACT", 1, 2, 6, 18, 54, 162, 486, 1458, 4374, 13122, 39366)))
        .isEmpty();
  }

  @Test
  void the_smallest_packs_are_merged_up_to_the_last_out_of_progression() {
    List<PackEntry> due =
        PackCompaction.due(packs("RECEIVE", 1000, 1, 1, 1, 1, 15, 1, 1, 1, 1, 1, 1));
    assertThat(sizes(due)).containsExactly(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 15);
  }

  @Test
  void packs_of_collections_and_of_garbage_are_left_alone() {
    long[] many = LongStream.generate(() -> 3).limit(50).toArray();
    assertThat(PackCompaction.due(packs("GC", many))).isEmpty();
    assertThat(PackCompaction.due(packs("GC_REST", many))).isEmpty();
    assertThat(PackCompaction.due(packs("UNREACHABLE_GARBAGE", many))).isEmpty();
  }

  @Test
  void a_step_is_bounded() {
    long large = PackCompaction.MAX_BYTES / 12;
    long[] many = LongStream.generate(() -> large).limit(30).toArray();
    assertThat(LongStream.of(sizes(PackCompaction.due(packs("INSERT", many)))).sum())
        .isLessThanOrEqualTo(PackCompaction.MAX_BYTES)
        .isPositive();
  }

  private static List<PackEntry> ofObjects(long objects, List<PackEntry> packs) {
    return packs.stream()
        .map(p -> new PackEntry(p.id(), p.source(), p.files(), 0, objects, 0, Map.of()))
        .toList();
  }

  @Test
  void a_step_is_bounded_in_objects_too_by_the_heap() {
    List<PackEntry> packs = packs("RECEIVE", LongStream.generate(() -> 7).limit(30).toArray());
    int enough = PackCompaction.ENOUGH;
    assertThat(PackCompaction.due(ofObjects(100, packs), enough, 2000)).hasSize(20);
    assertThat(PackCompaction.due(ofObjects(100, packs), enough, 999)).as("too few").isEmpty();
    List<PackEntry> mixed = new ArrayList<>(ofObjects(2001, packs("RECEIVE", 1)));
    mixed.addAll(ofObjects(100, packs));
    assertThat(PackCompaction.due(mixed, enough, 2000))
        .as("one that is too large is in the way of none")
        .hasSize(20)
        .allMatch(pack -> pack.objects() == 100);
    assertThat(PackCompaction.mostObjects(256 << 20)).isBetween(40_000L, 200_000L);
    long all = PackCompaction.mostObjects(Runtime.getRuntime().maxMemory());
    assertThat(PackCompaction.due(ofObjects(all / 15, packs))).hasSizeBetween(10, 15);
  }

  @Test
  void a_compaction_that_runs_out_of_memory_counts_as_a_failure() throws Exception {
    push(12);
    BackgroundCompaction compaction = compaction();
    StagedStore.Action fail =
        () -> {
          throw new OutOfMemoryError("as if");
        };
    assertThat(steps(compaction, 100, fail)).isBetween(15, 20);
    steps(compaction, 100);
    assertThat(sources()).containsExactly("COMPACT");
  }

  @Test
  void what_was_in_small_packs_is_in_one_and_garbage_is_not_brought_back() throws Exception {
    ObjectId garbage = TestRepositories.commit(it.user, "garbage");
    it.gc();
    ObjectId last = push(12);
    assertThat(it.maintainer.maintenance("r").compact()).isTrue();
    assertThat(it.maintainer.maintenance("r").compact()).isFalse();
    assertThat(sources()).containsExactly("COMPACT", "UNREACHABLE_GARBAGE");
    it.isSound();
    try (S3Repository r = it.maintainer.openRepository("r")) {
      assertThat(r.parseCommit(last).getParentCount()).isEqualTo(1);
      assertThat(r.getObjectDatabase().has(garbage, true)).isFalse();
    }
  }

  @Test
  void a_compaction_reads_no_refs() throws Exception {
    push(12);
    it.user.getRefDatabase().compact();
    String snapshot = it.manifest().refs().base().orElseThrow().id();
    it.plain.delete(List.of(ObjectNames.snapshotKey(it.manifest().repositoryId(), snapshot)));
    assertThat(it.maintainer.maintenance("r").compact()).isTrue();
  }

  @Test
  void E4_a_compaction_whose_packs_a_collection_replaced_gives_up() throws Exception {
    push(12);
    it.store.beforeWrite(() -> MaintenanceFixture.gc(it.users));
    assertThatThrownBy(() -> it.maintainer.maintenance("r").compact())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no longer listed");
    assertThat(sources()).containsExactly("GC");
    it.isSound();
  }

  @Test
  void a_server_compacts_by_the_configuration_that_the_repository_has_by_then() throws Exception {
    try (S3RepositoryManager server = server();
        S3Repository r = server.openRepository("r")) {
      TestRepositories.configure(it.user, "pack", "minBytesForObjSizeIndex", "0");
      push(r, 12);
      ConcurrentTasks.waitWhile(() -> !sources().contains("COMPACT"));
    }
    assertThat(it.manifest().packs())
        .filteredOn(pack -> pack.source().equals("COMPACT"))
        .allSatisfy(pack -> assertThat(pack.files()).containsKey("objsize"));
  }

  /** Bytes of one pack that nothing can be read from until they are put back. */
  private final class DamagedPack {
    private final Path file;
    private final byte[] good;

    DamagedPack() throws IOException {
      PackEntry pack = it.manifest().packs().get(0);
      file = directory.resolve(pack.objectSizes(it.manifest().repositoryId()).firstKey());
      good = Files.readAllBytes(file);
      Files.write(file, new byte[good.length]);
      DfsBlockCache.reconfigure(new DfsBlockCacheConfig()); // knows the pack from the push
    }

    void restore() throws IOException {
      Files.write(file, good);
    }
  }

  /** Compaction whose steps are done at once. */
  private BackgroundCompaction compaction() throws IOException {
    it.maintainer.openRepository("r", Purpose.request()).close();
    return new BackgroundCompaction(
        new BackgroundSteps.Host(
            Runnable::run,
            ending::get,
            name -> it.maintainer.maintenance(name.value()),
            () -> now));
  }

  /** Counts the steps begun during a number of pushes, one a minute. */
  private int steps(BackgroundCompaction compaction, int pushes) throws IOException {
    return steps(compaction, pushes, () -> {});
  }

  /** The same with an action as each begins, which is by writing its lease. */
  private int steps(BackgroundCompaction compaction, int pushes, StagedStore.Action action)
      throws IOException {
    AtomicInteger steps = new AtomicInteger();
    for (int i = 0; i < pushes; i++) {
      it.store.before(
          Request.WRITE_LEASE,
          () -> {
            steps.incrementAndGet();
            action.run();
          });
      compaction.consider(NAME, it.manifest());
      now = now.plus(Duration.ofMinutes(1));
    }
    it.store.before(Request.WRITE_LEASE, () -> {});
    return steps.get();
  }

  @Test
  void a_compaction_that_keeps_failing_is_tried_less_and_less_often() throws Exception {
    push(12);
    BackgroundCompaction compaction = compaction();
    DamagedPack damaged = new DamagedPack();
    assertThat(steps(compaction, 100)).isBetween(15, 20);

    damaged.restore();
    steps(compaction, 100);
    assertThat(sources()).containsExactly("COMPACT");
    it.isSound();
  }

  @Test
  void a_failing_compaction_is_tried_no_more_often_beside_another_process() throws Exception {
    push(12);
    BackgroundCompaction compaction = compaction();
    new DamagedPack();
    steps(compaction, 100);

    Lease other = new Lease(it.plain, it.manifest().repositoryId());
    assertThat(other.acquire()).isTrue();
    assertThat(steps(compaction, 200)).as("busy").isZero();
    other.release();
    assertThat(steps(compaction, 8)).isEqualTo(1);
  }

  @Test
  void a_step_that_ends_with_the_process_is_no_failure() throws Exception {
    push(12);
    BackgroundCompaction compaction = compaction();
    it.store.before(
        Request.WRITE_LEASE,
        () -> {
          ending.set(true);
          throw new IllegalStateException("closed");
        });
    compaction.consider(NAME, it.manifest());
    ending.set(false);
    assertThat(steps(compaction, 1)).isEqualTo(1);
  }

  @Test
  void what_another_process_has_compacted_is_no_failure_any_more() throws Exception {
    push(12);
    BackgroundCompaction compaction = compaction();
    DamagedPack damaged = new DamagedPack();
    steps(compaction, 100);
    damaged.restore();
    assertThat(it.users.maintenance("r").compact()).isTrue();
    compaction.consider(NAME, it.manifest());

    for (int i = 0; i < 12; i++) {
      force(it.user, MAIN, TestRepositories.commit(it.user, "more " + i));
    }
    assertThat(steps(compaction, 1)).isEqualTo(1);
  }

  private void awaitFewerPacks(String name, int than) throws Exception {
    ConcurrentTasks.waitWhile(() -> StoredManifest.read(it.plain, name).packs().size() >= than);
  }

  @Test
  void a_repository_that_was_opened_before_is_maintained_as_well() throws Exception {
    try (S3RepositoryManager server =
        MaintenanceFixture.manager(new DirectoryObjectStore(directory))) {
      server.createRepository("early").close();
      server.maintainInBackground();
      for (int i = 0; i < 30; i++) {
        try (S3Repository r = server.openRepository("early")) {
          TestRepositories.commit(r, "commit " + i);
        }
      }
      awaitFewerPacks("early", 30);
    }
  }

  @Test
  void packs_due_before_maintenance_begins_are_merged_at_its_beginning() throws Exception {
    push(12);
    try (S3RepositoryManager server =
        MaintenanceFixture.manager(new DirectoryObjectStore(directory))) {
      server.openRepository("r", Purpose.request()).close();
      server.maintainInBackground();
      server.maintainInBackground();
      awaitFewerPacks("r", 12);
    }
    it.isSound();
  }

  @Test
  void after_300_small_pushes_at_most_30_packs_remain() throws Exception {
    try (S3RepositoryManager server = server();
        S3Repository r = server.openRepository("r")) {
      push(r, 300);
      ConcurrentTasks.waitWhile(() -> it.manifest().packs().size() > 30);
    }
    it.isSound();
    assertThat(LiveObject.of(it.manifest())).isNotEmpty();
  }
}
