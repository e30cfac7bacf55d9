// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgits3.store.ConcurrentTasks.Task;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The contract of {@link ObjectStore}, as tests that every implementation must pass.
 *
 * <p>A subclass says how to open the store. Every test works under a key prefix of its own, so that
 * subclasses may use one bucket for all of them.
 */
@Holds(
    "DirectoryLocks, DirectoryObjectStore: Racing conditional writes lose nothing, also between "
        + "processes")
public abstract class ObjectStoreContract {
  private static final Optional<ObjectVersion> ANY = Optional.empty();
  private static final int THREADS = 16;
  private static final int INCREMENTS = 240;
  private static final int OVERWRITES = 120;

  private final String prefix = "contract/" + UUID.randomUUID() + "/";
  @AutoClose private ObjectStore store;

  /**
   * Opens the store under test. Called several times within a test: all instances must work on the
   * same data, and share nothing else.
   *
   * @return an instance, closed by the suite
   * @throws IOException if the store cannot be opened
   */
  protected abstract ObjectStore open() throws IOException;

  /**
   * Tests whether bytes always come with their own version. False for a server that looks the
   * version up before it opens the object: bytes that replace others at that moment come with the
   * version of those they replaced. A conditional write with it is lost, so that no update is; and
   * immutable objects never show it.
   *
   * @return false to leave out the tests that such a server fails
   */
  protected boolean bindsVersionsToBytes() {
    return true;
  }

  /**
   * Tests whether uploads are listed by a prefix of their key. A server that does not must abort
   * abandoned uploads by itself.
   *
   * @return false to leave out the tests that such a server fails
   */
  protected boolean listsUploads() {
    return true;
  }

  /**
   * Tests whether listings give versions.
   *
   * @return false for a store that would have to read each object for that
   */
  protected boolean listsVersions() {
    return true;
  }

  @BeforeEach
  void open_store() throws IOException {
    store = open();
  }

  // Whole objects

  @Test
  void what_was_put_is_read_back_by_another_instance() throws IOException {
    byte[] body = pattern(70_000, 1);
    store.put(key("x"), body, 0, body.length);
    try (ObjectStore other = open()) {
      assertThat(found(other, "x").bytes()).isEqualTo(body);
    }
  }

  @Test
  void get_of_a_missing_object_is_missing_with_and_without_a_known_version() throws IOException {
    assertThat(store.get(key("none"), ANY)).isEqualTo(new GetResult.Missing());
    ObjectVersion known = create("x", "one");
    assertThat(store.get(key("none"), Optional.of(known))).isEqualTo(new GetResult.Missing());
  }

  @Test
  void get_with_the_current_version_is_not_modified() throws IOException {
    ObjectVersion created = create("x", "one");
    assertThat(store.get(key("x"), Optional.of(created))).isEqualTo(new GetResult.NotModified());
    ObjectVersion read = found(store, "x").version();
    assertThat(store.get(key("x"), Optional.of(read))).isEqualTo(new GetResult.NotModified());
  }

  @Test
  void get_with_an_outdated_version_delivers_the_new_one() throws IOException {
    ObjectVersion first = create("x", "one");
    ObjectVersion second = replace("x", first, "two");
    GetResult.Found found = (GetResult.Found) store.get(key("x"), Optional.of(first));
    assertThat(found.bytes()).isEqualTo(ascii("two"));
    assertThat(found.version()).isEqualTo(second);
  }

  @Test
  void an_empty_object_is_an_object() throws IOException {
    store.put(key("empty"), new byte[0], 0, 0);
    assertThat(found(store, "empty").bytes()).isEmpty();
    assertThat(store.stat(key("empty")).orElseThrow().size()).isZero();
    assertThat(won(store.putIf(key("empty2"), new byte[0], Precondition.absent()))).isNotNull();
    assertThat(found(store, "empty2").bytes()).isEmpty();
  }

  @Test
  void compare_recognises_equal_bytes() throws IOException {
    byte[] body = pattern(300_000, 5);
    store.put(key("x"), body, 0, body.length);
    byte[] held = new byte[body.length + 20];
    System.arraycopy(body, 0, held, 10, body.length);

    assertThat(compare("x", 0, held, 10, body.length)).isTrue();
    assertThat(compare("x", 70_001, held, 70_011, 1)).isTrue();
    assertThat(compare("x", 1, held, 11, body.length - 1)).isTrue();
  }

