// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectIdRef;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.ReflogEntry;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.history.Transactions;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.LogSegment;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RefChange;
import org.jgits3.manifest.TransactionLog;
import org.jgits3.metrics.Count;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.RequestKind;
import org.jgits3.store.StagedStore;
import org.jgits3.store.StoreContent;
import org.jgits3.store.StoreException;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The log of a repository with a long history: what it costs to keep, and to read. */
@Holds(
    "LogCompaction: A compaction of the log commits only if its input is still listed, and keeps "
        + "later entries")
@Holds("LogCompaction: The list of log segments stays small however long the history is")
@Holds("LogObjects: The manifest names objects of large batches until a segment names them")
class LogCompactionTest {
  private static final ObjectId ZERO = ObjectId.zeroId();
  private static final String BUSY = "refs/heads/busy";

  private final RequestCounts counts = new RequestCounts();
  private final MemoryObjectStore memory = new MemoryObjectStore();
  private final StagedStore store = new StagedStore(memory);
  @AutoClose private S3RepositoryManager manager;
  @AutoClose private S3Repository repository;
  private LongLog log;

  @BeforeEach
  void create() throws Exception {
    ObservedObjectStore observed = new ObservedObjectStore(store, counts);
    manager = TestRepositories.manager(observed);
    repository = manager.createRepository("r");
    log = new LongLog(observed, "r");
  }

  /** A history of as many times the entries that are compacted at once. */
  private void history(int compactions) throws IOException {
    for (int i = 0; i < compactions; i++) {
      log.append(new RefChange(BUSY, i == 0 ? ZERO : LongLog.id(i - 1), LongLog.id(i)));
      log.compact();
    }
  }

  private List<ReflogEntry> reflog(String name) throws IOException {
    Ref ref = new ObjectIdRef.Unpeeled(Ref.Storage.PACKED, name, null);
    return repository.getRefDatabase().getReflogReader(ref).getReverseEntries();
  }

  private List<ObjectId> newIds(String name) throws IOException {
    return reflog(name).stream().map(ReflogEntry::getNewId).toList();
  }

  /** Creations of refs, more than the manifest keeps of a transaction. */
  private static List<RefChange> many(String prefix) {
    return IntStream.range(0, 500)
        .mapToObj(i -> new RefChange(prefix + i, ZERO, LongLog.id(i)))
        .toList();
  }

  private long requestsOfReflog(String name) throws IOException {
    RequestCounts.Snapshot before = counts.snapshot();
    assertThat(reflog(name)).isNotEmpty();
    RequestCounts.Snapshot since = counts.snapshot().since(before);
    assertThat(since.total()).isEqualTo(since.of(RequestKind.GET) + since.of(RequestKind.READ));
    return since.total();
  }

  private static long entries(TransactionLog log) {
    return log.tail().size() + log.segments().stream().mapToLong(LogSegment::entries).sum();
  }

  @Test
  void few_segments_are_listed_however_long_the_history_is() throws Exception {
    long written = 0;
    for (int i = 1; i <= 128; i++) {
      RequestCounts.Snapshot before = counts.snapshot();
      log.append(new RefChange(BUSY, LongLog.id(i - 1), LongLog.id(i)));
      log.compact();

      TransactionLog now = log.log();
      assertThat(now.segments()).hasSizeLessThanOrEqualTo(6);
      assertThat(entries(now)).isEqualTo(i * 251L);
      RequestCounts.Snapshot since = counts.snapshot().since(before);
      written += since.bytes().get(RequestKind.PUT);
    }
    long size = log.log().segments().stream().mapToLong(s -> s.object().size()).sum();
    assertThat(size / (128 * 251)).as("bytes of a transaction").isLessThan(80);
    assertThat(written / size).as("times that each byte was written").isLessThan(10);
    assertThat(reflog(BUSY)).hasSize(128);
  }

  @Test
  void the_reflog_of_a_recent_ref_needs_the_newest_segment() throws Exception {
    history(120);
    log.append(List.of(new RefChange("refs/heads/tail", ZERO, LongLog.id(1))));
    assertThat(requestsOfReflog("refs/heads/tail")).as("in the tail: the manifest").isEqualTo(1);

    log.append(new RefChange("refs/heads/recent", ZERO, LongLog.id(1)));
    log.compaction().moveTail(log.manifest());
    assertThat(requestsOfReflog("refs/heads/recent")).as("in one segment").isEqualTo(2);
  }

  @Test
  void the_reflog_of_an_old_ref_needs_a_request_for_each_segment_and_one_more() throws Exception {
    log.append(new RefChange("refs/heads/old", ZERO, LongLog.id(1)));
    history(127);
    int segments = log.log().segments().size();

    assertThat(segments).isLessThanOrEqualTo(6);
    assertThat(requestsOfReflog("refs/heads/old")).isLessThanOrEqualTo(1 + segments + 1);
  }

