// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.jgits3.internal.refs.table.TestTables.assertSame;
import static org.jgits3.internal.refs.table.TestTables.randomId;
import static org.jgits3.internal.refs.table.TestTables.written;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.TestTables;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.internal.store.read.RangeReader;
import org.jgits3.internal.store.read.RangeReader.Sizes;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.manifest.RefValue;
import org.jgits3.store.Crc32c;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.ObjectInfo;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.ReadRequest;
import org.jgits3.store.StoreException;
import org.jgits3.testing.Holds;
import org.jgits3.testing.Seeds;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A snapshot is the same however it is divided into requests, and so are its faults. */
@Holds(
    "SnapshotReader, PackedRefsParser: However the download of a snapshot is divided, it gives "
        + "the same table, or the same error with key and byte")
class SnapshotReaderTest {
  private static final String KEY = "objects/r/refs/x";
  private static final String A = "a".repeat(40);
  private static final String B = "b".repeat(40);

  @TempDir Path directory;
  private final RequestCounts counts = new RequestCounts();
  @AutoClose private ObjectStore store;
  private int objects;

  @BeforeEach
  void open() throws IOException {
    store = new ObservedObjectStore(new DirectoryObjectStore(directory), counts);
  }

  @Test
  void snapshot_that_is_too_short_for_its_header_is_refused_by_its_key() {
    RefSnapshot snapshot = new RefSnapshot("x", 0, 0, 0, "");
    assertThatThrownBy(
            () -> new SnapshotReader(store, true, RangeReader.Sizes.DEFAULT).read(KEY, snapshot))
        .isInstanceOf(StoreException.Corrupt.class)
        .hasMessageContaining(KEY);
  }

  private static PackedRefsTable random(Random random, int count) throws IOException {
    TreeMap<String, RefValue> refs = new TreeMap<>();
    while (refs.size() < count) {
      String name = "refs/" + "é".repeat(random.nextInt(3)) + "x".repeat(random.nextInt(90));
      Optional<ObjectId> peeled =
          random.nextBoolean() ? Optional.of(randomId(random)) : Optional.empty();
      refs.put(name + random.nextInt(), new RefValue.Direct(randomId(random), peeled));
    }
    return TestTables.of(refs);
  }

  /** A snapshot and where it is. */
  private record Stored(String key, RefSnapshot snapshot) {
    PackedRefsTable land(ObjectStore store, Sizes sizes) throws IOException {
      return new SnapshotReader(store, true, sizes).read(key, snapshot);
    }
  }

  private Stored store(byte[] bytes, long count) throws IOException {
    String key = KEY + objects++;
    store.put(key, bytes, 0, bytes.length);
    int crc = Crc32c.of(bytes);
    return new Stored(key, new RefSnapshot("x", bytes.length, count, crc, ""));
  }

  @Seeds(8)
  void any_division_gives_the_same_table(long seed) throws IOException {
    Random random = new Random(seed);
    PackedRefsTable table = random(random, random.nextInt(60));
    Stored stored = store(written(table), table.size());
    for (int i = 0; i < 60; i++) {
      assertSame(stored.land(store, sizes(random)), table);
    }
  }

  private static Sizes sizes(Random random) {
    return new Sizes(64, 1 + random.nextInt(300));
  }

  @Test
  void a_small_snapshot_is_one_request_and_a_large_one_is_one_for_each_range() throws Exception {
    PackedRefsTable table = random(new Random(5), 100);
    byte[] bytes = written(table);
    Stored stored = store(bytes, table.size());

    assertThat(requests(stored, new Sizes(bytes.length, 500))).isEqualTo(1);
    int round = 4 * 500;
    assertThat(requests(stored, new Sizes(bytes.length - 1, 500)))
        .isEqualTo(4 * Math.round(bytes.length / (double) round));
    assertThat(requests(stored, Sizes.DEFAULT)).isEqualTo(1);
  }

  private long requests(Stored stored, Sizes sizes) throws IOException {
    RequestCounts.Snapshot before = counts.snapshot();
    stored.land(store, sizes);
    RequestCounts.Snapshot made = counts.snapshot().since(before);
    assertThat(made.totalBytes()).isEqualTo(stored.snapshot().size());
    return made.total();
  }

  @Test
  void a_name_longer_than_many_ranges_lands() throws Exception {
    TreeMap<String, RefValue> refs = new TreeMap<>();
    for (String name : new String[] {"a", "b" + "x".repeat(5000), "c"}) {
      refs.put("refs/" + name, TestTables.direct(ObjectId.fromString(A)));
    }
    PackedRefsTable table = TestTables.of(refs);
    Stored stored = store(written(table), table.size());
    assertSame(stored.land(store, new Sizes(64, 70)), table);
  }

