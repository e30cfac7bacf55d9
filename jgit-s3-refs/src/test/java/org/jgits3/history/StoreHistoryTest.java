// SPDX-License-Identifier: Apache-2.0
package org.jgits3.history;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.RefUpdate;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.history.HistoryUnavailableException.Reason;
import org.jgits3.history.RepositoryChange.Kind;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.function.IoRunnable;
import org.jgits3.internal.refs.log.LongLog;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RefChange;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.StagedStore;
import org.jgits3.store.StagedStore.Action;
import org.jgits3.store.StagedStore.Request;
import org.jgits3.store.StoreContent;
import org.jgits3.store.StoreException;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Followers of a store get every change of every repository, whatever happens between requests. */
@Holds(
    "StoreHistory, StoreCursor, ChangeReader: A follower of all repositories gets each change, "
        + "and a fork's refs, at least once, in order, without a gap, and no name twice (E-m27, E-m28)")
class StoreHistoryTest {
  private static final String MAIN = "refs/heads/main";

  private final MemoryObjectStore store = new MemoryObjectStore();

  /** The store as the follower sees it: others may act at each request. */
  private final StagedStore staged = new StagedStore(store);

  private final RequestCounts counts = new RequestCounts();
  @AutoClose private S3RepositoryManager elsewhere;
  @AutoClose private S3RepositoryManager here;
  private StoreHistory history;
  private int commits;

  @BeforeEach
  void open() throws Exception {
    elsewhere = TestRepositories.manager(store);
    here = TestRepositories.manager(new ObservedObjectStore(staged, counts));
    history = here.storeHistory();
  }

  private void create(String... names) throws IOException {
    for (String name : names) {
      elsewhere.createRepository(name).close();
    }
  }

  private void createForty() throws IOException {
    for (int i = 0; i < 40; i++) {
      create("r" + i);
    }
  }

  /** A commit on a branch, by another process. */
  private void push(String name, String ref) throws IOException {
    push(elsewhere, name, ref);
  }

  private void push(S3RepositoryManager manager, String name, String ref) throws IOException {
    try (S3Repository repository = manager.openRepository(name)) {
      push(repository, ref);
    }
  }

  private void push(S3Repository repository, String ref) throws IOException {
    ObjectId commit = TestRepositories.commit(repository, "commit " + commits++);
    assertThat(TestRepositories.force(repository, ref, commit))
        .isIn(RefUpdate.Result.NEW, RefUpdate.Result.FORCED);
  }

  /** The changes since a cursor, one text each, with the refs of their transactions in order. */
  private static List<String> texts(StoreChanges changes) throws IOException {
    List<String> texts = new ArrayList<>();
    for (var next = changes.next(); next.isPresent(); next = changes.next()) {
      texts.add(text(next.get()));
    }
    return texts;
  }

  private static String text(RepositoryChange change) throws IOException {
    StringBuilder text = new StringBuilder();
    text.append(change.kind()).append(' ').append(change.name());
    change.formerName().ifPresent(former -> text.append(" from ").append(former));
    if (change.kind() != Kind.UNAVAILABLE) {
      Transactions all = change.transactions();
      for (var next = all.next(); next.isPresent(); next = all.next()) {
        next.get().forEachChange(c -> text.append(' ').append(c.ref()));
      }
    }
    return text.toString().replace("refs/heads/", "");
  }

  private List<String> since(StoreCursor cursor) throws IOException {
    return texts(history.since(cursor));
  }

  /** Polls until nothing is new, as a follower does; the cursor is stored in between. */
  private final class Follower {
    private StoreCursor cursor;

    Follower(StoreCursor cursor) {
      this.cursor = cursor;
    }

    List<String> poll() throws IOException {
      StoreChanges changes = history.since(cursor);
      List<String> texts = texts(changes);
      cursor = StoreCursor.parse(changes.end().toBytes());
      return texts;
    }
  }

  private long requests(IoRunnable step) throws IOException {
    var before = counts.snapshot();
    step.run();
    return counts.snapshot().since(before).total();
  }

  @Test
  void first_poll_gives_each_repository_with_all_its_transactions() throws Exception {
    create("a");
    push("a", MAIN);
    push("a", "refs/heads/x");
    create("group/b");
    Follower follower = new Follower(history.start());
    assertThat(follower.poll()).containsExactlyInAnyOrder("CREATED a main x", "CREATED group/b");
    assertThat(follower.poll()).isEmpty();
  }