  @Test
  void the_reflog_of_a_ref_that_does_not_exist_needs_one_request() throws Exception {
    history(120);
    repository.exactRef("HEAD");
    RequestCounts.Snapshot before = counts.snapshot();
    assertThat(repository.getRefDatabase().getReflogReader("refs/heads/none")).isNull();
    assertThat(counts.snapshot().since(before).total()).isEqualTo(1);
  }

  @Test
  void a_ref_that_was_never_logged_costs_a_request_for_each_segment() throws Exception {
    history(120);
    RequestCounts.Snapshot before = counts.snapshot();
    assertThat(reflog("refs/heads/none")).isEmpty();
    assertThat(counts.snapshot().since(before).total())
        .isLessThanOrEqualTo(1 + log.log().segments().size());
  }

  @Test
  void reflog_of_a_deleted_ref_has_its_last_life_and_the_deletion() throws Exception {
    log.append(new RefChange("refs/heads/a", ZERO, LongLog.id(1)));
    log.append(new RefChange("refs/heads/a", LongLog.id(1), ZERO));
    log.compact();
    log.append(new RefChange("refs/heads/a", ZERO, LongLog.id(2)));
    log.append(new RefChange("refs/heads/a", LongLog.id(2), LongLog.id(3)));
    log.compact();
    log.append(new RefChange("refs/heads/a", LongLog.id(3), ZERO));

    for (int compactions = 0; compactions < 2; compactions++) {
      assertThat(newIds("refs/heads/a")).containsExactly(ZERO, LongLog.id(3), LongLog.id(2));
      log.compact();
    }
    assertThat(repository.getRefDatabase().getReflogReader("refs/heads/a")).isNull();
  }

  @Test
  void a_reflog_follows_renames_through_segments() throws Exception {
    log.append(new RefChange("refs/heads/a", ZERO, LongLog.id(1)));
    log.compact();
    RefChange rename = new RefChange("refs/heads/b", ZERO, LongLog.id(1)).renamed("refs/heads/a");
    log.append(rename);
    log.compaction().moveTail(log.manifest());
    log.append(new RefChange("refs/heads/a", ZERO, LongLog.id(9)));
    log.compaction().moveTail(log.manifest());
    log.append(new RefChange("refs/heads/b", LongLog.id(1), LongLog.id(2)));

    assertThat(newIds("refs/heads/b")).containsExactly(LongLog.id(2), LongLog.id(1), LongLog.id(1));
    log.compact();
    assertThat(reflog("refs/heads/b")).hasSize(3);
    assertThat(reflog("refs/heads/a")).hasSize(1);
  }

  @Test
  void of_too_many_segments_the_two_smallest_neighbours_are_merged() throws Exception {
    int count = LogCompaction.LISTED + 2;
    for (int i = 0; i < count; i++) {
      log.append(List.of(new RefChange(BUSY, i == 0 ? ZERO : LongLog.id(i - 1), LongLog.id(i))));
      log.compaction().moveTail(log.manifest());
    }
    assertThat(log.compaction().due(log.manifest())).isTrue();
    log.compact();
    log.compact();

    assertThat(log.log().segments()).hasSize(LogCompaction.LISTED);
    assertThat(log.compaction().due(log.manifest())).isFalse();
    assertThat(newIds(BUSY))
        .containsExactlyElementsOf(
            IntStream.range(0, count).mapToObj(i -> LongLog.id(count - 1 - i)).toList());
  }

  @Test
  void a_large_transaction_goes_into_the_segment_and_makes_it_large_enough() throws Exception {
    List<RefChange> changes = new ArrayList<>();
    for (int i = 0; i < 400_000; i++) {
      String number = Integer.toString(10_000_000 + i).substring(1);
      changes.add(new RefChange("refs/changes/" + number, ZERO, LongLog.id(i)));
    }
    log.appendLarge(changes);
    assertThat(newIds("refs/changes/0123456")).containsExactly(LongLog.id(123_456));
    long before = counts.snapshot().total();
    reflog("refs/changes/0123456");
    assertThat(counts.snapshot().total() - before).as("manifest, index, block").isEqualTo(3);

    log.compact();
    LogSegment large = log.log().segments().get(0);
    assertThat(large.object().size()).isGreaterThan(LogCompaction.CAP);
    assertThat(large.entries()).isEqualTo(1);
    log.append(new RefChange(BUSY, ZERO, LongLog.id(1)));
    log.compact();
    assertThat(log.log().segments()).hasSize(2).startsWith(large);
    assertThat(newIds("refs/changes/0123456")).containsExactly(LongLog.id(123_456));
    assertThat(Optional.ofNullable(reflog("refs/changes/0399999").get(0).getComment())).isPresent();
  }

  /** Flips a bit of a log object. */
  private void damage(String id) throws IOException {
    byte[] bytes = bytes(key(id));
    bytes[bytes.length / 2] ^= 1;
    memory.put(key(id), bytes, 0, bytes.length);
  }

