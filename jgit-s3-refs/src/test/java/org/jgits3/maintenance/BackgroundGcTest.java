// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.jgits3.TestRepositories.force;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCacheConfig;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.StagedStore;
import org.jgits3.store.StagedStore.Request;
import org.jgits3.testing.Holds;
import org.jgits3.testing.aid.RandomBytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Collections that a server makes by itself. */
@Holds(
    "BackgroundGc, PackCompaction, GarbageCollection: Packs are collected only if that pays, "
        + "never twice at once, nor again because of an older manifest")
@Timeout(120)
class BackgroundGcTest extends MaintainedRepository {
  private static final RepositoryName NAME = RepositoryName.of("r");
  private static final Duration DAY = Duration.ofDays(1);
  private static final long ROOMY = 64L << 30;

  private final AtomicBoolean ending = new AtomicBoolean();
  private final Queue<Runnable> scheduled = new ArrayDeque<>();

  private Instant now = Instant.now();
  private Manifest known;

  /** Makes a ref lead to so many bytes that cannot be compressed. */
  private void pushLarge(String ref, int bytes) throws IOException {
    byte[] content = RandomBytes.of(bytes, bytes);
    force(it.user, ref, TestRepositories.commitFile(it.user, content));
  }

  /** Collections of a process with so much memory. */
  private BackgroundGc process(long heap) throws IOException {
    it.maintainer.openRepository("r", Purpose.request()).close();
    return new BackgroundGc(
        DAY,
        new BackgroundSteps.Host(
            scheduled::add,
            ending::get,
            name -> it.maintainer.maintenance(name.value()),
            () -> now),
        heap);
  }

  /** Notes the newest manifest, as after a commit or when the repository is opened first. */
  private void note(BackgroundGc process) throws IOException {
    known = it.manifest();
    process.consider(NAME, known);
  }

  /** Opens the repository again, of which nothing newer is known. */
  private void openAgain(BackgroundGc process) {
    process.consider(NAME, known);
  }

  /** Does what was scheduled; how much that was. */
  private int run() {
    int steps = 0;
    for (Runnable step = scheduled.poll(); step != null; step = scheduled.poll()) {
      step.run();
      steps++;
    }
    return steps;
  }

  @Test
  void a_repository_whose_oldest_pack_is_old_enough_is_collected() throws Exception {
    push(3);
    Instant pushed =
        Instant.ofEpochMilli(
            it.manifest().packs().stream().mapToLong(PackEntry::lastModified).min().orElseThrow());
    BackgroundGc collection = process(ROOMY);
    now = pushed;
    note(collection);
    assertThat(run()).as("new").isZero();
    now = now.plus(DAY).minusMillis(1_000);
    openAgain(collection);
    assertThat(run()).as("not quite").isZero();
    now = now.plus(DAY);
    openAgain(collection); // nothing was pushed meanwhile
    assertThat(collection.last()).isEmpty();
    assertThat(run()).isEqualTo(1);
    assertThat(sources()).containsExactly("GC");
    assertThat(collection.collections()).isEqualTo(1);
    assertThat(collection.failures()).isZero();
    assertThat(collection.last()).contains(now.truncatedTo(ChronoUnit.MILLIS));
    it.isSound();
  }

  @Test
  void a_few_bytes_beside_what_is_collected_are_not_worth_a_collection() throws Exception {
    pushLarge("refs/heads/large", 1 << 20);
    it.gc();
    push(1);
    BackgroundGc collection = process(ROOMY);
    now = Instant.now().plus(DAY.multipliedBy(30));
    note(collection);
    assertThat(run()).isZero();
    pushLarge("refs/heads/other", 1 << 17); // more than a tenth
    now = Instant.now();
    note(collection);
    assertThat(run()).as("what is new waits though there is much of it").isZero();
    now = now.plus(DAY.multipliedBy(30));
    openAgain(collection);
    assertThat(run()).isEqualTo(1);
    assertThat(sources()).containsExactly("GC");
  }

  @Test
  void garbage_and_what_is_collected_make_nothing_due() throws Exception {
    push(1);
    TestRepositories.commit(it.user, "garbage");
    it.gc();
    assertThat(sources()).containsExactly("GC", "UNREACHABLE_GARBAGE");
    BackgroundGc collection = process(ROOMY);
    now = Instant.now().plus(DAY.multipliedBy(30));
    note(collection);
    assertThat(run()).isZero();
  }