  /**
   * Does what a text says: {@code create a}, {@code push a branch}, {@code rename a b}, and so on.
   */
  private void elsewhere(String steps) throws IOException {
    for (String step : steps.isEmpty() ? new String[0] : steps.split("; ", -1)) {
      String[] words = step.split(" ", -1);
      switch (words[0]) {
        case "create" -> create(words[1]);
        case "push" -> push(words[1], "refs/heads/" + words[2]);
        case "rename" -> elsewhere.rename(words[1], words[2]);
        case "delete" -> elsewhere.delete(words[1]);
        default -> throw new IllegalArgumentException(step);
      }
    }
  }

  /** Changes that are joined by "and" may come in any order. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          create a; create b; push a main | push a x; push a y; push b main | CHANGED a x y and CHANGED b main
          create a | create c; push c main | CREATED c main
          create a | delete a | DELETED a
          create a; push a main | push a lost; delete a; create a; push a x | DELETED a, CREATED a x
          create b | create a; delete a | ''
          create m | rename m a; rename a z; rename z k; push k main | RENAMED k from m main
          create a; push a main | push a x; rename a z; push z y | RENAMED z from a x y
          create a; create b | rename a c; rename b a; rename c b | RENAMED a from b and RENAMED b from a
          create a; create b; create c | rename c d; rename b c; rename a b | RENAMED d from c, RENAMED c from b, RENAMED b from a
          create a; create z | delete a; rename z a | DELETED a, RENAMED a from z
          """)
  void changes_since_the_cursor_come_once_and_in_order(String before, String since, String told)
      throws Exception {
    elsewhere(before);
    Follower follower = new Follower(history.now());
    assertThat(follower.poll()).isEmpty();
    elsewhere(since);
    List<String> expected = told.isEmpty() ? List.of() : List.of(told.split(", | and ", -1));
    if (told.contains(" and ")) {
      assertThat(follower.poll()).containsExactlyInAnyOrderElementsOf(expected);
    } else {
      assertThat(follower.poll()).isEqualTo(expected);
    }
    assertThat(follower.poll()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          idle: a listing and nothing else       | '' | 0 | 0
          one for each repository that changed   | push r3 main; push r3 x; push r17 main; create n | 3 | 3
          one for a deletion                     | delete r3 | 1 | 1
          one for a deletion and one for a rename | delete r3; rename r17 c | 2 | 2
          """)
  void poll_costs_a_listing_and_a_request_for_each_change(
      String what, String since, int changes, int requests) throws Exception {
    createForty();
    StoreCursor now = history.now();
    elsewhere(since);
    assertThat(requests(() -> assertThat(since(now)).hasSize(changes)))
        .as(what)
        .isEqualTo(1 + requests);
  }

  @Test
  void what_this_process_has_committed_costs_no_request() throws Exception {
    create("a");
    StoreCursor now = history.now();
    push(here, "a", MAIN);
    assertThat(requests(() -> assertThat(since(now)).containsExactly("CHANGED a main")))
        .isEqualTo(1);
  }

  @Test
  void cursor_of_now_costs_a_request_for_each_repository() throws Exception {
    createForty();
    elsewhere.delete("r3");
    assertThat(requests(() -> history.now())).isEqualTo(1 + 39);
  }

  @Test
  void transactions_of_this_process_are_told_from_those_of_others() throws Exception {
    create("a");
    StoreCursor now = history.now();
    push(here, "a", MAIN);
    push("a", "refs/heads/x");
    push(here, "a", "refs/heads/y");
    assertThat(own(history.since(now))).containsExactly(true, false, true);
    assertThat(own(elsewhere.storeHistory().since(now))).containsExactly(false, true, false);
    try (S3RepositoryManager restarted = TestRepositories.manager(store)) {
      assertThat(own(restarted.storeHistory().since(now))).containsExactly(false, false, false);
    }
  }

  private static List<Boolean> own(StoreChanges changes) throws IOException {
    List<Boolean> own = new ArrayList<>();
    Transactions all = changes.next().orElseThrow().transactions();
    for (var next = all.next(); next.isPresent(); next = all.next()) {
      own.add(next.get().isOwn());
    }
    return own;
  }

  @Test
  void commit_between_listing_and_read_comes_once() throws Exception {
    create("a");
    Follower follower = new Follower(history.now());
    push("a", MAIN);
    staged.afterList(ObjectNames.MANIFESTS, () -> push("a", "refs/heads/x"));
    assertThat(follower.poll()).containsExactly("CHANGED a main x");
    assertThat(follower.poll()).isEmpty();
  }

  @Test
  void commit_after_the_read_comes_with_the_next_poll() throws Exception {
    create("a");
    Follower follower = new Follower(history.now());
    push("a", MAIN);
    StoreChanges changes = history.since(follower.cursor);
    RepositoryChange change = changes.next().orElseThrow();
    push("a", "refs/heads/x");
    assertThat(text(change)).isEqualTo("CHANGED a main");
    follower.cursor = changes.end();
    assertThat(follower.poll()).containsExactly("CHANGED a x");
  }

  @Test
  void folded_log_leaves_no_gap() throws Exception {
    create("a");
    LongLog log = new LongLog(store, "a");
    log.append(new RefChange(MAIN, ObjectId.zeroId(), LongLog.id(0)));
    StoreCursor now = history.now();
    log.append(new RefChange(MAIN, LongLog.id(0), LongLog.id(1)));
    log.compact();
    log.append(List.of(new RefChange(MAIN, LongLog.id(1), LongLog.id(2))));
    Transactions all = history.since(now).next().orElseThrow().transactions();
    assertThat(TransactionHistoryTest.main(all)).containsExactly(LongLog.id(1), LongLog.id(2));
  }

  /** E-m27: the second repository has the name with which the first one was read. */
  @Test
  void renames_into_each_other_between_two_reads_give_no_name_twice() throws Exception {
    create("a", "b");
    Follower follower = new Follower(history.now());
    List<String> ids = new ArrayList<>();
    follower.cursor.forEach((name, position) -> ids.add(position.repositoryId()));
    String first = elsewhere.nameOf(ids.get(0)).orElseThrow(); // is read first
    String second = elsewhere.nameOf(ids.get(1)).orElseThrow();
    push(first, MAIN);
    push(second, MAIN);
    CountDownLatch renamed = new CountDownLatch(1);
    staged.afterGet(
        StoredManifest.key(store, first),
        () -> {
          elsewhere.rename(first, "c");
          elsewhere.rename(second, first);
          renamed.countDown();
        });
    staged.beforeGet(StoredManifest.key(store, second), () -> ConcurrentTasks.await(renamed));
    assertThat(follower.poll())
        .containsExactly(
            "CHANGED " + first + " main",
            "RENAMED c from " + first,
            "RENAMED " + first + " from " + second + " main");
    assertThat(follower.poll()).isEmpty();
  }

