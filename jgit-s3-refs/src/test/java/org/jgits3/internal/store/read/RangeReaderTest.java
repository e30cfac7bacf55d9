// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jgits3.Stores;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.internal.store.read.RangeReader.Sizes;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.ObjectInfo;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.ReadRequest;
import org.jgits3.store.StoreException;
import org.jgits3.store.StoreLocation;
import org.jgits3.store.StoreOptions;
import org.jgits3.testing.ForkedJvm;
import org.jgits3.testing.Holds;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.jgits3.testing.aid.RandomBytes;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Holds(
    "RangeReader, S3ObjectStore: Ranges read at once take at most 16 MiB of heap beside the "
        + "array. Those of two versions are `Changed`, or `Corrupt` if the new one ends before the "
        + "range.")
class RangeReaderTest {
  private static final String KEY = "a/b";
  private static final int MIB = 1 << 20;

  @TempDir Path directory;
  private final RequestCounts counts = new RequestCounts();
  @AutoClose private ObjectStore store;

  @BeforeEach
  void open() throws IOException {
    store = new ObservedObjectStore(new DirectoryObjectStore(directory), counts);
  }

  private byte[] written(int length) throws IOException {
    byte[] bytes = RandomBytes.of(length, length);
    store.put(KEY, bytes, 0, length);
    return bytes;
  }

  @Test
  void any_division_lands_the_same_bytes_and_touches_no_others() throws Exception {
    byte[] bytes = written(1000);
    Random random = new Random(7);
    for (int i = 0; i < 300; i++) {
      Sizes sizes = new Sizes(random.nextInt(1200), 1 + random.nextInt(300));
      RangeReader reader = new RangeReader(store, sizes, true);
      byte[] whole = new byte[bytes.length];
      reader.read(KEY, 0, whole, 0, whole.length);
      assertThat(whole).isEqualTo(bytes);

      int offset = random.nextInt(bytes.length);
      int length = 1 + random.nextInt(bytes.length - offset);
      byte[] dst = new byte[length + 20];
      Optional<ObjectVersion> version =
          random.nextBoolean() ? store.stat(KEY).map(ObjectInfo::version) : Optional.empty();
      reader.read(new ReadRequest(KEY, offset, dst, 10, length, version));
      assertThat(Arrays.copyOfRange(dst, 10, 10 + length))
          .isEqualTo(Arrays.copyOfRange(bytes, offset, offset + length));
      assertThat(Arrays.copyOf(dst, 10)).containsOnly(0);
      assertThat(Arrays.copyOfRange(dst, 10 + length, dst.length)).containsOnly(0);
    }
  }

  @Test
  void a_small_read_is_one_request_and_a_large_one_a_request_for_each_range() throws Exception {
    written(8 * 500);
    byte[] dst = new byte[8 * 500];
    assertThat(requests(new Sizes(dst.length, 500), dst, Optional.empty())).isEqualTo(1);
    assertThat(requests(new Sizes(100, 500), dst, Optional.empty())).isEqualTo(8);
    Optional<ObjectVersion> version = store.stat(KEY).map(ObjectInfo::version);
    assertThat(requests(new Sizes(100, 500), dst, version)).isEqualTo(8);
  }