  private boolean compare(String name, long offset, byte[] held, int from, int length)
      throws IOException {
    return store.compare(new ReadRequest(key(name), offset, held, from, length, Optional.empty()));
  }

  @Test
  void compare_notices_every_byte_that_differs_and_one_that_is_not_there() throws IOException {
    byte[] body = pattern(300_000, 6);
    store.put(key("x"), body, 0, body.length);
    for (int at : new int[] {0, 65_535, 65_536, 131_071, 131_072, body.length - 1}) {
      byte[] other = body.clone();
      other[at] ^= 1;
      assertThat(compare("x", 0, other, 0, other.length)).as("byte %d", at).isFalse();
    }
    byte[] longer = Arrays.copyOf(body, body.length + 1);
    assertThat(compare("x", 0, longer, 0, longer.length)).isFalse();
    assertThat(compare("x", body.length, longer, body.length, 1)).isFalse();
  }

  @Test
  void compare_with_a_missing_object_is_missing() {
    assertThatThrownBy(() -> compare("none", 0, new byte[1], 0, 1))
        .isInstanceOf(StoreException.Missing.class);
  }

  @Test
  void put_writes_the_slice_it_was_given() throws IOException {
    byte[] src = pattern(100, 3);
    store.put(key("x"), src, 10, 20);
    assertThat(found(store, "x").bytes()).isEqualTo(Arrays.copyOfRange(src, 10, 30));
  }

  @Test
  void put_does_not_hold_on_to_the_callers_array() throws IOException {
    byte[] src = ascii("before");
    store.put(key("x"), src, 0, src.length);
    Arrays.fill(src, (byte) 0);
    assertThat(found(store, "x").bytes()).isEqualTo(ascii("before"));
  }

  @Test
  void repeating_a_put_changes_nothing() throws IOException {
    byte[] body = pattern(300_000, 4);
    store.put(key("x"), body, 0, body.length);
    ObjectVersion before = found(store, "x").version();
    store.put(key("x"), body, 0, body.length);
    assertThat(found(store, "x").bytes()).isEqualTo(body);
    assertThat(store.get(key("x"), Optional.of(before))).isEqualTo(new GetResult.NotModified());
  }

  // Ranges

  @Test
  void a_range_lands_in_its_slice_and_nowhere_else() throws IOException {
    for (int length : new int[] {300, 3 << 20}) {
      byte[] body = pattern(150_000 + length + 10, 5);
      store.put(key("x" + length), body, 0, body.length);
      byte[] dst = new byte[100 + length + 600];
      Arrays.fill(dst, (byte) 0x55);
      store.read(key("x" + length), 150_000, dst, 100, length, ANY);
      assertThat(Arrays.equals(dst, 100, 100 + length, body, 150_000, 150_000 + length)).isTrue();
      assertThat(Arrays.copyOfRange(dst, 0, 100)).containsOnly(0x55);
      assertThat(Arrays.copyOfRange(dst, 100 + length, dst.length)).containsOnly(0x55);
    }
  }

  @Test
  void a_range_may_be_one_byte_or_the_whole_object() throws IOException {
    byte[] body = pattern(1000, 6);
    store.put(key("x"), body, 0, body.length);
    byte[] dst = new byte[1000];
    store.read(key("x"), 999, dst, 0, 1, ANY);
    assertThat(dst[0]).isEqualTo(body[999]);
    store.read(key("x"), 0, dst, 0, 1000, ANY);
    assertThat(dst).isEqualTo(body);
  }

  @Test
  void a_range_tells_the_version_it_came_from() throws IOException {
    ObjectVersion created = create("x", "0123456789");
    byte[] dst = new byte[4];
    assertThat(store.read(key("x"), 2, dst, 0, 4, ANY)).isEqualTo(created);
    assertThat(store.read(key("x"), 2, dst, 0, 4, Optional.of(created))).isEqualTo(created);
    assertThat(dst).isEqualTo(ascii("2345"));
  }

