// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jgits3.TestRepositories.update;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.refs.table.RefTable;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.manifest.Manifest;
import org.jgits3.metrics.Count;
import org.jgits3.metrics.Counters;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.ReadRequest;
import org.jgits3.store.RequestKind;
import org.jgits3.store.StoreException;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the memory of refs between look-ups: {@code cacheLimit}, {@code keepRawBytes}. */
@Holds(
    "SharedRefs, SnapshotTables: Every operation works even if no table is kept. A look-up that "
        + "waits for a table learns that loading failed.")
@Timeout(120)
class RefsMemoryTest {
  private static final int REFS = 6000;
  private static final String MASTER = "refs/heads/master";
  private static final String CHANGE = "refs/changes/7/1";

  @TempDir Path directory;

  private final RequestCounts counts = new RequestCounts();
  private final List<Repository> open = new ArrayList<>();
  private S3RepositoryManager there;
  private S3RepositoryManager here;
  private ObjectId first;
  private ObjectId second;

  @BeforeEach
  void create_two_repositories_of_the_same_size() throws Exception {
    there = TestRepositories.manager(directory);
    for (String name : new String[] {"a", "b"}) {
      S3Repository r = there.createRepository(name);
      open.add(r);
      first = TestRepositories.commit(r, "first");
      second = TestRepositories.commit(r, "second", first);
      TestRepositories.createAll(r, first, REFS, i -> "refs/changes/" + i + "/1");
      r.getRefDatabase().compact();
    }
  }

  @AfterEach
  void close() throws IOException {
    open.forEach(Repository::close);
    if (here != null) {
      here.close();
    }
    there.close();
  }

  private void manager(String settings) throws Exception {
    here =
        TestRepositories.manager(
            new ObservedObjectStore(new DirectoryObjectStore(directory), counts),
            "[s3 \"refs\"]\n" + settings);
  }

  private S3Repository open(String name) throws IOException {
    S3Repository r = here.openRepository(name);
    open.add(r);
    return r;
  }

  private long tableBytes() throws IOException {
    return there.openRepository("a").getRefDatabase().validated().table().bytes();
  }

  private long readsOf(S3Repository r) throws IOException {
    long before = counts.snapshot().of(RequestKind.READ);
    assertThat(r.exactRef(CHANGE).getObjectId()).isEqualTo(first);
    return counts.snapshot().of(RequestKind.READ) - before;
  }

  @Test
  void a_reader_is_not_disturbed_when_its_table_is_let_go() throws Exception {
    manager("cacheLimit = " + (tableBytes() + tableBytes() / 2));
    S3Repository a = open("a");
    RefView view = a.getRefDatabase().validated();
    readsOf(open("b"));
    assertThat(here.counters().of(Count.EVICTIONS)).isEqualTo(1);
    assertThat(view.exactRef(CHANGE).getObjectId()).isEqualTo(first);
    assertThat(view.getRefsByPrefixWithExclusions("refs/changes/", Set.of())).hasSize(REFS);
  }

  @Test
  void a_forgotten_repository_leaves_the_budget_first() throws Exception {
    long bytes = tableBytes();
    manager("cacheLimit = " + (bytes + bytes / 2));
    S3Repository a = open("a");
    readsOf(a);
    open.remove(a);
    a.close();
    here.delete("a");
    assertThat(here.tableBudget().held()).isEqualTo(bytes);
    S3Repository b = open("b");
    readsOf(b);
    readsOf(b);
    assertThat(here.tableBudget().held()).isEqualTo(bytes);
    assertThat(here.counters().of(Count.DOWNLOADS)).as("a, and b once").isEqualTo(2);
  }

  @Test
  void nothing_is_kept_without_raw_bytes() throws Exception {
    manager("keepRawBytes = false");
    S3Repository a = open("a");
    for (int i = 0; i < 3; i++) {
      assertThat(readsOf(a)).isEqualTo(1);
      assertThat(here.tableBudget().held()).isZero();
    }
    assertThat(a.getRefDatabase().known()).isEmpty();
    assertThat(here.counters().of(Count.EVICTIONS)).as("nothing was kept to be let go").isZero();
  }