  @Test
  void a_pack_is_as_old_as_the_oldest_that_was_merged_into_it() throws Exception {
    push(12);
    long oldest =
        it.manifest().packs().stream().mapToLong(PackEntry::lastModified).min().orElseThrow();
    ConcurrentTasks.waitWhile(() -> System.currentTimeMillis() <= oldest);
    assertThat(it.users.maintenance("r").compact()).isTrue();
    assertThat(it.manifest().packs())
        .singleElement()
        .satisfies(pack -> assertThat(pack.lastModified()).isEqualTo(oldest));
    assertThat(BackgroundGc.dueAt(it.manifest(), 1000)).isEqualTo(oldest + 1000);
    it.isSound();
  }

  /** A repository that is due. */
  private BackgroundGc due() throws IOException {
    push(3);
    BackgroundGc collection = process(ROOMY);
    now = Instant.now().plus(DAY.multipliedBy(2));
    note(collection);
    return collection;
  }

  @Test
  void nothing_is_collected_while_another_process_maintains_the_repository() throws Exception {
    BackgroundGc collection = due();
    Lease other = new Lease(it.plain, it.manifest().repositoryId());
    assertThat(other.acquire()).isTrue();
    assertThat(run()).isEqualTo(1);
    assertThat(sources()).doesNotContain("GC");
    openAgain(collection);
    assertThat(run()).as("asked again at once").isZero();
    other.release();
    now = now.plus(Lease.TERM);
    boolean[] free = {true};
    it.store.beforeWrite(() -> free[0] = other.acquire());
    openAgain(collection);
    assertThat(run()).isEqualTo(1);
    assertThat(sources()).containsExactly("GC");
    assertThat(free[0]).as("the lease is held during a collection").isFalse();
    assertThat(other.acquire()).as("and given back").isTrue();
  }

  @Test
  void what_another_process_has_collected_is_not_collected_again() throws Exception {
    due();
    Manifest[] collected = new Manifest[1];
    it.store.after(
        Request.READ_MANIFEST, // what is read then is old
        () -> {
          MaintenanceFixture.gc(it.users);
          collected[0] = it.manifest();
        });
    run();
    assertThat(it.manifest()).isEqualTo(collected[0]);
    assertThat(sources()).containsExactly("GC");
  }

  @Test
  void a_collection_that_keeps_failing_is_tried_less_and_less_often() throws Exception {
    push(3);
    BackgroundGc process = process(ROOMY);
    now = Instant.now().plus(DAY.multipliedBy(2));
    AtomicInteger steps = new AtomicInteger();
    StagedStore.Action fail =
        () -> {
          steps.incrementAndGet();
          throw new OutOfMemoryError("as if");
        };
    for (int minute = 0; minute < 24 * 60; minute++) {
      it.store.before(Request.WRITE_LEASE, fail);
      note(process);
      run();
      now = now.plus(Duration.ofMinutes(1));
    }
    assertThat(steps.get()).isBetween(5, 11);
    assertThat(process.failures()).isEqualTo(steps.get());
    assertThat(process.collections()).isZero();

    it.store.before(Request.WRITE_LEASE, () -> {});
    now = now.plus(DAY);
    note(process);
    run();
    assertThat(sources()).containsExactly("GC");
    it.isSound();
  }

  @Holds(
      "BackgroundSteps, MaintenancePauses: A repository waits for maintenance once, by name. Its "
          + "failures are remembered. Deleted ones are skipped.")
  @Test
  void a_repository_waits_once_however_often_it_is_opened_anew() throws Exception {
    push(3);
    BackgroundGc process = process(ROOMY);
    now = Instant.now().plus(DAY.multipliedBy(2));
    Manifest due = it.manifest();
    RepositoryName gone = RepositoryName.of("gone");
    List<RepositoryName> names = List.of(NAME, gone, RepositoryName.of("t"));
    for (int round = 0; round < 3; round++) {
      for (RepositoryName name : names) {
        process.consider(name, due);
      }
    }
    assertThat(scheduled).hasSameSizeAs(names);
    assertThat(process.waiting()).isEqualTo(names.size());
    run();
    assertThat(process.waiting()).isZero();
    assertThat(sources()).containsExactly("GC");

    process.consider(gone, due);
    assertThat(scheduled).as("what is gone did not fail").hasSize(1);
  }

