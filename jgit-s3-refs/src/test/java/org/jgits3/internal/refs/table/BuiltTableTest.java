// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jgits3.manifest.RefValue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A table that is built is the same as one that is read. */
class BuiltTableTest {
  private static final String A = "a".repeat(40);
  private static final String B = "b".repeat(40);
  private static final List<String> NAMES =
      List.of("refs/a", "refs/a/b", "refs/heads/é", "refs/heads/\uD83D\uDE00", "refs/tags/v1-0.0");

  private byte[] bytes;
  private PackedRefsTable read;

  @BeforeEach
  void create() throws Exception {
    StringBuilder snapshot = new StringBuilder(PackedRefsTable.HEADER);
    for (int i = 0; i < NAMES.size(); i++) {
      snapshot.append(A).append(' ').append(NAMES.get(i)).append('\n');
      snapshot.append(i % 2 == 1 ? '^' + B + '\n' : "");
    }
    bytes = snapshot.toString().getBytes(UTF_8);
    read = ParsedRefs.of("key", bytes, NAMES.size());
  }

  private static PackedRefsTable built(PackedRefsTable table, RefDelta changes) throws IOException {
    return new SnapshotMerge(table, changes).build();
  }

  private RefDelta changes(int from, int to) {
    Map<String, RefValue> some = new HashMap<>();
    for (int i = from; i < to; i++) {
      some.put(read.name(i), read.value(i));
    }
    return RefDelta.of(some);
  }

  @Test
  void built_of_another_table() throws IOException {
    PackedRefsTable ends = built(PackedRefsTable.EMPTY, changes(0, 3));
    assertSameAsRead(built(ends, changes(3, read.size())));
    PackedRefsTable begins = built(PackedRefsTable.EMPTY, changes(3, read.size()));
    assertSameAsRead(built(begins, changes(0, 3)));
    assertSameAsRead(built(read, changes(2, 3)));
    assertSameAsRead(built(read, RefDelta.NONE));
  }

  @Test
  void built_of_changes() throws IOException {
    assertSameAsRead(built(PackedRefsTable.EMPTY, changes(0, read.size())));
  }

  private void assertSameAsRead(PackedRefsTable table) throws IOException {
    assertThat(written(table)).isEqualTo(bytes);
    assertThat(table.size()).isEqualTo(read.size());
    for (int i = 0; i < read.size(); i++) {
      assertThat(table.name(i)).isEqualTo(read.name(i));
      assertThat(table.value(i)).isEqualTo(read.value(i));
      for (String name : around(read.name(i))) {
        byte[] utf8 = name.getBytes(UTF_8);
        assertThat(table.find(name)).as(name).isEqualTo(read.find(name));
        assertThat(table.ceiling(utf8)).as(name).isEqualTo(read.ceiling(utf8));
        assertThat(table.startsWith(i, utf8)).as(name).isEqualTo(read.startsWith(i, utf8));
      }
      for (int to = i; to <= read.size(); to++) {
        assertThat(copied(table, i, to)).isEqualTo(copied(read, i, to));
        assertThat(table.lineBytes(i, to)).isEqualTo(copied(read, i, to).length);
      }
    }
  }

  private static List<String> around(String name) {
    List<String> names = new ArrayList<>(List.of("", "refs/", "zzz"));
    for (String n : List.of(name, name.substring(0, name.length() - 1))) {
      names.addAll(List.of(n, n + "!", n + "~", n + "/z"));
    }
    return names;
  }

  private static byte[] written(PackedRefsTable table) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    table.writeTo(out::write);
    return out.toByteArray();
  }

  private static byte[] copied(PackedRefsTable table, int from, int to) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    table.copy(from, to, out);
    return out.toByteArray();
  }

  @Test
  void it_has_exactly_the_size_of_the_snapshot() throws IOException {
    long arrays = 2 * 16 + bytes.length + 4L * NAMES.size();
    assertThat(built(PackedRefsTable.EMPTY, changes(0, read.size())).bytes()).isEqualTo(arrays);
    assertThat(read.bytes()).isEqualTo(arrays);
  }

  @Test
  void a_name_with_a_line_feed_is_no_name_whatever_it_runs_over() {
    String over = read.name(0) + "\n" + A + " " + read.name(1);
    assertThat(read.find(over)).isNegative();
    assertThat(read.find(read.name(1) + "\n^" + B)).isNegative();
    assertThat(read.find(read.name(4) + "\n")).isNegative();
  }
}