  @Test
  void rename_after_the_listing_loses_nothing() throws Exception {
    create("a", "m");
    Follower follower = new Follower(history.now());
    push("m", MAIN);
    staged.afterList(ObjectNames.MANIFESTS, () -> elsewhere.rename("m", "a2"));
    assertThat(follower.poll()).containsExactly("RENAMED a2 from m main");
    assertThat(follower.poll()).isEmpty();
    staged.afterList(ObjectNames.MANIFESTS, () -> elsewhere.rename("a2", "z"));
    assertThat(follower.poll()).isEmpty(); // it had not changed when it was listed
    assertThat(follower.poll()).containsExactly("RENAMED z from a2");
  }

  /** Does a step before the read that comes after so many others. */
  private void beforeRead(int others, Action step) {
    staged.before(Request.READ_MANIFEST, others == 0 ? step : () -> beforeRead(others - 1, step));
  }

  @Test
  void rename_between_two_reads_loses_nothing() throws Exception {
    create("b", "m");
    Follower follower = new Follower(history.now());
    push("m", MAIN);
    push("b", MAIN);
    elsewhere.rename("m", "a");
    for (int reads = 0; reads < 4; reads++) { // the rename back comes before each of them once
      StoreCursor before = follower.cursor;
      AtomicBoolean renamed = new AtomicBoolean();
      Action back =
          () -> {
            elsewhere.rename("a", "m");
            renamed.set(true);
          };
      beforeRead(reads, back);
      List<String> seen = new ArrayList<>(follower.poll());
      if (!renamed.get()) { // there were fewer reads
        staged.before(Request.READ_MANIFEST, () -> {});
        back.run();
      }
      seen.addAll(follower.poll());
      assertThat(seen).contains("CHANGED b main").noneMatch(text -> text.startsWith("DELETED"));
      assertThat(follower.cursor.position("m")).isPresent();
      assertThat(follower.cursor.position("a")).isEmpty();
      elsewhere.rename("m", "a");
      follower.cursor = before;
    }
  }

  @Test
  void interrupted_rename_keeps_the_repository_under_one_name() throws Exception {
    create("a");
    push("a", MAIN);
    for (int writes = 0; writes <= 2; writes++) {
      Follower follower = new Follower(history.now());
      renameAndDie(writes);
      assertThat(follower.poll()).noneMatch(text -> text.startsWith("DELETED"));
      assertThat(follower.poll()).isEmpty();
      elsewhere.rename("a", "z");
      assertThat(follower.poll()).noneMatch(text -> text.startsWith("DELETED"));
      assertThat(follower.cursor.position("z")).isPresent();
      assertThat(follower.cursor.position("a")).isEmpty();
      elsewhere.rename("z", "a");
    }
  }

