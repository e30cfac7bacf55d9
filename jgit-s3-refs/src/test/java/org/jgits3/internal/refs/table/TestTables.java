// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.manifest.RefValue;
import org.jgits3.store.StoreException;

/** Tables of refs in memory. */
public final class TestTables {
  /** Refs around which two tables are compared, if they have more. */
  private static final int SOME = 20;

  private TestTables() {}

  /** Value of a ref that leads to no tag. */
  public static RefValue.Direct direct(ObjectId id) {
    return new RefValue.Direct(id, Optional.empty());
  }

  public static ObjectId randomId(Random random) {
    byte[] raw = new byte[20];
    random.nextBytes(raw);
    return ObjectId.fromRaw(raw);
  }

  /** A table of some refs. */
  public static PackedRefsTable of(Map<String, RefValue> refs) throws IOException {
    return new SnapshotMerge(PackedRefsTable.EMPTY, RefDelta.of(refs)).build();
  }

  /** Reads a snapshot in memory, whose number of refs is known. */
  public static PackedRefsTable parsed(String key, byte[] bytes, long count)
      throws StoreException.Corrupt {
    PackedRefsParser.checkCount(key, bytes.length, count);
    return PackedRefsParser.parse(key, bytes, count);
  }

  /** Bytes of the snapshot of a table. */
  public static byte[] written(PackedRefsTable table) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    table.writeTo(out::write);
    return out.toByteArray();
  }

  static byte[] written(SnapshotMerge merge) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    merge.writeTo(out);
    return out.toByteArray();
  }

  private static byte[] copied(PackedRefsTable table, int from, int to) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    table.copy(from, to, out);
    return out.toByteArray();
  }

  /** Asserts that two tables give the same answers, and take no more memory than they have to. */
  public static void assertSame(PackedRefsTable actual, PackedRefsTable expected)
      throws IOException {
    byte[] bytes = written(expected);
    int size = expected.size();
    assertThat(written(actual)).isEqualTo(bytes);
    assertThat(actual.size()).isEqualTo(size);
    assertThat(actual.bytes()).isEqualTo(2 * 16 + bytes.length + 4L * size);
    for (int i = 0; i < size; i++) {
      assertThat(actual.name(i)).isEqualTo(expected.name(i));
      assertThat(actual.value(i)).isEqualTo(expected.value(i));
      assertThat(actual.find(expected.name(i))).isEqualTo(i);
    }
    for (int i = 0; i < size; i += 1 + size / SOME) {
      assertSameAround(actual, expected, i);
    }
  }

  private static void assertSameAround(PackedRefsTable actual, PackedRefsTable expected, int i)
      throws IOException {
    for (String name : around(expected.name(i))) {
      byte[] utf8 = name.getBytes(UTF_8);
      assertThat(actual.find(name)).as(name).isEqualTo(expected.find(name));
      assertThat(actual.ceiling(utf8)).as(name).isEqualTo(expected.ceiling(utf8));
      assertThat(actual.startsWith(i, utf8)).as(name).isEqualTo(expected.startsWith(i, utf8));
    }
    for (int to : new int[] {i, i + 1, expected.size()}) {
      assertThat(copied(actual, i, to)).isEqualTo(copied(expected, i, to));
      assertThat(actual.lineBytes(i, to)).isEqualTo(copied(expected, i, to).length);
    }
  }

  private static List<String> around(String name) {
    List<String> names = new ArrayList<>(List.of("", "refs/", "zzz"));
    for (String n : List.of(name, name.substring(0, name.length() - 1))) {
      names.addAll(List.of(n, n + "!", n + "~", n + "/z"));
    }
    return names;
  }
}
