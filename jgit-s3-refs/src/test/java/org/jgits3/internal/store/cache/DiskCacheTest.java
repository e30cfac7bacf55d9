// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jgits3.internal.store.file.DirectoryFiles;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.ConcurrentTasks.Task;
import org.jgits3.store.Crc32c;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.RequestKind;
import org.jgits3.testing.ForkedJvm;
import org.jgits3.testing.Holds;
import org.jgits3.testing.aid.RandomBytes;
import org.jgits3.testing.aid.StoredFiles;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

@Holds(
    "PackChannel, DiskCache: Data on the local disk is checked at every read. After any fault it "
        + "is read from the store.")
@Timeout(120) // objects are fetched in the background
@Holds(
    "DiskCache: A cached object is used and closed even if its use cannot be recorded. One that "
        + "cannot be read from the store keeps no other from being cached.")
class DiskCacheTest {
  @TempDir Path stored;
  @TempDir Path kept;
  private final RequestCounts counts = new RequestCounts();
  @AutoClose private ObjectStore store;
  @AutoClose private DiskCache cache;

  @BeforeEach
  void open() throws IOException {
    store = new ObservedObjectStore(new DirectoryObjectStore(stored), counts);
    cache = cache(1 << 20);
  }

  private DiskCache cache(long limit) {
    return new DiskCache(store, new DiskCache.Options(kept, limit));
  }

  private byte[] write(String key, int length) throws IOException {
    byte[] bytes = RandomBytes.of(length, key.hashCode());
    store.put(key, bytes, 0, length);
    return bytes;
  }

  private static boolean isKept(DiskCache cache, String key, byte[] bytes) {
    var read = cache.read(key, bytes.length, Crc32c.of(bytes));
    read.ifPresent(found -> assertThat(found).isEqualTo(bytes));
    return read.isPresent();
  }

  private Path onlyFile() throws IOException {
    List<Path> all = files();
    assertThat(all).hasSize(1);
    return all.get(0);
  }

  private List<Path> files() throws IOException {
    return StoredFiles.below(kept, file -> true);
  }

  @Test
  @EnabledOnOs(OS.LINUX) // where a file is opened to set its time, which fails here
  void an_object_is_used_and_closed_though_its_use_cannot_be_noted() throws Exception {
    String said =
        ForkedJvm.runWithDescriptors(
            400,
            List.of("-XX:+UseSerialGC", "-XX:-UseContainerSupport"), // neither opens files
            CrowdedCacheProcess.class,
            stored.toString(),
            kept.toString());
    assertThat(said.lines()).containsExactly("+", "Too many open files", "+++");
  }

  @Test
  void an_object_is_fetched_once_and_then_read_from_the_disk() throws Exception {
    for (int length : new int[] {0, 1, 65535, 65536, 65537, 200_000}) {
      String key = "a/b" + length;
      byte[] bytes = write(key, length);
      assertThat(isKept(cache, key, bytes)).isFalse();
      cache.awaitFetched();
      long reads = counts.snapshot().of(RequestKind.READ);
      assertThat(isKept(cache, key, bytes)).isTrue();
      try (DiskCache restarted = cache(1 << 20)) {
        assertThat(isKept(restarted, key, bytes)).isTrue();
      }
      assertThat(counts.snapshot().of(RequestKind.READ)).isEqualTo(reads);
    }
  }

  @Test
  void every_flipped_byte_and_truncation_makes_the_object_fetched_again() throws Exception {
    byte[] bytes = write("a/b", 100);
    isKept(cache, "a/b", bytes);
    cache.awaitFetched();
    byte[] good = Files.readAllBytes(onlyFile());
    Random random = new Random(4);
    for (int at = 0; at < good.length; at++) {
      byte[] flipped = good.clone();
      flipped[at] ^= (byte) (1 << random.nextInt(8));
      for (byte[] bad : List.of(flipped, Arrays.copyOf(good, at))) {
        Files.write(onlyFile(), bad);
        assertThat(isKept(cache, "a/b", bytes)).as("byte %d", at).isFalse();
        isKept(cache, "a/b", bytes); // asks for it again, if the damage showed only while reading
        cache.awaitFetched();
        assertThat(isKept(cache, "a/b", bytes)).isTrue();
      }
    }
  }