  /**
   * A rename from a to z that is killed after so many of its writes: the pointer and the manifest.
   */
  private void renameAndDie(int writes) throws Exception {
    int[] left = {writes};
    DelegatingObjectStore dying =
        new DelegatingObjectStore(store) {
          @Override
          public PutOutcome putIf(String key, byte[] body, Precondition condition)
              throws IOException {
            if (left[0]-- == 0) {
              throw new StoreException.Refused(key, "killed", null);
            }
            return super.putIf(key, body, condition);
          }
        };
    try (S3RepositoryManager manager = TestRepositories.manager(dying)) {
      manager.rename("a", "z");
    } catch (StoreException.Refused e) {
      assertThat(e).hasMessage("killed");
    }
  }

  @Test
  void cursor_taken_half_way_covers_what_was_returned() throws Exception {
    create("a", "b");
    StoreChanges changes = history.since(history.start());
    String first = text(changes.next().orElseThrow());
    assertThat(changes.hasMore()).isTrue();
    assertThat(since(changes.end()))
        .containsExactly(first.equals("CREATED a") ? "CREATED b" : "CREATED a");
    changes.next();
    assertThat(since(changes.end())).isEmpty();
  }

  @Test
  void change_that_was_left_comes_again() throws Exception {
    create("a", "b");
    StoreCursor now = history.now();
    push("a", MAIN);
    push("b", MAIN);
    StoreChanges changes = history.since(now);
    RepositoryChange left = changes.next().orElseThrow();
    left.leave();
    changes.next();
    push(left.name(), "refs/heads/x");
    assertThat(since(changes.end())).containsExactly("CHANGED " + left.name() + " main x");
  }

  @Test
  void names_that_hang_together_are_left_together() throws Exception {
    create("a", "z");
    StoreCursor now = history.now();
    elsewhere.delete("a");
    elsewhere.rename("z", "a");
    StoreChanges changes = history.since(now);
    changes.next().orElseThrow().leave();
    changes.next();
    assertThat(since(changes.end())).containsExactly("DELETED a", "RENAMED a from z");
  }

  @Test
  void repositories_that_change_places_are_left_together() throws Exception {
    create("a", "b");
    StoreCursor now = history.now();
    elsewhere.rename("a", "c");
    elsewhere.rename("b", "a");
    elsewhere.rename("c", "b");
    StoreChanges changes = history.since(now);
    changes.next();
    changes.next().orElseThrow().leave();
    assertThat(since(changes.end()))
        .containsExactlyInAnyOrder("RENAMED a from b", "RENAMED b from a");
  }

  @Test
  void damaged_manifest_hides_no_other_repository_and_is_told_until_mended() throws Exception {
    create("a", "b");
    Follower follower = new Follower(history.now());
    push("a", MAIN);
    push("b", MAIN);
    String key = StoredManifest.key(store, "a");
    byte[] good = StoreContent.bytes(store, key);
    byte[] bad = StoreContent.flipped(good, 100);
    store.put(key, bad, 0, bad.length);
    assertThat(follower.poll()).containsExactlyInAnyOrder("UNAVAILABLE a", "CHANGED b main");
    assertThat(follower.poll()).containsExactly("UNAVAILABLE a");
    RepositoryChange change = history.since(follower.cursor).next().orElseThrow();
    assertThatThrownBy(change::transactions)
        .hasMessageContaining(key)
        .hasMessageContaining("wrong checksum");
    store.put(key, good, 0, good.length);
    assertThat(follower.poll()).containsExactly("CHANGED a main");
  }

  @Test
  void of_two_repositories_that_say_one_name_one_is_told() throws Exception {
    create("a", "b", "c");
    Follower follower = new Follower(history.now());
    StoredManifest.rewrite(store, "b", b -> b.named(new RepositoryName("a")));
    push("a", MAIN);
    push("c", MAIN);
    assertThat(follower.poll())
        .containsExactlyInAnyOrder("CHANGED a main", "UNAVAILABLE b", "CHANGED c main");
    assertThat(follower.poll()).containsExactly("UNAVAILABLE b");
    RepositoryChange change = history.since(follower.cursor).next().orElseThrow();
    assertThatThrownBy(change::transactions)
        .hasMessageContaining(change.repositoryId())
        .hasMessageContaining("verify --names");
    assertThat(since(history.start()))
        .hasSize(3)
        .contains("CREATED c main")
        .anyMatch(text -> text.startsWith("CREATED a"))
        .anyMatch(text -> text.startsWith("UNAVAILABLE repository "));
  }

