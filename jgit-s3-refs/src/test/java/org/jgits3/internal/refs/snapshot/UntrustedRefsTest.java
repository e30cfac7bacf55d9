// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.RefUpdate;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.refs.table.RefTable;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.metrics.Count;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.ReadRequest;
import org.jgits3.store.RequestKind;
import org.jgits3.store.RestampingStore;
import org.jgits3.store.StoreException;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Look-ups through a path whose versions mean nothing: {@code trustETag = never}. */
@Holds(
    "SharedRefs, SnapshotTables, SnapshotReader: Where versions are not trusted, bytes read "
        + "after a look-up arrived decide whether manifest and table are the same. Equal tables are "
        + "not parsed again.")
@Holds("SnapshotTables: A good table is not discarded because of bad bytes")
@Timeout(120)
class UntrustedRefsTest {
  private static final String MASTER = "refs/heads/master";
  private static final int REFS = 6000;

  /** As many as make a snapshot that is compared in several ranges. */
  private static final int MANY_REFS = 230_000;

  private static final int THREADS = 16;

  @TempDir Path directory;

  private final RequestCounts counts = new RequestCounts();
  private final AtomicBoolean flipped = new AtomicBoolean();
  private RestampingStore store;
  private S3RepositoryManager there;
  private S3RepositoryManager here;
  private S3Repository writer;
  private S3Repository reader;
  private ObjectId first;
  private ObjectId second;

  @BeforeEach
  void create() throws Exception {
    store = new RestampingStore(new Flipping(new DirectoryObjectStore(directory)));
    there = TestRepositories.manager(store);
    writer = there.createRepository("r");
    first = TestRepositories.commit(writer, "first");
    second = TestRepositories.commit(writer, "second", first);
  }

  @AfterEach
  void close() throws IOException {
    if (here != null) {
      reader.close();
      here.close();
    }
    writer.close();
    there.close();
  }

  /** Flips one bit in the middle of snapshots while that is wanted. */
  private final class Flipping extends DelegatingObjectStore {
    Flipping(DirectoryObjectStore store) {
      super(store);
    }

    private boolean flips(String key) {
      return flipped.get() && key.contains("/refs/");
    }

    @Override
    public ObjectVersion read(ReadRequest range) throws IOException {
      ObjectVersion v = super.read(range);
      if (flips(range.key())) {
        range.dst()[range.dstOffset() + range.length() / 2] ^= 1;
      }
      return v;
    }

    @Override
    public boolean compare(ReadRequest held) throws IOException {
      return !flips(held.key()) && super.compare(held);
    }
  }

  /** Creates so many refs there, and opens the repository here. */
  private void open(int refs, String... settings) throws Exception {
    TestRepositories.createAll(writer, first, refs, i -> "refs/changes/" + i + "/1");
    writer.getRefDatabase().compact();
    here =
        TestRepositories.manager(
            new ObservedObjectStore(store, counts),
            "[s3 \"refs\"]\ntrustETag = never\n" + String.join("\n", settings));
    reader = here.openRepository("r");
  }

  private static void update(S3Repository r, String name, ObjectId id) throws IOException {
    assertThat(TestRepositories.force(r, name, id))
        .isIn(RefUpdate.Result.NEW, RefUpdate.Result.FORCED, RefUpdate.Result.FAST_FORWARD);
  }

  private RefView look() throws IOException {
    return reader.getRefDatabase().validated();
  }

  private RequestCounts.Snapshot requestsOf(int lookUps) throws IOException {
    RequestCounts.Snapshot before = counts.snapshot();
    for (int i = 0; i < lookUps; i++) {
      assertThat(reader.exactRef("refs/changes/7/1").getObjectId()).isEqualTo(first);
    }
    return counts.snapshot().since(before);
  }

  @Test
  void equal_bytes_are_the_same_table() throws Exception {
    open(REFS);
    RefView view = look();
    store.restamp();
    look();
    assertThat(look().table()).isSameAs(view.table());
    assertThat(here.counters().of(Count.PARSES)).isEqualTo(1);
    assertThat(here.counters().of(Count.COMPARISONS)).isEqualTo(2);
    assertThat(here.counters().of(Count.DIFFERENCES)).isZero();
    assertThat(here.counters().of(Count.DECODINGS)).isEqualTo(1);
  }