  @Test
  void a_range_of_an_outdated_version_is_refused() throws IOException {
    ObjectVersion first = create("x", "0123456789");
    replace("x", first, "abcdefghij");
    assertThatThrownBy(() -> store.read(key("x"), 0, new byte[4], 0, 4, Optional.of(first)))
        .isInstanceOf(StoreException.Changed.class)
        .hasMessageContaining(key("x"));
  }

  @Test
  void a_range_of_a_missing_object_is_refused() {
    assertThatThrownBy(() -> store.read(key("none"), 0, new byte[4], 0, 4, ANY))
        .isInstanceOf(StoreException.Missing.class)
        .hasMessageContaining(key("none"));
  }

  @Test
  void a_range_that_the_object_does_not_have_is_corruption() throws IOException {
    create("x", "0123456789");
    assertThatThrownBy(() -> store.read(key("x"), 8, new byte[4], 0, 4, ANY))
        .isInstanceOf(StoreException.Corrupt.class)
        .hasMessageContaining(key("x"));
    assertThatThrownBy(() -> store.read(key("x"), 10, new byte[4], 0, 4, ANY))
        .isInstanceOf(StoreException.Corrupt.class)
        .hasMessageContaining(key("x"));
  }

  @Test
  void an_empty_range_is_a_mistake_of_the_caller() throws IOException {
    create("x", "0123456789");
    assertThat(catchThrowable(() -> store.read(key("x"), 0, new byte[4], 0, 0, ANY)))
        .isInstanceOfAny(IllegalArgumentException.class, IndexOutOfBoundsException.class);
  }

  @Test
  void stat_tells_size_and_version() throws IOException {
    assertThat(store.stat(key("x"))).isEmpty();
    ObjectVersion created = create("x", "0123456789");
    assertThat(store.stat(key("x"))).contains(new ObjectInfo(10, created, Map.of()));
  }

  // Conditional writes

  @Test
  void create_wins_once() throws IOException {
    create("x", "one");
    assertThat(store.putIf(key("x"), ascii("two"), Precondition.absent()))
        .isEqualTo(new PutOutcome.Lost());
    assertThat(found(store, "x").bytes()).isEqualTo(ascii("one"));
  }

  @Test
  void replace_wins_with_the_current_version_and_tells_the_new_one() throws IOException {
    ObjectVersion first = create("x", "one");
    ObjectVersion second = replace("x", first, "two");
    assertThat(second).isNotEqualTo(first);
    assertThat(found(store, "x").version()).isEqualTo(second);
    assertThat(found(store, "x").bytes()).isEqualTo(ascii("two"));
  }

  @Test
  void replace_with_an_outdated_version_is_lost_and_changes_nothing() throws IOException {
    ObjectVersion first = create("x", "one");
    replace("x", first, "two");
    assertThat(store.putIf(key("x"), ascii("three"), Precondition.matches(first)))
        .isEqualTo(new PutOutcome.Lost());
    assertThat(found(store, "x").bytes()).isEqualTo(ascii("two"));
  }

  @Test
  void replace_of_a_missing_object_is_lost() throws IOException {
    ObjectVersion foreign = create("other", "one");
    assertThat(store.putIf(key("x"), ascii("two"), Precondition.matches(foreign)))
        .isEqualTo(new PutOutcome.Lost());
    assertThat(store.stat(key("x"))).isEmpty();
  }

  @Test
  void an_attempt_repeated_after_it_won_is_lost() throws IOException {
    ObjectVersion first = create("x", "one");
    replace("x", first, "two");
    assertThat(store.putIf(key("x"), ascii("two"), Precondition.matches(first)))
        .isEqualTo(new PutOutcome.Lost());
  }

  @Test
  void an_object_that_was_deleted_can_be_created_again() throws IOException {
    ObjectVersion first = create("x", "one");
    store.delete(List.of(key("x")));
    assertThat(store.putIf(key("x"), ascii("two"), Precondition.matches(first)))
        .isEqualTo(new PutOutcome.Lost());
    create("x", "three");
    assertThat(found(store, "x").bytes()).isEqualTo(ascii("three"));
  }