  /** The second is a budget smaller than the table. */
  @ParameterizedTest
  @ValueSource(strings = {"keepRawBytes = false", "cacheLimit = 1k"})
  void every_operation_works_though_no_table_is_kept(String setting) throws Exception {
    manager(setting);
    S3Repository a = open("a");
    assertThat(update(a, MASTER, first)).isEqualTo(RefUpdate.Result.NEW);
    assertThat(update(a, MASTER, second)).isEqualTo(RefUpdate.Result.FAST_FORWARD);
    assertThat(update(a, MASTER, second)).isEqualTo(RefUpdate.Result.NO_CHANGE);
    assertThat(a.renameRef(MASTER, "refs/heads/other").rename())
        .isEqualTo(RefUpdate.Result.RENAMED);
    assertThat(TestRepositories.delete(a, CHANGE)).isEqualTo(RefUpdate.Result.FORCED);
    a.getRefDatabase().compact();
    TestRepositories.assertAllOk(
        TestRepositories.createAll(a, second, REFS, i -> "refs/more/" + i));
    assertThat(a.exactRef("refs/more/17").getObjectId()).isEqualTo(second);
    assertThat(a.exactRef(CHANGE)).isNull();
    assertThat(a.getRefDatabase().getRefsByPrefix("refs/")).hasSize(2 * REFS);
    assertThat(a.getRefDatabase().getReflogReader("refs/heads/other").getReverseEntries())
        .isNotEmpty();
    assertThat(here.tableBudget().held()).isZero();
    try (S3Repository check = there.openRepository("a")) {
      assertThat(check.getRefDatabase().getRefsByPrefix("refs/").stream().map(Ref::getName))
          .containsExactlyElementsOf(
              a.getRefDatabase().getRefsByPrefix("refs/").stream().map(Ref::getName).toList());
    }
  }

  @Test
  void a_look_up_or_an_update_loads_the_refs_once_without_raw_bytes() throws Exception {
    manager("keepRawBytes = false\nvalidate = 1 h");
    S3Repository a = open("a");
    readsOf(a);
    RequestCounts.Snapshot before = counts.snapshot();
    readsOf(a);
    assertThat(counts.snapshot().since(before))
        .as("within the window")
        .hasToString("1 request: 1 READ");
    RequestCounts.Snapshot looked = counts.snapshot();
    assertThat(update(a, MASTER, first)).isEqualTo(RefUpdate.Result.NEW);
    RequestCounts.Snapshot used = counts.snapshot().since(looked);
    assertThat(used.of(RequestKind.READ)).isEqualTo(1);
    assertThat(used.of(RequestKind.PUT_IF)).isEqualTo(1);
    assertThat(used.total()).as("manifest, snapshot, manifest").isEqualTo(3);
  }

  private static SnapshotTables tables(ObjectStore store, Counters metrics) {
    return new SnapshotTables(store, metrics, new TableCache(Long.MAX_VALUE, metrics), true);
  }

  private Manifest manifestOfA() throws IOException {
    try (S3Repository a = there.openRepository("a")) {
      return a.manifest();
    }
  }

  @Test
  void a_look_up_that_waits_for_an_interrupted_load_loads_itself() throws Exception {
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    DelegatingObjectStore store =
        new DelegatingObjectStore(new DirectoryObjectStore(directory)) {
          @Override
          public ObjectVersion read(ReadRequest range) throws IOException {
            reading.countDown();
            try {
              go.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
              throw new StoreException.Unavailable(range.key(), range.key() + ": interrupted", e);
            }
            return super.read(range);
          }
        };
    Counters metrics = new Counters();
    SnapshotTables tables = tables(store, metrics);
    Manifest manifest = manifestOfA();
    FutureTask<RefTable> first = new FutureTask<>(() -> tables.of(manifest));
    Thread loader = new Thread(first);
    loader.start();
    reading.await();
    FutureTask<RefTable> second = new FutureTask<>(() -> tables.of(manifest));
    Thread waiter = new Thread(second);
    waiter.start();
    ConcurrentTasks.waitWhile(() -> waiter.getState() != Thread.State.WAITING);
    loader.interrupt();
    assertThatThrownBy(first::get).hasCauseInstanceOf(StoreException.Unavailable.class);
    go.countDown();
    assertThat(second.get().size()).isEqualTo(REFS);
    assertThat(metrics.of(Count.PARSES)).isEqualTo(1);
  }

  @Test
  void a_look_up_that_waits_for_a_table_fails_if_memory_was_too_small_for_it() throws Exception {
    AtomicReference<Thread> waiter = new AtomicReference<>();
    Error noMemory = new OutOfMemoryError("as if");
    DelegatingObjectStore store =
        new DelegatingObjectStore(new DirectoryObjectStore(directory)) {
          @Override
          public ObjectVersion read(ReadRequest range) throws IOException {
            if (waiter.get().getState() == Thread.State.NEW) {
              waiter.get().start();
              ConcurrentTasks.waitWhile(() -> waiter.get().getState() != Thread.State.WAITING);
              throw noMemory;
            }
            return super.read(range);
          }
        };
    SnapshotTables tables = tables(store, new Counters());
    Manifest manifest = manifestOfA();
    FutureTask<RefTable> second = new FutureTask<>(() -> tables.of(manifest));
    waiter.set(new Thread(second));
    assertThatThrownBy(() -> tables.of(manifest)).isSameAs(noMemory);
    assertThatThrownBy(second::get)
        .hasCauseInstanceOf(IOException.class)
        .hasMessageEndingWith("cannot be loaded")
        .hasRootCause(noMemory);
    assertThat(tables.of(manifest).size()).isEqualTo(REFS);
  }
}
