// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.limit;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectChecker;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.TreeFormatter;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.transport.PackParser;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.testing.ForgedPack;
import org.jgits3.testing.PackBytes;
import org.jgits3.testing.aid.RandomBytes;
import org.jgits3.testing.aid.Unchecked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Pushes whose packs declare more than the heap has room for or take more work than is allowed, and
 * fetches that send more.
 */
class TransferLimitsTest {
  private static final long GIB = 1 << 30;

  /** A length that JGit takes for a negative one, and of which it allocates the lower half. */
  private static final long IMPOSSIBLE = 0x8000_0000_7fff_fff0L;

  @TempDir Path directory;
  private S3RepositoryManager manager;

  private void open(String limit) throws Exception {
    open("memoryLimit", limit);
  }

  private void open(String key, String value) throws Exception {
    manager = TestRepositories.manager(directory, "[s3 \"receive\"]\n" + key + " = " + value);
    manager.createRepository("r").close();
  }

  @AfterEach
  void nothing_stays_taken() throws IOException {
    assertThat(manager.receiveMemory().held()).isZero();
    manager.close();
  }

  private static void receive(S3Repository repository, byte[] pack) throws IOException {
    try (ObjectInserter inserter = repository.newObjectInserter()) {
      PackParser parser = inserter.newPackParser(new ByteArrayInputStream(pack));
      parser.setAllowThin(true);
      parser.setMaxObjectSizeLimit(0); // as a server does that has none
      parser.setObjectChecker(new ObjectChecker());
      parser.parse(NullProgressMonitor.INSTANCE, NullProgressMonitor.INSTANCE);
    }
  }

  private void push(byte[] pack) throws IOException {
    try (S3Repository repository = manager.openRepository("r", Purpose.push())) {
      receive(repository, pack);
    }
  }

  private AbstractThrowableAssert<?, ?> assertRefused(byte[] pack) {
    return assertThatThrownBy(() -> push(pack)).isInstanceOf(IOException.class);
  }

  /** Instructions that copy the first 16 MiB, all but one byte, and that, again and again. */
  private static byte[] copies(int times) {
    ByteArrayOutputStream how = new ByteArrayOutputStream();
    for (int i = 0; i < times; i++) {
      how.writeBytes(ForgedPack.copy(0, (1 << 24) - 1));
      how.writeBytes(ForgedPack.copy(0, 1));
    }
    return how.toByteArray();
  }

  private static Object[] refused(String limit, byte[] pack, String begin, String end) {
    return new Object[] {limit, pack, begin, end};
  }

  /** A blob of 16 MiB, and a delta to it. */
  private static byte[] delta(long result, int times) {
    ForgedPack pack = new ForgedPack(2);
    int base = pack.position();
    byte[] delta = ForgedPack.delta(1 << 24, result, copies(times));
    return pack.object(Constants.OBJ_BLOB, new byte[1 << 24]).delta(base, delta).closed();
  }

  private static byte[] tree(long length) {
    return new ForgedPack(1).header(Constants.OBJ_TREE, length).deflated(new byte[1_000]).closed();
  }