  @Test
  void damaged_objects_are_warned_of_once_a_minute_with_their_number() {
    AtomicLong now = new AtomicLong();
    Logger logger = (Logger) LoggerFactory.getLogger(DiskCache.class);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    logger.addAppender(log);
    DiskCache.Options options = new DiskCache.Options(kept, 1 << 20);
    try (DiskCache clocked = new DiskCache(store, options, Thread::new, now::get)) {
      for (int i = 0; i < 50; i++) {
        clocked.damaged("a/b" + i, "a/b" + i + " is too short");
      }
      now.addAndGet(Duration.ofMinutes(1).toNanos());
      clocked.damaged("a/c", "a/c is too short");
      clocked.damaged("a/d", "a/d is too short");
    } finally {
      logger.detachAppender(log);
    }
    assertThat(log.list.stream().filter(each -> each.getLevel() == Level.WARN))
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly(
            "a/b0 is too short; it is fetched again",
            "a/c is too short; it is fetched again; so were 49 since the last warning of one");
  }

  @Test
  void without_a_thread_an_object_is_read_from_the_store_and_fetched_later() throws Exception {
    AtomicInteger refused = new AtomicInteger(1);
    ThreadFactory threads =
        task -> {
          if (refused.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new OutOfMemoryError("unable to create native thread");
          }
          return new Thread(task);
        };
    byte[] bytes = write("a/b", 100);
    try (DiskCache crowded =
        new DiskCache(store, new DiskCache.Options(kept, 1 << 20), threads, System::nanoTime)) {
      assertThat(isKept(crowded, "a/b", bytes)).isFalse();
      assertThat(refused).hasValue(0);
      assertThat(isKept(crowded, "a/b", bytes)).isFalse();
      crowded.awaitFetched();
      assertThat(isKept(crowded, "a/b", bytes)).isTrue();
    }
  }

  @Test
  void a_closed_cache_gives_nothing_and_harms_no_read() throws Exception {
    byte[] bytes = write("a/b", 100);
    cache.close();
    assertThat(isKept(cache, "a/b", bytes)).isFalse();
    assertThat(kept).isEmptyDirectory();
  }

  @Test
  void what_cannot_be_kept_is_not_tried_again_and_again() throws Exception {
    byte[] bytes = write("a/b", 100);
    assertThat(cache.read("a/b", 100, 4711)).isEmpty();
    cache.awaitFetched();
    assertThat(files()).isEmpty();
    long reads = counts.snapshot().of(RequestKind.READ);
    assertThat(isKept(cache, "a/b", bytes)).isFalse();
    cache.awaitFetched();
    assertThat(counts.snapshot().of(RequestKind.READ)).isEqualTo(reads); // not at once again
  }

  @Test
  void an_object_that_the_store_has_lost_or_damaged_stops_no_other() throws Exception {
    byte[] bytes = write("a/b", 100);
    write("a/damaged", 100);
    assertThat(cache.read("a/missing", 100, 4711)).isEmpty();
    assertThat(cache.read("a/damaged", 100, 4711)).isEmpty();
    cache.awaitFetched();
    assertThat(isKept(cache, "a/b", bytes)).isFalse();
    cache.awaitFetched();
    assertThat(isKept(cache, "a/b", bytes)).isTrue();
  }