  @Test
  void a_repository_that_is_gone_when_it_is_its_turn_is_skipped() throws Exception {
    BackgroundGc collection = due();
    it.users.delete("r");
    assertThat(run()).isEqualTo(1);
    it.store.before(Request.WRITE_LEASE, () -> fail("a lease of what is gone"));
    openAgain(collection);
    assertThat(run()).as("no failure that would delay it").isEqualTo(1);
  }

  @Test
  void a_repository_that_does_not_fit_into_the_memory_is_left_to_the_command() throws Exception {
    push(3);
    long objects = it.manifest().packs().stream().mapToLong(PackEntry::objects).sum();
    long least = 4 * objects * BackgroundGc.BYTES_PER_OBJECT;
    now = Instant.now().plus(DAY.multipliedBy(2));
    BackgroundGc small = process(least - 1);
    note(small);
    assertThat(run()).isEqualTo(1);
    assertThat(sources()).doesNotContain("GC");
    openAgain(small);
    assertThat(run()).as("looked at again at once").isZero();
    note(process(least));
    assertThat(run()).isEqualTo(1);
    assertThat(sources()).containsExactly("GC");
  }

  @Test
  void a_collection_under_way_ends_with_the_process_and_changes_nothing() throws Exception {
    BackgroundGc collection = due();
    List<String> before = sources();
    it.store.before(Request.WRITE_LEASE, () -> ending.set(true));
    assertThat(run()).isEqualTo(1);
    assertThat(sources()).isEqualTo(before);
    ending.set(false);
    openAgain(collection);
    assertThat(run()).as("no failure").isEqualTo(1);
    assertThat(sources()).containsExactly("GC");
    it.isSound();
  }

  private S3RepositoryManager server(StagedStore store, String gc) throws Exception {
    S3RepositoryManager server =
        TestRepositories.manager(store, "[s3 \"maintenance\"]\ngc = " + gc);
    server.maintainInBackground();
    return server;
  }

  @Test
  void a_server_looks_whether_a_repository_has_become_due_when_it_is_opened() throws Exception {
    push(3);
    try (S3RepositoryManager server =
        server(new StagedStore(new DirectoryObjectStore(directory)), "1 s")) {
      ConcurrentTasks.waitWhile(
          () -> {
            server.openRepository("r", Purpose.request()).close();
            return !sources().equals(List.of("GC"));
          });
    }
    it.isSound();
  }

  @Holds(
      "BackgroundMaintenance, BackgroundGc, BackgroundSteps: Closing a server ends its "
          + "maintenance, without waiting or failure")
  @Test
  void a_server_that_is_closed_does_not_wait_for_a_collection() throws Exception {
    push(3);
    StagedStore store = new StagedStore(new DirectoryObjectStore(directory));
    CountDownLatch underWay = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    AtomicReference<Thread> collector = new AtomicReference<>();
    store.before(
        Request.WRITE_LEASE,
        () -> {
          collector.set(Thread.currentThread());
          underWay.countDown();
          boolean waiting = true;
          while (waiting) { // deaf to interrupts, as computing is
            try {
              goOn.await();
              waiting = false;
            } catch (InterruptedException e) {
              over.countDown();
            }
          }
        });
    S3RepositoryManager server = server(store, "1 ms");
    try (S3Repository r = server.openRepository("r", Purpose.request())) {
      assertThat(r.exactRef(MAIN)).isNotNull();
      assertThat(underWay.await(1, TimeUnit.MINUTES)).isTrue();
    }
    server.close();
    assertThat(over.await(1, TimeUnit.MINUTES)).as("it is told to end").isTrue();
    assertThat(goOn.getCount()).as("and was not waited for").isEqualTo(1);
    goOn.countDown();
    collector.get().join(TimeUnit.MINUTES.toMillis(1));
    assertThat(collector.get().isAlive()).isFalse();
    assertThat(sources()).containsOnly("INSERT");
    DfsBlockCache.reconfigure(new DfsBlockCacheConfig());
    it.isSound();
  }
}