  static Object[][] refusals() {
    String limited =
        "takes some 3072 MiB of memory, and [s3 \"receive\"] memoryLimit of the server";
    return new Object[][] {
      refused(
          "1m",
          new ForgedPack(10_000).open(),
          "a pack of 10000 objects takes some 2 MiB of memory, and [s3 \"receive\"] memoryLimit",
          " of the server is 1 MiB"),
      refused(
          "1m",
          new ForgedPack(-1).open(),
          "a pack of 4294967295 objects takes some 819200 MiB",
          " of the server is 1 MiB"),
      refused(
          "64m",
          tree(GIB),
          "object 1 of the pack, at byte 12, of 1024 MiB, " + limited,
          " is 64 MiB"),
      refused(
          "64m",
          delta(GIB, 64),
          "object 2 of the pack, at byte ",
          ", of 1024 MiB, " + limited + " is 64 MiB"),
      // A small delta that makes more than an array is refused on arrival.
      refused(
          "64m",
          delta(2_200_000_000L, 1),
          "object 2 of the pack, at byte ",
          ", is a delta that makes an object of 2200000000 bytes; the most that an object may have"
              + " here is 2147483639"),
      refused(
          "64m",
          tree(IMPOSSIBLE),
          "object 1 of the pack, at byte 12, has 9223372039002259440 bytes, and a tree, commit,",
          " tag or delta may have 2147483647"),
      refused(
          "64m",
          new ForgedPack(1).header(Constants.OBJ_BLOB, Integer.MAX_VALUE - 7).open(),
          "object 1 of the pack: Object too large (2,147,483,640 bytes), rejecting the pack.",
          " Max object size limit is 2,147,483,639 bytes."),
    };
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void what_takes_more_than_memory_or_an_array_is_refused_at_its_header(
      String limit, byte[] pack, String begin, String end) throws Exception {
    open(limit);
    assertRefused(pack).hasMessageStartingWith(begin).hasMessageEndingWith(end);
  }

  /** Ids that JGit's maps take for alike, by their first four bytes or the four behind. */
  private static Stream<ObjectId> alike(String id) {
    return IntStream.range(1, Integer.MAX_VALUE)
        .mapToObj(i -> ObjectId.fromString(id.formatted(i) + "0".repeat(24)));
  }

  @Test
  void a_commit_of_very_many_parents_is_refused() throws Exception {
    open("64m");
    push(merge(TransferLimits.MOST_PARENTS));
    assertRefused(merge(TransferLimits.MOST_PARENTS + 1))
        .hasMessageContaining("a commit with more than 1024 parents");
  }

  private static byte[] merge(int count) throws IOException {
    ObjectId[] parents = alike("%08x00000000").limit(count).toArray(ObjectId[]::new);
    byte[] commit = TestRepositories.commitOf(parents[0], "message", parents).build();
    return new ForgedPack(1).object(Constants.OBJ_COMMIT, commit).closed();
  }

  @ParameterizedTest
  @ValueSource(strings = {"00000000%08x", "%08x00000000"})
  void deltas_to_many_objects_whose_ids_are_alike_are_refused(String id) throws Exception {
    open("64m");
    byte[] delta = ForgedPack.delta(1, 1, ForgedPack.copy(0, 1));
    ForgedPack pack = new ForgedPack(1_500);
    alike(id).limit(1_500).forEach(base -> Unchecked.run(() -> pack.delta(base, delta)));
    assertRefused(pack.closed())
        .hasMessageContaining("too many object ids of the request are alike");
  }

  @Test
  void a_push_without_memory_beside_others_is_refused_at_once_and_repeatable() throws Exception {
    long objects = 3;
    open(String.valueOf(objects * TransferLimits.OBJECT_BYTES));
    byte[] second = PackBytes.ofSize(1_000, 2).bytes();
    try (S3Repository first = manager.openRepository("r", Purpose.push())) {
      receive(first, PackBytes.ofSize(1_000, 1).bytes());
      assertRefused(second)
          .hasMessageStartingWith("the server is busy: a pack of 3 objects takes some 1 MiB");
    }
    push(second);
  }

  @Test
  void a_blob_that_is_no_base_may_be_larger_than_the_limit() throws Exception {
    open("1m");
    push(PackBytes.ofSize(8 << 20, 3).bytes());
  }

  @Test
  void submodules_that_do_not_fit_in_memory_are_refused_unparsed() throws Exception {
    open("16m");
    byte[] modules = "[a]\n".repeat(1 << 18).getBytes(US_ASCII);
    ObjectId blob = ForgedPack.id(Constants.OBJ_BLOB, modules);
    TreeFormatter tree =
        TestRepositories.tree(Constants.DOT_GIT_MODULES, FileMode.REGULAR_FILE, blob);
    byte[] bytes =
        new ForgedPack(2)
            .object(Constants.OBJ_BLOB, modules)
            .object(Constants.OBJ_TREE, tree.toByteArray())
            .closed();
    assertRefused(bytes)
        .hasMessageStartingWith("a .gitmodules of 1 MiB takes some 36 MiB of memory");
  }

  @Test
  void objects_that_are_kept_for_other_deltas_to_them_are_counted() throws Exception {
    open("8m");
    push(chain(16, 1 << 20, false));
    byte[] branches = chain(16, 1 << 20, true);
    assertRefused(branches)
        .hasMessageStartingWith("a pack with deltas to objects of 6 MiB takes some 9 MiB");
  }

  @Test
  void a_delta_to_a_stored_object_that_does_not_fit_in_memory_is_refused() throws Exception {
    open("8m");
    byte[] content = RandomBytes.of(8 << 20, 3);
    push(PackBytes.ofFile("file", content).bytes());
    ObjectId base = ForgedPack.id(Constants.OBJ_BLOB, content);
    byte[] how = ForgedPack.copyAnd(100, (byte) 1);
    byte[] delta = ForgedPack.delta(content.length, 100, how);
    byte[] bytes = new ForgedPack(1).delta(base, delta).closed();
    assertRefused(bytes)
        .hasMessageStartingWith("object " + base.name() + ", of 8 MiB, takes some 24 MiB");
  }

  @Test
  void a_chain_of_more_deltas_than_are_allowed_is_refused() throws Exception {
    open("deltaDepth", "16");
    push(chain(16, 1_000, true));
    byte[] longer = chain(17, 1_000, false);
    assertRefused(longer)
        .hasMessage(
            "a pack with a chain of more than 16 deltas, which is [s3 \"receive\"] deltaDepth of"
                + " the server; push from a repository packed by git repack -adf");
  }

  @Test
  void a_small_pack_that_takes_more_processor_time_than_is_allowed_is_refused() throws Exception {
    open("processorTime", "100 ms");
    byte[] deltas = chain(400, 16 << 20, false); // 6.4 GB
    assertThat(deltas).hasSizeLessThan(30_000);
    assertRefused(deltas)
        .hasMessage(
            "a push that takes more than 100 ms of processor time, which is [s3 \"receive\"]"
                + " processorTime of the server; push fewer commits at a time");
    byte[] inflates = new ForgedPack(1).object(Constants.OBJ_BLOB, new byte[256 << 20]).closed();
    assertThatThrownBy(() -> push(inflates)).hasMessageContaining("processorTime");
  }

  @Test
  void the_check_of_a_push_is_part_of_its_processor_time() throws Exception {
    open("processorTime", "100 ms");
    try (S3Repository push = manager.openRepository("r", Purpose.push());
        ObjectInserter inserter = push.newObjectInserter();
        ObjectReader reader = push.newObjectReader()) {
      ObjectId id = inserter.insert(Constants.OBJ_BLOB, new byte[] {1});
      inserter.flush();
      assertThat(reader.open(id).getSize()).isEqualTo(1);
      inserter.newPackParser(new ByteArrayInputStream(new byte[0]));
      ThreadMXBean threads = ManagementFactory.getThreadMXBean();
      long end = threads.getCurrentThreadCpuTime() + TimeUnit.MILLISECONDS.toNanos(102);
      while (threads.getCurrentThreadCpuTime() < end) {
        Thread.onSpinWait();
      }
      assertThatThrownBy(() -> reader.open(id)).hasMessageContaining("processorTime");
    }
  }

  /** A chain of deltas, with another delta to each of its objects that comes later, or without. */
  private static byte[] chain(int depth, int length, boolean branches) throws Exception {
    ForgedPack pack = new ForgedPack(1 + (branches ? 2 : 1) * depth);
    int at = pack.position();
    pack.object(Constants.OBJ_BLOB, new byte[length]);
    for (int i = 1; i <= depth; i++) {
      int base = at;
      at = pack.position();
      pack.delta(base, changed(length, i, 1));
      if (branches) {
        pack.delta(base, changed(length, i, 2));
      }
    }
    return pack.closed();
  }

  /** A delta that changes the end of an object. */
  private static byte[] changed(int length, int... end) {
    byte[] how = ForgedPack.copyAnd(length, (byte) end[0], (byte) end[1]);
    return ForgedPack.delta(length, length, how);
  }

  private static void send(S3Repository repository, ObjectId commit) throws IOException {
    assertThat(PackBytes.of(repository, commit).bytes()).isNotEmpty();
  }

  @Test
  void a_fetch_of_more_objects_than_memory_holds_is_refused_on_the_way() throws Exception {
    open("1m");
    try (S3Repository repository = manager.openRepository("r")) {
      ObjectId small = TestRepositories.commitBlobs(repository, 4_400);
      ObjectId large = TestRepositories.commitBlobs(repository, 6_100);
      send(repository, large); // as a collection does, which has the process to itself
      repository.getObjectDatabase().countSent();
      assertThatThrownBy(() -> send(repository, large))
          .isInstanceOf(UncheckedIOException.class)
          .cause()
          .isInstanceOf(TransferLimits.Refusal.class)
          .hasMessage(
              "a fetch of more than 6000 objects, far fewer after jgit-s3 gc, takes some 2 MiB of"
                  + " memory, and [s3 \"receive\"] memoryLimit of the server is 1 MiB");
      assertThat(manager.receiveMemory().held()).isPositive();
      try (S3Repository next = manager.openRepository("r")) {
        next.getObjectDatabase().countSent();
        assertThatThrownBy(() -> send(next, small))
            .hasMessageContaining("the server is busy: a fetch of more than 1000 objects");
      }
    }
    try (S3Repository repository = manager.openRepository("r")) {
      ObjectId small = TestRepositories.commitBlobs(repository, 5_900);
      repository.getObjectDatabase().countSent();
      send(repository, small);
      assertThat(manager.receiveMemory().held()).isEqualTo(5_000 * TransferLimits.SENT_BYTES);
    }
  }

  @Test
  void a_clone_waits_for_all_of_its_memory_before_it_takes_any() throws Exception {
    open("1m");
    int blobs = 4_000;
    long memory = (blobs + 2 - TransferLimits.STEP) * TransferLimits.SENT_BYTES;
    try (S3Repository second = manager.openRepository("r")) {
      FutureTask<Void> clone;
      try (S3Repository first = manager.openRepository("r")) {
        ObjectId commit = TestRepositories.commitBlobs(first, blobs);
        first.getObjectDatabase().awaitMemoryForClone();
        clone =
            new FutureTask<>(
                () -> {
                  second.getObjectDatabase().awaitMemoryForClone();
                  second.getObjectDatabase().countSent();
                  send(second, commit);
                  return null;
                });
        Thread thread = new Thread(clone);
        thread.start();
        awaitWaiting(thread);
        assertThat(manager.receiveMemory().held()).isEqualTo(memory);
      }
      clone.get(1, TimeUnit.MINUTES);
      assertThat(manager.receiveMemory().held()).isEqualTo(memory);
    }
  }

  private static void awaitWaiting(Thread thread) {
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (Stream.of(thread.getStackTrace())
            .noneMatch(frame -> frame.getClassName().equals(TransferLimits.class.getName()))
        || thread.getState() != Thread.State.TIMED_WAITING) {
      assertThat(thread.isAlive()).isTrue();
      assertThat(System.nanoTime()).as("deadline").isLessThan(deadline);
      Thread.onSpinWait();
    }
  }

  @Test
  void a_clone_of_what_never_fits_does_not_wait() throws Exception {
    open("1m");
    try (S3Repository first = manager.openRepository("r");
        S3Repository second = manager.openRepository("r")) {
      TestRepositories.commitBlobs(first, 7_000);
      first.getObjectDatabase().takeForNames(1_000);
      second.getObjectDatabase().awaitMemoryForClone();
      assertThat(manager.receiveMemory().held()).isEqualTo(4_000);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true}) // a collection writes a commit graph
  void a_walk_through_more_commits_than_memory_holds_is_refused(boolean collected)
      throws Exception {
    open("1m");
    List<ObjectId> history;
    try (S3Repository repository = manager.openRepository("r")) {
      history = TestRepositories.history(repository, "history", 8_000);
      TestRepositories.createRef(repository, "refs/heads/main", history.get(7_999));
    }
    if (collected) {
      manager.maintenance("r").repack(NullProgressMonitor.INSTANCE);
    }
    try (S3Repository repository = manager.openRepository("r")) {
      assertThat(walked(repository, history.get(7_999))).isEqualTo(8_000);
      repository.getObjectDatabase().countSent();
      assertThatThrownBy(() -> walked(repository, history.get(7_999)))
          .isInstanceOf(UncheckedIOException.class)
          .cause()
          .isInstanceOf(TransferLimits.Refusal.class)
          .hasMessage(
              "a fetch that walks through more than 6000 objects, far fewer after jgit-s3 gc and"
                  + " without a depth, takes some 2 MiB of memory, and [s3 \"receive\"] memoryLimit of"
                  + " the server is 1 MiB");
      assertThat(manager.receiveMemory().held()).isZero(); // the walk has ended
      assertThat(walked(repository, history.get(4_999))).isEqualTo(5_000);
      assertThat(walked(repository, history.get(4_998))).isEqualTo(4_999);
      assertThat(manager.receiveMemory().held()).isZero();
    }
  }

  private static int walked(S3Repository repository, ObjectId from) throws IOException {
    try (RevWalk walk = new RevWalk(repository)) {
      walk.setRetainBody(false);
      walk.markStart(walk.parseCommit(from));
      int commits = 0;
      while (walk.next() != null) {
        commits++;
      }
      return commits;
    }
  }

  @Test
  void a_fetch_whose_client_has_more_objects_than_memory_holds_is_refused() throws Exception {
    open("500k");
    try (S3Repository repository = manager.openRepository("r")) {
      ObjectId small = TestRepositories.commitBlobs(repository, 4_400);
      ObjectId large = TestRepositories.commitBlobs(repository, 6_100);
      ObjectId afterSmall = TestRepositories.commitFile(repository, new byte[1], small);
      ObjectId afterLarge = TestRepositories.commitFile(repository, new byte[1], large);
      repository.getObjectDatabase().countSent();
      assertThatThrownBy(() -> PackBytes.of(repository, afterLarge, large))
          .hasMessageContaining("a fetch that walks through more than 3000 objects");
      assertThat(PackBytes.of(repository, afterSmall, small).bytes()).isNotEmpty();
      assertThat(manager.receiveMemory().held()).as("the fetches have ended").isZero();
    }
  }

  @Test
  void trees_to_find_bases_in_take_memory() throws Exception {
    open("500k");
    try (S3Repository repository = manager.openRepository("r")) {
      for (int length : new int[] {1, 140}) {
        ObjectId before = directories(repository, "a".repeat(length));
        ObjectId after = directories(repository, "b".repeat(length), before);
        repository.getObjectDatabase().countSent();
        ThrowingCallable fetch = () -> PackBytes.of(repository, after, before);
        if (length == 1) {
          assertThatCode(fetch).doesNotThrowAnyException();
        } else {
          assertThatThrownBy(fetch).hasMessageContaining("memoryLimit");
        }
      }
    }
  }

  /** A commit of 100 directories of 80 files each, of which those of one directory are the same. */
  private static ObjectId directories(Repository repository, String name, ObjectId... parents)
      throws IOException {
    return TestRepositories.insert(
        repository,
        to -> {
          TreeFormatter root = new TreeFormatter();
          for (int i = 0; i < 100; i++) {
            ObjectId file = to.insert(Constants.OBJ_BLOB, (name + i).getBytes(US_ASCII));
            TreeFormatter directory = new TreeFormatter();
            for (int j = 0; j < 80; j++) {
              directory.append("%s%02d%02d".formatted(name, i, j), FileMode.REGULAR_FILE, file);
            }
            root.append("%02d".formatted(i), FileMode.TREE, to.insert(directory));
          }
          return to.insert(TestRepositories.commitOf(to.insert(root), name, parents));
        });
  }

  @Test
  void a_commit_that_is_sent_takes_no_memory_as_one_that_is_walked() throws Exception {
    open("1m");
    try (S3Repository repository = manager.openRepository("r")) {
      List<ObjectId> history = TestRepositories.history(repository, "history", 5_900);
      repository.getObjectDatabase().countSent();
      send(repository, history.get(5_899));
      assertThat(manager.receiveMemory().held()).isEqualTo(5_000 * TransferLimits.SENT_BYTES);
    }
  }

  @Test
  void what_a_clone_has_waited_for_stays_taken_when_a_walk_ends() throws Exception {
    open("2m");
    try (S3Repository repository = manager.openRepository("r")) {
      List<ObjectId> history = TestRepositories.history(repository, "history", 5_000);
      repository.getObjectDatabase().awaitMemoryForClone();
      long taken = manager.receiveMemory().held();
      assertThat(taken).isPositive();
      repository.getObjectDatabase().countSent();
      assertThat(walked(repository, history.get(4_999))).isEqualTo(5_000);
      assertThat(manager.receiveMemory().held()).isEqualTo(taken);
    }
  }

  @Test
  void all_time_counts_where_processor_time_is_not_measured() throws Exception {
    open("1m");
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    threads.setThreadCpuTimeEnabled(false);
    try {
      TransferLimits.Transfer push = new TransferLimits(0, 1, Duration.ZERO).begin();
      push.beginWork();
      long start = System.nanoTime();
      while (System.nanoTime() - start < 2_000_000) {
        Thread.onSpinWait();
      }
      assertThatThrownBy(push::checkTime).hasMessageContaining("processorTime");
    } finally {
      threads.setThreadCpuTimeEnabled(true);
    }
  }
}