  @Test
  void repository_restored_to_an_earlier_generation_begins_anew() throws Exception {
    create("a");
    push("a", MAIN);
    String key = StoredManifest.key(store, "a");
    byte[] copy = StoreContent.bytes(store, key);
    push("a", "refs/heads/x");
    Follower follower = new Follower(history.now());
    store.put(key, copy, 0, copy.length);
    assertThat(follower.poll()).containsExactly("RESTORED a main");
    assertThat(follower.poll()).isEmpty();
  }

  @Test
  void store_that_does_not_answer_ends_a_poll_without_a_gap() throws Exception {
    create("a", "b");
    Follower follower = new Follower(history.now());
    push("a", MAIN);
    push("b", MAIN);
    staged.before(
        Request.READ_MANIFEST,
        () -> {
          throw new StoreException.Unavailable("k", "no answer", null);
        });
    StoreChanges changes = history.since(follower.cursor);
    assertThatThrownBy(changes::next).isInstanceOf(StoreException.Unavailable.class);
    follower.cursor = changes.end();
    assertThat(follower.poll()).containsExactlyInAnyOrder("CHANGED a main", "CHANGED b main");
  }

  @Test
  void repository_that_an_import_makes_comes_when_it_has_its_name() throws Exception {
    Follower follower = new Follower(history.now());
    try (S3Repository made = elsewhere.imports().create(false)) {
      assertThat(follower.poll()).isEmpty();
      long again = requests(() -> assertThat(follower.poll()).isEmpty());
      assertThat(again).isEqualTo(1);
      push(made, MAIN);
      assertThat(follower.poll()).isEmpty();
      elsewhere.imports().publish(made, new RepositoryName("a"));
    }
    assertThat(follower.poll()).containsExactly("CREATED a main");
    assertThat(follower.poll()).isEmpty();
  }

  @Test
  void deleted_import_is_not_returned() throws Exception {
    Follower follower = new Follower(history.now());
    try (S3Repository made = elsewhere.imports().create(false)) {
      assertThat(follower.poll()).isEmpty();
      elsewhere.imports().delete(made);
    }
    assertThat(follower.poll()).isEmpty();
    assertThat(requests(() -> assertThat(follower.poll()).isEmpty())).isEqualTo(1);
  }

  @Test
  void where_versions_are_not_trusted_each_manifest_is_read() throws Exception {
    create("a", "b");
    try (S3RepositoryManager untrusting =
        TestRepositories.manager(store, "[s3 \"refs\"]\ntrustETag = never")) {
      StoreCursor now = untrusting.storeHistory().now();
      push("a", MAIN);
      StoreChanges changes = untrusting.storeHistory().since(now);
      assertThat(texts(changes)).containsExactly("CHANGED a main");
      assertThat(texts(untrusting.storeHistory().since(changes.end()))).isEmpty();
    }
  }

  @Test
  void cursor_of_another_store_is_refused() {
    StoreCursor other = StoreCursor.start("s3://other/prefix");
    assertThatThrownBy(() -> history.since(other))
        .isInstanceOfSatisfying(
            HistoryUnavailableException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.OTHER_STORE))
        .hasMessage(
            "the cursor is of the store s3://other/prefix, this one is memory:; begin anew");
  }

  @Test
  void bytes_that_are_no_cursor_are_refused_in_one_line() throws Exception {
    create("a");
    byte[] good = history.now().toBytes();
    refused(new byte[0], "the cursor is no cursor of jgit-s3; begin anew");
    refused(
        "jgit-s3 curses 1\nxxxxxxxxxxxx".getBytes(US_ASCII), "the cursor is no cursor of jgit-s3");
    byte[] newer = good.clone();
    newer[15] = '2';
    refused(newer, "the cursor is a cursor of another version than 1; begin anew");
    for (int i = 17; i < good.length; i++) {
      byte[] damaged = good.clone();
      damaged[i] ^= 4;
      refused(damaged, "the cursor is a damaged cursor");
    }
  }

  private static void refused(byte[] bytes, String message) {
    assertThatThrownBy(() -> StoreCursor.parse(bytes))
        .isInstanceOfSatisfying(
            HistoryUnavailableException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.UNREADABLE_CURSOR))
        .hasMessageStartingWith(message)
        .hasMessageNotContaining("\n");
  }
}