  /** A store whose objects all have these bytes. */
  private ObjectStore of(byte[] bytes) {
    return new DelegatingObjectStore(store) {
      @Override
      public ObjectVersion read(ReadRequest range) throws IOException {
        if (range.offset() + range.length() > bytes.length) {
          throw new StoreException.Corrupt(range.key(), range.key() + " ends early", null);
        }
        System.arraycopy(
            bytes, (int) range.offset(), range.dst(), range.dstOffset(), range.length());
        return new ObjectVersion("v");
      }

      @Override
      public Optional<ObjectInfo> stat(String key) {
        return Optional.of(new ObjectInfo(bytes.length, new ObjectVersion("v"), Map.of()));
      }
    };
  }

  @Test
  void every_flipped_byte_is_found() throws Exception {
    PackedRefsTable table = random(new Random(5), 6);
    byte[] good = written(table);
    Stored stored = store(good, table.size());
    Random random = new Random(9);
    for (int at = 0; at < good.length; at++) {
      byte[] bad = good.clone();
      bad[at] ^= (byte) (1 << random.nextInt(8));
      assertThatThrownBy(() -> stored.land(of(bad), sizes(random)))
          .as("byte %d", at)
          .isInstanceOf(StoreException.Corrupt.class)
          .hasMessageContaining(stored.key())
          .hasMessageContaining("byte ");
    }
  }

  @Test
  void every_truncation_is_found() throws Exception {
    PackedRefsTable table = random(new Random(5), 6);
    byte[] good = written(table);
    Stored whole = store(good, table.size());
    Random random = new Random(9);
    for (int length = 1; length < good.length; length++) {
      byte[] bad = Arrays.copyOf(good, length);
      int crc = Crc32c.of(bad);
      RefSnapshot listed = new RefSnapshot("x", length, table.size(), crc, "");
      for (Stored stored : new Stored[] {whole, new Stored(whole.key(), listed)}) {
        assertThatThrownBy(() -> stored.land(of(bad), sizes(random)))
            .as("%d bytes", length)
            .isInstanceOf(StoreException.Corrupt.class)
            .hasMessageContaining(stored.key());
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "A refs/a;B refs/b;                   | 3 | has 2 refs instead of 3",
        "A refs/a;B refs/b;                   | 1 | has more than 1 refs",
        "A refs/a;B refs/b;B refs/c;^A;       | 4 | has 3 refs instead of 4",
        "A refs/a;B refs/a;                   | 2 | not sorted",
        "A refs/a;B refs/c;B refs/b;A refs/d; | 4 | not sorted",
        "A refs/a;^B;B refs/b;^B;A refs/b;^B; | 3 | not sorted",
        "A refs/a;B refs/b;B refs/c           | 3 | ends within a line",
        "a refs/a;                            | 1 | no ref",
        "A refs/a;b refs/b;B refs/c;          | 3 | no ref",
        "A;                                   | 1 | no ref",
        "A refs/a;B;B refs/c;                 | 3 | no ref",
        "A refs/a;B refs/b;^;A refs/c;        | 3 | peeled line",
        "A refs/a;^B;^B;                      | 1 | peeled line",
        "A refs/a;^B;^B;B refs/b;             | 2 | peeled line",
        "^B;A refs/a;B refs/b;                | 2 | peeled line",
        "A refs/a;B refs/b;;                  | 2 | no ref",
        "A refs/a;Brefs/b;B refs/c;           | 3 | no ref",
        "A refs/a;B ;B refs/c;                | 3 | no ref",
        "A refs/a;X refs/b;                   | 2 | no ref",
        "A refs/a;U refs/b;                   | 2 | no ref",
        "A refs/a;                            | 1000000000 | too short",
        "A refs/a;                            | 4611686018427387904 | too short",
      })
  void any_division_finds_the_same_fault(String lines, long count, String why) throws Exception {
    String hex = lines.strip().replace("A", A).replace("B", B).replace("U", "B".repeat(40));
    String body = hex.replace("X", "x".repeat(40)).replace(";", "\n");
    byte[] bytes = (PackedRefsTable.HEADER + body).getBytes(UTF_8);
    StoreException.Corrupt expected =
        catchThrowableOfType(
            StoreException.Corrupt.class, () -> TestTables.parsed(KEY, bytes, count));
    assertThat(expected).hasMessageContaining(KEY).hasMessageContaining(why);
    Stored stored = store(bytes, count);
    String message = expected.getMessage().replace(KEY, stored.key());
    for (int range = 1; range < bytes.length; range++) {
      Sizes sizes = new Sizes(0, range);
      assertThatThrownBy(() -> stored.land(store, sizes))
          .as("%s", sizes)
          .isInstanceOf(StoreException.Corrupt.class)
          .hasMessage(message);
    }
  }
}
