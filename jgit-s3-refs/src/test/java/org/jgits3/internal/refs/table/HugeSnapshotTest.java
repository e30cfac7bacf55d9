// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.jgits3.internal.refs.snapshot.RefView;
import org.jgits3.internal.refs.snapshot.SnapshotReader;
import org.jgits3.internal.store.read.RangeReader;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.manifest.RefValue;
import org.jgits3.manifest.Refs;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.ReadRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * As many refs as fit in a table, nineteen million with a peeled value each. Not run by default,
 * since it needs a heap of 5 GiB: {@code mvn -pl jgit-s3-refs test -Dtest=HugeSnapshotTest
 * -Drefs.huge=true -Dtest.argLine=-Xmx5g}.
 */
@EnabledIfSystemProperty(named = "refs.huge", matches = "true")
class HugeSnapshotTest {
  private static final String NAME = "refs/changes/%010d/1";

  /** A ref and what it peels to. All are equally long, so that any range of them can be made. */
  private static final int LINES = 41 + String.format(NAME, 0).length() + 43;

  private static final byte[] HEADER = PackedRefsTable.HEADER.getBytes(US_ASCII);
  private static final int COUNT = (PackedRefsTable.LARGEST - HEADER.length) / LINES;
  private static final long SIZE = HEADER.length + (long) COUNT * LINES;
  private static final byte[] TEMPLATE =
      (id(0) + " " + String.format(NAME, 0) + "\n^" + id(0) + "\n").getBytes(US_ASCII);

  private static String id(int i) {
    return String.format("%040x", i);
  }

  /** Lines of a ref. */
  private static void generate(int i, byte[] dst, int at) {
    System.arraycopy(TEMPLATE, 0, dst, at, LINES);
    digits(i, 16, dst, at + 40);
    digits(i, 10, dst, at + 41 + "refs/changes/".length() + 10);
    digits(i + COUNT, 16, dst, at + LINES - 1);
  }

  private static void digits(int value, int radix, byte[] dst, int end) {
    int at = end;
    for (int rest = value; rest > 0; rest /= radix) {
      dst[--at] = (byte) Character.forDigit(rest % radix, radix);
    }
  }

  private static void read(long offset, byte[] dst, int start, int length) {
    byte[] line = new byte[LINES];
    int done = 0;
    if (offset < HEADER.length) {
      done = Math.min(length, HEADER.length - (int) offset);
      System.arraycopy(HEADER, (int) offset, dst, start, done);
    }
    while (done < length) {
      long at = offset + done - HEADER.length;
      int skip = (int) (at % LINES);
      int n = Math.min(length - done, LINES - skip);
      generate((int) (at / LINES), line, 0);
      System.arraycopy(line, skip, dst, start + done, n);
      done += n;
    }
  }

  private static ObjectStore store() {
    return (ObjectStore)
        Proxy.newProxyInstance(
            HugeSnapshotTest.class.getClassLoader(),
            new Class<?>[] {ObjectStore.class},
            (proxy, method, args) -> {
              assertThat(method.getName()).isEqualTo("read");
              ObjectVersion version = new ObjectVersion("v");
              ReadRequest range = (ReadRequest) args[0];
              read(range.offset(), range.dst(), range.dstOffset(), range.length());
              return version;
            });
  }

  private static int crc32c() {
    CRC32C crc = new CRC32C();
    byte[] chunk = new byte[1 << 20];
    for (long at = 0; at < SIZE; at += chunk.length) {
      int length = (int) Math.min(chunk.length, SIZE - at);
      read(at, chunk, 0, length);
      crc.update(chunk, 0, length);
    }
    return (int) crc.getValue();
  }

  @Test
  void as_many_refs_as_an_array_holds() throws IOException {
    assertThat(COUNT).isGreaterThan(19_000_000);
    assertThat(SIZE).isGreaterThan(PackedRefsTable.LARGEST - LINES);
    assertThat(TEMPLATE).hasSize(LINES);
    RefSnapshot snapshot = new RefSnapshot("x", SIZE, COUNT, crc32c(), "");

    PackedRefsTable table =
        new SnapshotReader(store(), true, RangeReader.Sizes.DEFAULT).read("key", snapshot);

    assertThat(table.size()).isEqualTo(COUNT);
    assertThat(table.bytes()).isEqualTo(2 * 16 + SIZE + 4L * COUNT);
    assertThat(table.lineBytes(0, COUNT)).isEqualTo(SIZE - HEADER.length);
    RefView view = new RefView(Refs.NONE, new RefTable(table));
    Random random = new Random(1);
    List<Integer> some = new ArrayList<>(List.of(0, COUNT - 1));
    random.ints(10_000, 0, COUNT).forEach(some::add);
    for (int i : some) {
      Ref ref = view.exactRef(String.format(NAME, i));
      assertThat(ref.getObjectId().name()).isEqualTo(id(i));
      assertThat(ref.getPeeledObjectId().name()).isEqualTo(id(i + COUNT));
      assertThat(view.exactRef(String.format(NAME, i) + "/")).isNull();
    }
    assertThat(
            view.getRefsByPrefixWithExclusions("refs/changes/00012", Set.of("refs/changes/000129")))
        .hasSize(90_000);
    assertThat(view.getTipsWithSha1(ObjectId.fromString(id(4_711 + COUNT))))
        .extracting(Ref::getName)
        .containsExactly(String.format(NAME, 4_711));
    assertMerges(table);
  }

  /** Folding changes in copies all that is left. */
  private static void assertMerges(PackedRefsTable table) throws IOException {
    TreeMap<String, RefValue> changes = new TreeMap<>();
    changes.put(String.format(NAME, 0), RefValue.DELETED);
    changes.put(
        String.format(NAME, 5_000_000) + "0", TestTables.direct(ObjectId.fromString(id(1))));
    PackedRefsTable merged = new SnapshotMerge(table, RefDelta.of(changes)).build();
    assertThat(merged.size()).isEqualTo(COUNT);
    assertThat(merged.name(4_999_999)).isEqualTo(table.name(5_000_000));
    assertThat(merged.name(5_000_000)).isEqualTo(table.name(5_000_000) + "0");
    assertThat(merged.name(COUNT - 1)).isEqualTo(table.name(COUNT - 1));
    assertThat(merged.value(COUNT - 1)).isEqualTo(table.value(COUNT - 1));
  }
}