  @Test
  void a_look_up_fetches_manifest_and_snapshot_in_one_request_each() throws Exception {
    open(REFS);
    look();
    long snapshot = look().refs().base().orElseThrow().size();
    RequestCounts.Snapshot used = requestsOf(1);
    assertThat(used.of(RequestKind.GET)).isEqualTo(1);
    assertThat(used.of(RequestKind.READ)).isEqualTo(1);
    assertThat(used.total()).isEqualTo(2);
    assertThat(used.bytes().get(RequestKind.READ)).isEqualTo(snapshot);
  }

  @Test
  void equal_bytes_cost_little_memory_whatever_their_number() throws Exception {
    open(MANY_REFS);
    long snapshot = look().refs().base().orElseThrow().size();
    look();
    long before = allocated();
    int lookUps = 5;
    for (int i = 0; i < lookUps; i++) {
      look();
    }
    assertThat(snapshot).isGreaterThan(8 << 20);
    assertThat((allocated() - before) / lookUps).isLessThan(1 << 20);
    assertThat(here.counters().of(Count.PARSES)).isEqualTo(1);
  }

  /** Bytes that all threads have allocated. */
  private static long allocated() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    return Arrays.stream(threads.getThreadAllocatedBytes(threads.getAllThreadIds()))
        .filter(bytes -> bytes > 0)
        .sum();
  }

  @Test
  void changes_of_others_are_seen_and_then_look_ups_are_cheap_again() throws Exception {
    open(REFS);
    RefTable table = look().table();
    update(writer, MASTER, second);
    assertThat(reader.exactRef(MASTER).getObjectId()).isEqualTo(second);
    RefView view = look();
    assertThat(view.table()).isSameAs(table);
    assertThat(look().table()).isSameAs(table);
    assertThat(here.counters().of(Count.DECODINGS)).isEqualTo(2);
  }

  @Test
  void a_snapshot_of_others_is_loaded_once_however_many_wait_for_it() throws Exception {
    open(REFS);
    look();
    for (int i = 0; i < 2; i++) { // two compactions, so that it cannot be derived
      update(writer, MASTER, i == 0 ? first : second);
      writer.getRefDatabase().compact();
    }
    List<RefView> views = ConcurrentTasks.results(THREADS, this::look);
    RefView view = views.get(0);
    assertThat(views).allSatisfy(each -> assertThat(each.table()).isSameAs(view.table()));
    assertThat(view.exactRef(MASTER).getObjectId()).isEqualTo(second);
    assertThat(here.counters().of(Count.PARSES)).isEqualTo(2);
    assertThat(here.counters().of(Count.DECODINGS)).isEqualTo(2);
  }

  @Test
  void other_bytes_are_an_error_that_names_the_key_and_the_good_table_stays() throws Exception {
    open(REFS);
    RefTable table = look().table();
    flipped.set(true);
    assertThat(keyOfFailure()).endsWith(snapshotId());
    assertThat(here.counters().of(Count.DIFFERENCES)).isEqualTo(1);
    update(reader, MASTER, second);
    flipped.set(false);
    assertThat(look().table()).isSameAs(table);
    assertThat(reader.exactRef(MASTER).getObjectId()).isEqualTo(second);
  }

  private String snapshotId() throws IOException {
    return writer.getRefDatabase().validated().refs().base().orElseThrow().id();
  }

  /** The key that a failing look-up names. */
  private String keyOfFailure() {
    try {
      reader.exactRef(MASTER);
    } catch (StoreException.Corrupt e) {
      assertThat(e).hasMessageContaining(e.key());
      return e.key();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    throw new AssertionError("the look-up should have failed");
  }

  @Test
  void a_request_compares_once_when_it_begins() throws Exception {
    open(REFS);
    look();
    RequestCounts.Snapshot before = counts.snapshot();
    try (S3Repository request = here.openRepository("r", Purpose.request())) {
      for (int i = 0; i < 5; i++) {
        assertThat(request.exactRef("refs/changes/7/1")).isNotNull();
      }
    }
    assertThat(counts.snapshot().since(before).total()).isEqualTo(2);
  }

  @Test
  void without_raw_bytes_each_look_up_loads_and_parses() throws Exception {
    open(REFS, "keepRawBytes = false");
    requestsOf(3);
    assertThat(here.counters().of(Count.PARSES)).isEqualTo(3);
    assertThat(here.counters().of(Count.COMPARISONS)).isZero();
    assertThat(here.counters().of(Count.DECODINGS)).as("its bytes are the same").isEqualTo(1);
    assertThat(here.tableBudget().held()).isZero();
  }
}