  private long requests(Sizes sizes, byte[] dst, Optional<ObjectVersion> version)
      throws IOException {
    long before = counts.snapshot().total();
    new RangeReader(store, sizes, true).read(new ReadRequest(KEY, 0, dst, 0, dst.length, version));
    return counts.snapshot().total() - before;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Timeout(300)
  void four_requests_are_in_flight_whether_the_version_is_known_or_not(boolean known)
      throws Exception {
    byte[] bytes = written(8 * 500);
    try (RoundsObjectStore rounds = new RoundsObjectStore(store, ParallelRequests.SIZE)) {
      RangeReader reader = new RangeReader(rounds, new Sizes(100, 500), true);
      byte[] dst = new byte[bytes.length];
      rounds.gate();
      Optional<ObjectVersion> version =
          known ? store.stat(KEY).map(ObjectInfo::version) : Optional.empty();
      reader.read(new ReadRequest(KEY, 0, dst, 0, 8 * 500, version));
      assertThat(dst).isEqualTo(bytes);
      assertThat(rounds.count()).isEqualTo(2);
    }
  }

  @Test
  void ranges_are_such_that_every_round_of_requests_is_full() {
    assertThat(Sizes.DEFAULT.rangeOf(1)).isEqualTo(1);
    assertThat(Sizes.DEFAULT.rangeOf(32 * MIB)).isEqualTo(8 * MIB);
    assertThat(Sizes.DEFAULT.rangeOf(36 * MIB)).isEqualTo(9 * MIB);
    assertThat(Sizes.DEFAULT.rangeOf(256 * MIB)).isEqualTo(64 * MIB);
    assertThat(Sizes.DEFAULT.rangeOf(1024 * MIB)).isEqualTo(256 * MIB);
    assertThat(Sizes.DEFAULT.rangeOf(1500 * MIB)).isEqualTo(375 * MIB);
    assertThat(Sizes.DEFAULT.rangeOf(1600 * MIB)).isEqualTo(200 * MIB);
    assertThat(Sizes.DEFAULT.rangeOf(Integer.MAX_VALUE)).isEqualTo(256 * MIB);
  }

  @Test
  void a_range_is_not_much_smaller_than_what_one_request_reads() {
    assertThat(Sizes.DEFAULT.rangeOf(8 * MIB + 1)).isEqualTo(4 * MIB + 1);
    assertThat(Sizes.DEFAULT.rangeOf(12 * MIB)).isEqualTo(6 * MIB);
    assertThat(Sizes.DEFAULT.rangeOf(24 * MIB)).isEqualTo(8 * MIB);
  }

  /** An object that is replaced when its first range was read, and all others were asked for. */
  private static final class ReplacedBetweenRanges extends DelegatingObjectStore {
    private final byte[] replacement;
    private final CountDownLatch othersAskedFor = new CountDownLatch(ParallelRequests.SIZE - 1);
    private final CountDownLatch replaced = new CountDownLatch(1);

    ReplacedBetweenRanges(ObjectStore store, byte[] replacement) {
      super(store);
      this.replacement = replacement;
    }

    @Override
    public ObjectVersion read(ReadRequest range) throws IOException {
      assertThat(range.expected()).isEmpty();
      if (range.offset() > 0) {
        othersAskedFor.countDown();
        ConcurrentTasks.await(replaced);
        return super.read(range);
      }
      ConcurrentTasks.await(othersAskedFor);
      ObjectVersion version = super.read(range);
      super.put(range.key(), replacement, 0, replacement.length);
      replaced.countDown();
      return version;
    }

    @Override
    public void close() {}
  }

  @Test
  @Timeout(300)
  void two_versions_never_mix_where_versions_mean_something() throws Exception {
    byte[] bytes = written(2000);
    byte[] other = new byte[2000];
    byte[] dst = new byte[2000];
    Sizes sizes = new Sizes(100, 500);
    RangeReader comparing = new RangeReader(new ReplacedBetweenRanges(store, other), sizes, true);
    assertThatThrownBy(() -> comparing.read(KEY, 0, dst, 0, 2000))
        .isInstanceOf(StoreException.Changed.class);
    written(2000);
    new RangeReader(new ReplacedBetweenRanges(store, other), sizes, false)
        .read(KEY, 0, dst, 0, 2000);
    assertThat(dst).isNotEqualTo(bytes).isNotEqualTo(other); // the caller has to check
  }

  @Test
  void what_is_missing_or_too_short_is_an_error_with_its_key() throws Exception {
    RangeReader reader = new RangeReader(store, new Sizes(10, 20), true);
    assertThatThrownBy(() -> reader.read("none", 0, new byte[9], 0, 9))
        .isInstanceOf(StoreException.Missing.class)
        .hasMessageContaining("none");
    written(100);
    assertThatThrownBy(() -> reader.read(KEY, 0, new byte[101], 0, 101))
        .isInstanceOf(StoreException.Corrupt.class)
        .hasMessageContaining(KEY);
  }

  @Test
  void the_heap_it_needs_is_the_object_and_16_MiB() throws Exception {
    byte[] bytes = RandomBytes.of(64 * MIB, 1);
    S3Server server = S3Servers.require();
    StoreLocation.Bucket bucket = server.newBucket(KEY, bytes);
    List<String> options =
        List.of(
            "-Xmx" + (64 + 16) + "m",
            "-XX:+UseG1GC",
            "-Daws.accessKeyId=" + server.accessKey(),
            "-Daws.secretAccessKey=" + server.secretKey(),
            "-Daws.region=" + S3Server.REGION,
            "-cp",
            classpath());
    assertThat(
            ForkedJvm.run(
                options,
                ReadingProcess.class,
                server.endpoint().toString(),
                bucket.bucket(),
                KEY,
                Integer.toString(bytes.length)))
        .endsWith("read " + Arrays.hashCode(bytes));
  }

  /**
   * Jars that the store needs and no others: the JVM holds the directory of each jar in its heap.
   */
  private static String classpath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(
            entry ->
                !entry.endsWith(".jar")
                    || entry.contains("software")
                    || entry.contains("httpcomponents")
                    || entry.contains("slf4j")
                    || entry.contains("reactive"))
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** A process that reads an object, and prints the hash of its bytes. */
  static final class ReadingProcess {
    private ReadingProcess() {}

    /**
     * Reads.
     *
     * @param args endpoint, bucket, key, size
     */
    public static void main(String[] args) {
      StoreOptions options =
          new StoreOptions(Optional.of(URI.create(args[0])), Optional.empty(), true, 64);
      try (ObjectStore s3 = Stores.open(new StoreLocation.Bucket(args[1], ""), options)) {
        byte[] bytes = new byte[Integer.parseInt(args[3])];
        new RangeReader(s3).read(args[2], 0, bytes, 0, bytes.length);
        System.out.println("read " + Arrays.hashCode(bytes));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