  @Test
  void bodies_of_equal_length_written_back_to_back_have_different_versions() throws IOException {
    Set<ObjectVersion> seen = new HashSet<>();
    ObjectVersion current = create("x", "00000000");
    seen.add(current);
    for (int i = 1; i <= 50; i++) {
      current = replace("x", current, String.format("%08d", i));
      assertThat(seen.add(current)).as("version %d is new", i).isTrue();
    }
  }

  // Multipart

  @Test
  void parts_make_one_object_whatever_their_order_of_arrival() throws IOException {
    int part = UploadOptions.MIN_PART_SIZE;
    byte[] body = pattern(2 * part + 12_345, 7);
    MultipartUpload upload = store.beginMultipart(key("big"), Map.of("token", "t-1"));
    UploadedPart third = store.uploadPart(upload, 3, PartBody.of(body, 2 * part, 12_345));
    UploadedPart first = store.uploadPart(upload, 1, PartBody.of(body, 0, part));
    UploadedPart second = store.uploadPart(upload, 2, PartBody.of(body, part, part));
    assertThat(first.size()).isEqualTo(part);
    assertThat(third.number()).isEqualTo(3);
    store.completeMultipart(upload, List.of(first, second, third));

    ObjectInfo info = store.stat(key("big")).orElseThrow();
    assertThat(info.size()).isEqualTo(body.length);
    assertThat(info.metadata()).containsEntry("token", "t-1");
    byte[] dst = new byte[body.length];
    ObjectVersion version = store.read(key("big"), 0, dst, 0, dst.length, ANY);
    assertThat(version).isEqualTo(info.version());
    assertThat(Arrays.equals(dst, body)).as("content survives").isTrue();
    store.read(key("big"), part - 5, dst, 0, 10, Optional.of(version));
    assertThat(Arrays.copyOf(dst, 10)).isEqualTo(Arrays.copyOfRange(body, part - 5, part + 5));
    assertThat(Arrays.equals(found(store, "big").bytes(), body)).isTrue();
  }

  @Test
  void parts_may_be_uploaded_by_several_threads() throws Exception {
    int part = UploadOptions.MIN_PART_SIZE;
    byte[] body = pattern(3 * part + 1, 8);
    MultipartUpload upload = store.beginMultipart(key("big"), Map.of());
    UploadedPart[] parts = new UploadedPart[4];
    ConcurrentTasks.run(
        parts.length,
        i -> {
          int length = Math.min(part, body.length - i * part);
          parts[i] = store.uploadPart(upload, i + 1, PartBody.of(body, i * part, length));
        });
    store.completeMultipart(upload, List.of(parts));
    assertThat(Arrays.equals(found(store, "big").bytes(), body)).isTrue();
  }

  @Test
  void a_part_that_is_uploaded_again_replaces_the_first() throws IOException {
    MultipartUpload upload = store.beginMultipart(key("x"), Map.of());
    store.uploadPart(upload, 1, PartBody.of(ascii("first"), 0, 5));
    UploadedPart again = store.uploadPart(upload, 1, PartBody.of(ascii("again!"), 0, 6));
    store.completeMultipart(upload, List.of(again));
    assertThat(found(store, "x").bytes()).isEqualTo(ascii("again!"));
  }

  @Test
  void an_upload_is_listed_and_invisible_until_it_is_completed() throws IOException {
    MultipartUpload upload = store.beginMultipart(key("up/x"), Map.of());
    UploadedPart part = store.uploadPart(upload, 1, PartBody.of(ascii("part"), 0, 4));
    assertThat(store.stat(key("up/x"))).isEmpty();
    assertThat(keys("")).isEmpty();
    if (listsUploads()) {
      try (ObjectStore other = open()) {
        assertThat(other.listMultipart(prefix + "up/")).containsExactly(upload);
      }
    }
    assertThat(store.listMultipart(prefix + "elsewhere/")).isEmpty();
    store.completeMultipart(upload, List.of(part));
    assertThat(store.listMultipart(prefix)).isEmpty();
    assertThat(keys("")).containsExactly(key("up/x"));
  }