  @Test
  void what_was_not_used_for_the_longest_time_makes_room() throws Exception {
    try (DiskCache small = cache(5_000)) {
      List<byte[]> objects = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        objects.add(write("a/b" + i, 1000));
        isKept(small, "a/b" + i, objects.get(i));
        small.awaitFetched();
        assertThat(isKept(small, "a/b0", objects.get(0))).isTrue();
        assertThat(files().stream().mapToLong(f -> f.toFile().length()).sum())
            .isLessThanOrEqualTo(5_000);
      }
      assertThat(isKept(small, "a/b9", objects.get(9))).isTrue();
      byte[] large = write("a/large", 2_600);
      isKept(small, "a/large", large);
      small.awaitFetched();
      assertThat(isKept(small, "a/large", large)).isFalse();
    }
  }

  @Test
  void what_a_killed_process_was_writing_is_removed_after_a_day() throws Exception {
    Path old = Files.writeString(kept.resolve("old.part"), "half");
    Files.setLastModifiedTime(old, FileTime.from(Instant.now().minus(Duration.ofDays(2))));
    Path young = Files.writeString(kept.resolve("young.part"), "half");
    isKept(cache, "a/b", write("a/b", 100));
    cache.awaitFetched();
    assertThat(old).doesNotExist();
    assertThat(young).exists();
  }

  @Test
  void users_of_one_directory_do_not_disturb_each_other() throws Exception {
    List<byte[]> objects = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      objects.add(write("a/b" + i, 500 + 10_000 * i));
    }
    try (DiskCache first = cache(800_000);
        DiskCache second = cache(400_000)) {
      List<Task> tasks = new ArrayList<>();
      for (int thread = 0; thread < 4; thread++) {
        DiskCache mine = thread % 2 == 0 ? first : second;
        Random random = new Random(thread);
        tasks.add(
            () -> {
              for (int i = 0; i < 300; i++) {
                int n = random.nextInt(objects.size());
                isKept(mine, "a/b" + n, objects.get(n));
              }
            });
      }
      ConcurrentTasks.run(tasks);
      first.awaitFetched();
      second.awaitFetched();
    }
  }

  private static String permissions(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Holds(
      "LocalPermissions: Other users of the machine cannot read the disk cache, except by its "
          + "group")
  @Test
  @DisabledOnOs(OS.WINDOWS)
  void other_users_of_the_machine_can_read_nothing() throws Exception {
    byte[] bytes = write("a/b", 100);
    Path above = kept.resolve("made");
    try (DiskCache made = new DiskCache(store, new DiskCache.Options(above.resolve("c"), 1000))) {
      isKept(made, "a/b", bytes);
      made.awaitFetched();
      assertThat(isKept(made, "a/b", bytes)).isTrue();
    }
    try (Stream<Path> all = Files.walk(above)) {
      for (Path path : all.toList()) {
        assertThat(permissions(path))
            .isEqualTo(Files.isDirectory(path) ? "rwx------" : "rw-------");
      }
    }
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void the_group_of_a_directory_that_it_can_write_to_can_read_what_is_kept() throws Exception {
    Files.setPosixFilePermissions(kept, PosixFilePermissions.fromString("rwxrwxr-x"));
    Path made = Files.createFile(kept.resolve("made"));
    boolean forGroup = permissions(made).startsWith("rw-r");
    Files.delete(made);
    assumeTrue(forGroup, "skipped: the umask keeps new files from the group");
    isKept(cache, "a/b", write("a/b", 100));
    cache.awaitFetched();
    assertThat(permissions(onlyFile())).isEqualTo("rw-r-----");
    assertThat(permissions(kept)).isEqualTo("rwxrwxr-x");
  }

  /**
   * A process that can open one file more and no second one, so that a cached object can be opened
   * but the time of its use cannot be noted.
   */
  static final class CrowdedCacheProcess {
    private static final String KEY = "key";
    private static final byte[] BYTES = {1, 2, 3};

    private CrowdedCacheProcess() {}

    /**
     * Opens a cached object three times, and says how it went each time.
     *
     * @param args directories of the store and of the cache
     */
    public static void main(String[] args) throws Exception {
      Path kept = Path.of(args[1]);
      try (ObjectStore store = new DirectoryObjectStore(Path.of(args[0]));
          DiskCache cache = new DiskCache(store, new DiskCache.Options(kept, 1 << 20))) {
        store.put(KEY, BYTES, 0, BYTES.length);
        look(cache);
        cache.awaitFetched();
        System.out.println(look(cache)); // loads all classes
        Path file = StoredFiles.below(kept, each -> true).get(0);
        Deque<FileChannel> open = openAll(file);
        try {
          System.out.println(touch(file));
          open.pop().close();
          System.out.println(look(cache) + look(cache) + look(cache));
        } finally {
          for (FileChannel each : open) {
            each.close();
          }
        }
      }
    }

    private static Deque<FileChannel> openAll(Path file) {
      Deque<FileChannel> open = new ArrayDeque<>();
      while (true) {
        try {
          open.push(FileChannel.open(file));
        } catch (IOException tooMany) {
          return open;
        }
      }
    }

    private static String touch(Path file) throws IOException {
      try {
        Files.setLastModifiedTime(file, FileTime.fromMillis(0));
        return "noted";
      } catch (FileSystemException e) {
        return e.getReason();
      }
    }

    private static String look(DiskCache cache) throws IOException {
      Optional<FileChannel> found = cache.open(KEY, BYTES.length, Crc32c.of(BYTES));
      if (found.isEmpty()) {
        return "-";
      }
      try (FileChannel object = found.get()) {
        byte[] read = new byte[BYTES.length];
        DirectoryFiles.readFully(object, 0, read, 0, read.length);
        return Arrays.equals(read, BYTES) ? "+" : "?";
      }
    }
  }
}
