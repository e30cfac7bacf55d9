// SPDX-License-Identifier: Apache-2.0
package org.jgits3.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.history.HistoryUnavailableException.Reason;
import org.jgits3.internal.refs.log.LongLog;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.manifest.LogSegment;
import org.jgits3.manifest.RefChange;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of followers of a repository: the transactions they get, and the requests. */
@Holds(
    "Transactions, TransactionHistory: A follower of one repository gets each transaction once "
        + "and in order, or learns that its position is invalid")
class TransactionHistoryTest {
  private static final ObjectId ZERO = ObjectId.zeroId();
  private static final String MAIN = "refs/heads/main";

  @TempDir Path directory;
  private final RequestCounts counts = new RequestCounts();
  @AutoClose private S3RepositoryManager manager;
  @AutoClose private S3Repository repository;
  private LongLog log;

  @BeforeEach
  void create() throws Exception {
    ObservedObjectStore store =
        new ObservedObjectStore(new DirectoryObjectStore(directory), counts);
    manager = TestRepositories.manager(store);
    repository = manager.createRepository("r");
    log = new LongLog(store, "r");
  }

  private void push(int i) throws IOException {
    log.append(List.of(new RefChange(MAIN, i == 0 ? ZERO : LongLog.id(i - 1), LongLog.id(i))));
  }

  /** Transactions that touch the main branch, a compaction after each; other refs in between. */
  private List<Long> history(int count) throws IOException {
    List<Long> generations = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      log.append(new RefChange(MAIN, i == 0 ? ZERO : LongLog.id(i - 1), LongLog.id(i)));
      generations.add(log.manifest().generation());
      log.compact();
    }
    return generations;
  }

  /** Ids that the main branch got. */
  static List<ObjectId> main(Transactions transactions) throws IOException {
    List<ObjectId> ids = new ArrayList<>();
    for (var next = transactions.next(); next.isPresent(); next = transactions.next()) {
      next.get()
          .forEachChange(
              c -> {
                if (c.ref().equals(MAIN)) {
                  ids.add(c.newId());
                }
              });
    }
    return ids;
  }

  private long requests(long before) {
    return counts.snapshot().total() - before;
  }

  @Test
  void every_transaction_after_a_generation_comes_once_and_in_order() throws Exception {
    List<Long> generations = history(20);
    push(20);
    for (int i = 0; i < 20; i++) {
      List<ObjectId> expected = new ArrayList<>();
      for (int j = i + 1; j <= 20; j++) {
        expected.add(LongLog.id(j));
      }
      assertThat(main(repository.history().since(generations.get(i)))).isEqualTo(expected);
    }
    assertThat(main(repository.history().since(0))).hasSize(21);
  }

  @Test
  void a_transaction_names_its_author_and_time() throws Exception {
    push(0);
    Transaction only = repository.history().since(0).next().orElseThrow();
    assertThat(only.generation()).isEqualTo(log.manifest().generation());
    assertThat(only.message()).isEqualTo("push 0");
    assertThat(only.who().toExternalString())
        .isEqualTo("A U Thor <author@example.com> 1700000000 +0100");
  }

  @Test
  void nothing_new_costs_one_request_and_so_does_what_is_new() throws Exception {
    history(5);
    TransactionHistory history = repository.history();
    LogPosition read = history.since(0).end();
    long before = counts.snapshot().total();
    assertThat(history.since(read).next()).isEmpty();
    assertThat(requests(before)).isEqualTo(1);

    push(5);
    before = counts.snapshot().total();
    Transactions news = history.since(read);
    assertThat(main(news)).containsExactly(LongLog.id(5));
    assertThat(news.next()).isEmpty();
    assertThat(requests(before)).isEqualTo(1);
    assertThat(history.since(news.end()).next()).isEmpty();
  }

  @Test
  void what_is_old_costs_only_the_segments_it_is_in() throws Exception {
    List<Long> generations = history(120);
    List<LogSegment> segments = log.log().segments();
    LogSegment last = segments.get(segments.size() - 1);
    long before = counts.snapshot().total();
    main(repository.history().since(last.from() - 1));
    assertThat(requests(before)).isEqualTo(2);

    before = counts.snapshot().total();
    assertThat(main(repository.history().since(generations.get(0)))).hasSize(119);
    long megabytes = 1 + segments.stream().mapToLong(s -> s.object().size()).sum() / (1 << 20);
    assertThat(requests(before)).isLessThanOrEqualTo(1 + 2 * segments.size() + megabytes);
  }

  @Test
  void a_large_transaction_is_one_wherever_its_changes_are() throws Exception {
    List<RefChange> changes = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      changes.add(new RefChange(String.format("refs/changes/%05d", i), ZERO, LongLog.id(i)));
    }
    log.appendLarge(changes);
    push(0);
    for (int pass = 0; pass < 2; pass++) {
      Transactions all = repository.history().since(0);
      List<RefChange> read = new ArrayList<>();
      all.next().orElseThrow().forEachChange(read::add);
      assertThat(read).isEqualTo(changes);
      assertThat(main(all)).containsExactly(LongLog.id(0));
      assertThat(main(repository.history().since(0))).as("not read").hasSize(1);
      log.compact();
    }
  }

  @Test
  void a_generation_of_the_future_is_refused() throws Exception {
    push(0);
    LogPosition now = repository.history().position();
    assertThat(repository.history().since(now).next()).isEmpty();
    assertThatThrownBy(() -> repository.history().since(now.generation() + 1))
        .isInstanceOfSatisfying(
            HistoryUnavailableException.class, e -> assertThat(e.reason()).isEqualTo(Reason.FUTURE))
        .hasMessageContaining("at generation " + now.generation());
  }

  @Test
  void a_position_in_another_life_of_the_name_is_refused() throws Exception {
    push(0);
    LogPosition before = repository.history().position();
    manager.delete("r");
    try (S3Repository again = manager.createRepository("r")) {
      assertThatThrownBy(() -> again.history().since(before))
          .isInstanceOfSatisfying(
              HistoryUnavailableException.class,
              e -> assertThat(e.reason()).isEqualTo(Reason.OTHER_LIFE));
      assertThat(again.history().since(again.history().position()).next()).isEmpty();
    }
  }
}