  @Test
  void a_listed_upload_can_be_aborted_by_another_instance() throws IOException {
    MultipartUpload upload = store.beginMultipart(key("up/x"), Map.of("token", "t-4"));
    UploadedPart part = store.uploadPart(upload, 1, PartBody.of(ascii("part"), 0, 4));
    try (ObjectStore other = open()) {
      for (MultipartUpload listed : other.listMultipart(prefix)) {
        other.abortMultipart(listed);
      }
    }
    assertThat(store.listMultipart(prefix)).isEmpty();
    if (listsUploads()) {
      assertThatThrownBy(() -> store.completeMultipart(upload, List.of(part)))
          .isInstanceOf(StoreException.class);
    }
  }

  @Test
  void an_aborted_upload_is_gone_and_cannot_be_completed() throws IOException {
    MultipartUpload upload = store.beginMultipart(key("x"), Map.of("token", "t-2"));
    UploadedPart part = store.uploadPart(upload, 1, PartBody.of(ascii("part"), 0, 4));
    store.abortMultipart(upload);
    store.abortMultipart(upload);
    assertThat(store.listMultipart(prefix)).isEmpty();
    assertThatThrownBy(() -> store.completeMultipart(upload, List.of(part)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(key("x"));
    assertThat(store.stat(key("x"))).isEmpty();
  }

  @Test
  void completing_twice_leaves_the_object_as_it_is() throws IOException {
    MultipartUpload upload = store.beginMultipart(key("x"), Map.of("token", "t-3"));
    UploadedPart part = store.uploadPart(upload, 1, PartBody.of(ascii("part"), 0, 4));
    store.completeMultipart(upload, List.of(part));
    store.completeMultipart(upload, List.of(part));
    assertThat(found(store, "x").bytes()).isEqualTo(ascii("part"));
    assertThat(store.stat(key("x")).orElseThrow().metadata()).containsEntry("token", "t-3");
  }

  // Listing and deleting

  @Test
  void a_listing_goes_on_beyond_one_page() throws Exception {
    int objects = 1_050;
    ConcurrentTasks.run(
        THREADS,
        t -> {
          for (int i = t; i < objects; i += THREADS) {
            store.put(key("many/" + i), new byte[i % 3], 0, i % 3);
          }
        });
    Map<String, Long> listed = new HashMap<>();
    store.list(prefix + "many/", o -> assertThat(listed.put(o.key(), o.size())).isNull());
    assertThat(listed).hasSize(objects);
    assertThat(listed).containsEntry(key("many/1001"), 1001L % 3);

    store.delete(listed.keySet());
    assertThat(keys("many/")).isEmpty();
  }

  @Test
  void a_listing_is_limited_to_its_prefix() throws IOException {
    create("a/1", "1");
    create("a/b/2", "2");
    create("ab/3", "3");
    assertThat(keys("a/")).containsExactlyInAnyOrder(key("a/1"), key("a/b/2"));
    assertThat(keys("")).containsExactlyInAnyOrder(key("a/1"), key("a/b/2"), key("ab/3"));
    assertThat(keys("none/")).isEmpty();
  }

  @Test
  void a_listing_shows_a_write_and_a_delete_at_once() throws IOException {
    create("l/x", "1");
    try (ObjectStore other = open()) {
      List<String> seen = new ArrayList<>();
      other.list(prefix + "l/", o -> seen.add(o.key()));
      assertThat(seen).containsExactly(key("l/x"));
    }
    store.delete(List.of(key("l/x")));
    assertThat(keys("l/")).isEmpty();
  }

  @Test
  void a_listing_gives_the_version_that_a_read_gives_or_none() throws IOException {
    ObjectVersion first = create("v/conditional", "1");
    ObjectVersion second = replace("v/conditional", first, "2");
    store.put(key("v/once"), ascii("3"), 0, 1);
    Map<String, ObjectVersion> listed = new HashMap<>();
    store.list(prefix + "v/", o -> o.version().ifPresent(v -> listed.put(o.key(), v)));
    if (listsVersions()) {
      assertThat(listed)
          .containsOnly(
              Map.entry(key("v/conditional"), second),
              Map.entry(key("v/once"), found(store, "v/once").version()));
    } else {
      assertThat(listed).isEmpty();
    }
  }

  @Test
  void delete_counts_missing_objects_as_deleted() throws IOException {
    create("x", "1");
    create("y", "1");
    create("stays", "1");
    store.delete(List.of(key("x"), key("never-was"), key("y")));
    store.delete(List.of());
    assertThat(keys("")).containsExactly(key("stays"));
  }

  @Test
  void keys_may_hold_every_punctuation_mark_that_names_need() throws IOException {
    List<String> names =
        List.of(
            "azAZ09",
            "-_.~!'()*",
            "a b",
            "+plus",
            "100%25",
            "a=b&c,d;e",
            "@{0}",
            "#1$:^",
            "..x",
            ".hidden");
    for (String name : names) {
      create("p/" + name + "/manifest", name);
    }
    assertThat(keys("p/"))
        .containsExactlyInAnyOrderElementsOf(
            names.stream().map(n -> key("p/" + n + "/manifest")).toList());
    for (String name : names) {
      assertThat(found(store, "p/" + name + "/manifest").bytes()).isEqualTo(ascii(name));
      assertThat(keys("p/" + name + "/")).containsExactly(key("p/" + name + "/manifest"));
    }
    store.delete(keys("p/"));
    assertThat(keys("p/")).isEmpty();
  }

  @Test
  void a_key_may_be_long() throws IOException {
    String segment = "s".repeat(200) + "/";
    String name = segment.repeat(3) + "x".repeat(200);
    create(name, "long");
    assertThat(found(store, name).bytes()).isEqualTo(ascii("long"));
    assertThat(keys("")).containsExactly(key(name));
  }

  @Test
  void a_store_says_where_it_is() {
    assertThat(store.location()).matches("[a-z][a-z0-9+.-]*:.+");
  }

  // Races

  @Test
  void no_increment_of_sixteen_threads_through_two_instances_is_lost() throws Exception {
    create("counter", "00000000");
    AtomicInteger wins = new AtomicInteger();
    AtomicInteger unknown = new AtomicInteger();
    Set<ObjectVersion> versions = ConcurrentHashMap.newKeySet();
    try (ObjectStore other = open()) {
      ConcurrentTasks.run(
          THREADS,
          t -> {
            ObjectStore mine = t % 2 == 0 ? store : other;
            while (wins.get() + unknown.get() < INCREMENTS) {
              PutOutcome outcome = increment(mine);
              if (outcome instanceof PutOutcome.Won won) {
                wins.incrementAndGet();
                assertThat(versions.add(won.version())).as("version is new").isTrue();
              } else if (outcome instanceof PutOutcome.Unknown) {
                unknown.incrementAndGet();
              }
            }
          });
    }
    int value = Integer.parseInt(new String(found(store, "counter").bytes(), US_ASCII));
    assertThat(value).isBetween(wins.get(), wins.get() + unknown.get());
    assertThat(wins.get()).isPositive();
  }

  private PutOutcome increment(ObjectStore through) throws IOException {
    GetResult.Found seen = found(through, "counter");
    int value = Integer.parseInt(new String(seen.bytes(), US_ASCII));
    return through.putIf(
        key("counter"),
        ascii(String.format("%08d", value + 1)),
        Precondition.matches(seen.version()));
  }

  @Test
  void creating_one_object_from_sixteen_threads_has_one_winner() throws Exception {
    try (ObjectStore other = open()) {
      for (int round = 0; round < 10; round++) {
        String name = "created/" + round;
        Map<Integer, PutOutcome> outcomes = new ConcurrentHashMap<>();
        ConcurrentTasks.run(
            THREADS,
            t ->
                outcomes.put(
                    t,
                    (t % 2 == 0 ? store : other)
                        .putIf(key(name), ascii("by " + t), Precondition.absent())));
        List<Integer> winners = new ArrayList<>();
        outcomes.forEach(
            (t, outcome) -> {
              if (outcome instanceof PutOutcome.Won) {
                winners.add(t);
              }
            });
        assertThat(winners).as("winners of round %d: %s", round, outcomes).hasSize(1);
        assertThat(found(store, name).bytes()).isEqualTo(ascii("by " + winners.get(0)));
      }
    }
  }

  @Test
  void a_reader_never_sees_a_mixture_of_two_versions() throws Exception {
    AtomicBoolean writing = new AtomicBoolean(true);
    Map<ObjectVersion, Integer> versions = new ConcurrentHashMap<>();
    won(store.putIf(key("x"), selfChecking(0), Precondition.absent()));
    try (ObjectStore other = open()) {
      List<Task> tasks = new ArrayList<>();
      tasks.add(() -> overwrite(writing));
      tasks.addAll(Collections.nCopies(3, () -> readWholeWhile(writing, other, versions)));
      if (bindsVersionsToBytes()) {
        tasks.addAll(Collections.nCopies(3, () -> readRangesWhile(writing, other)));
      }
      ConcurrentTasks.run(tasks);
    }
    assertThat(generationOf(found(store, "x").bytes())).isEqualTo(OVERWRITES);
  }

  private void overwrite(AtomicBoolean writing) throws IOException {
    try {
      for (int generation = 1; generation <= OVERWRITES; generation++) {
        GetResult.Found seen = found(store, "x");
        won(store.putIf(key("x"), selfChecking(generation), Precondition.matches(seen.version())));
      }
    } finally {
      writing.set(false);
    }
  }

  private void readWholeWhile(
      AtomicBoolean writing, ObjectStore from, Map<ObjectVersion, Integer> versions)
      throws IOException {
    int newest = 0;
    while (writing.get()) {
      GetResult.Found seen = found(from, "x");
      int generation = generationOf(seen.bytes());
      assertThat(generation).as("reads do not go back").isGreaterThanOrEqualTo(newest);
      newest = generation;
      Integer before = versions.putIfAbsent(seen.version(), generation);
      if (bindsVersionsToBytes() && before != null) {
        assertThat(generation).as("one version has one content").isEqualTo(before);
      }
    }
  }

  private void readRangesWhile(AtomicBoolean writing, ObjectStore from) throws IOException {
    while (writing.get()) {
      ObjectInfo info = from.stat(key("x")).orElseThrow();
      byte[] dst = new byte[(int) info.size()];
      int half = dst.length / 2;
      try {
        from.read(key("x"), 0, dst, 0, half, Optional.of(info.version()));
        from.read(key("x"), half, dst, half, dst.length - half, Optional.of(info.version()));
      } catch (StoreException.Changed e) {
        continue;
      }
      assertThat(generationOf(dst)).isNotNegative();
    }
  }

  /** A body whose length and every byte follow from its generation. */
  private static byte[] selfChecking(int generation) {
    byte[] body = new byte[2 + (generation * 7_919) % 90_001];
    Arrays.fill(body, (byte) generation);
    return body;
  }

  private static int generationOf(byte[] body) {
    int generation = body[0];
    assertThat(Arrays.equals(body, selfChecking(generation)))
        .as("%d bytes that begin with %d are one version", body.length, generation)
        .isTrue();
    return generation;
  }

  // Vocabulary of the tests

  private String key(String name) {
    return prefix + name;
  }

  private List<String> keys(String under) throws IOException {
    List<String> keys = new ArrayList<>();
    store.list(prefix + under, o -> keys.add(o.key()));
    return keys;
  }

  private ObjectVersion create(String name, String body) throws IOException {
    return won(store.putIf(key(name), ascii(body), Precondition.absent()));
  }

  private ObjectVersion replace(String name, ObjectVersion version, String body)
      throws IOException {
    return won(store.putIf(key(name), ascii(body), Precondition.matches(version)));
  }

  private GetResult.Found found(ObjectStore from, String name) throws IOException {
    GetResult result = from.get(key(name), ANY);
    assertThat(result).isInstanceOf(GetResult.Found.class);
    return (GetResult.Found) result;
  }

  private static ObjectVersion won(PutOutcome outcome) {
    assertThat(outcome).isInstanceOf(PutOutcome.Won.class);
    return ((PutOutcome.Won) outcome).version();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(US_ASCII);
  }

  private static byte[] pattern(int length, int seed) {
    byte[] body = new byte[length];
    new SplittableRandom(seed).nextBytes(body);
    return body;
  }
}