  @Holds(
      "LogCompaction, TransactionLog, LogReader, Transactions: A damaged or missing log object "
          + "blocks no refs, pushes or later entries, stays listed, and is reported once")
  @Test
  void a_damaged_segment_stays_listed_and_later_ones_are_merged_without_it() throws Exception {
    history(1);
    String damaged = log.log().segments().get(0).object().id();
    damage(damaged);
    for (int i = 1; i < 12; i++) {
      log.append(new RefChange(BUSY, LongLog.id(i - 1), LongLog.id(i)));
      log.compact();
    }
    TransactionLog now = log.log();
    assertThat(now.tail()).isEmpty();
    assertThat(now.segments().get(0).object().id()).isEqualTo(damaged);
    assertThat(now.segments()).hasSizeLessThanOrEqualTo(6);
    assertThat(entries(now)).isEqualTo(12 * 251L);
    assertThat(log.metrics().of(Count.DAMAGED_LOG_OBJECTS)).isEqualTo(1);
  }

  @Test
  void a_damaged_large_transaction_stays_in_the_tail_and_later_ones_pass_it() throws Exception {
    log.append(List.of(new RefChange(BUSY, ZERO, LongLog.id(0))));
    log.appendLarge(many("refs/tags/v"));
    String damaged = log.log().tail().get(1).external().orElseThrow().id();
    byte[] before = bytes(key(damaged));
    damage(damaged);
    log.append(new RefChange(BUSY, LongLog.id(0), LongLog.id(1)));
    log.compact();
    log.append(new RefChange(BUSY, LongLog.id(1), LongLog.id(2)));
    log.compaction().moveTail(log.manifest());

    TransactionLog now = log.log();
    assertThat(now.tail()).singleElement().matches(entry -> entry.external().isPresent());
    assertThat(now.leftBehind()).isEqualTo(now.tail());
    assertThat(now.newest()).isEmpty();
    assertThat(log.metrics().of(Count.DAMAGED_LOG_OBJECTS)).isEqualTo(1);
    assertThatThrownBy(() -> reflog("refs/tags/v7")).isInstanceOf(StoreException.Corrupt.class);

    memory.put(key(damaged), before, 0, before.length); // restored from a copy
    assertThat(reflog("refs/tags/v7")).hasSize(1);
    assertThat(newIds(BUSY)).containsExactly(LongLog.id(2), LongLog.id(1), LongLog.id(0));
    Transactions all = repository.history().since(0);
    long last = 0;
    int count = 0;
    List<Integer> sizes = new ArrayList<>();
    for (var next = all.next(); next.isPresent(); next = all.next()) {
      assertThat(next.get().generation()).isGreaterThanOrEqualTo(last);
      last = next.get().generation();
      int[] changes = new int[1];
      next.get().forEachChange(each -> changes[0]++);
      if (changes[0] > 1) {
        sizes.add(changes[0]);
        assertThat(count).as("transactions before the large one").isEqualTo(1);
      }
      count++;
    }
    assertThat(sizes).containsExactly(500);
    assertThat(count).isEqualTo(1 + 1 + 2 * 251);
  }

  private String key(String id) throws IOException {
    return ObjectNames.logKey(log.manifest().repositoryId(), id);
  }

  private byte[] bytes(String key) throws IOException {
    return StoreContent.bytes(memory, key);
  }

  @Test
  void updates_go_on_though_the_manifest_is_full_and_its_log_damaged() throws Exception {
    log.appendLarge(many("refs/tags/v"));
    damage(log.log().tail().get(0).external().orElseThrow().id());
    ObjectId id = TestRepositories.commit(repository, "first");
    for (int i = 0; i < 400; i++) {
      String name = "refs/heads/" + i + ("/" + "x".repeat(225)).repeat(2);
      assertThat(TestRepositories.update(repository, name, id)).isEqualTo(RefUpdate.Result.NEW);
    }
  }

  @Test
  void refs_are_folded_for_an_update_that_what_is_damaged_leaves_no_room_for() throws Exception {
    ObjectId id = TestRepositories.commit(repository, "first");
    for (int i = 0; i < 20; i++) {
      create("refs/heads/" + i, id);
    }
    log.compaction().moveTail(log.manifest());
    for (int n = 0; n < 10; n++) {
      log.appendLarge(many("refs/tags/" + n + "/"));
    }
    for (LogEntry entry : log.log().tail()) {
      damage(entry.external().orElseThrow().id());
    }
    int some = 10_000;
    repository.setGitwebDescription("y".repeat(some));
    long bytes = bytes(StoredManifest.key(memory, "r")).length;
    repository.setGitwebDescription("y".repeat(some + (int) (Manifest.MAX_BYTES - bytes) - 60));
    create("refs/heads/new", id);
    assertThat(log.manifest().refs().base()).isPresent();
    assertThat(repository.getRefDatabase().getRefsByPrefix("refs/heads/")).hasSize(21);
  }

  private void create(String name, ObjectId id) throws IOException {
    assertThat(TestRepositories.update(repository, name, id)).isEqualTo(RefUpdate.Result.NEW);
  }
}
