// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jgits3.manifest.RefValue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A table in several parts is the same as one in a single part, wherever the parts end. */
class PackedRefsTablePartsTest {
  private static final String A = "a".repeat(40);
  private static final String B = "b".repeat(40);
  private static final List<String> NAMES =
      List.of("refs/a", "refs/a/b", "refs/heads/é", "refs/heads/\uD83D\uDE00", "refs/tags/v1-0.0");

  private byte[] bytes;
  private PackedRefsTable one;

  @BeforeEach
  void create() throws Exception {
    StringBuilder snapshot = new StringBuilder(PackedRefsTable.HEADER);
    for (int i = 0; i < NAMES.size(); i++) {
      snapshot.append(A).append(' ').append(NAMES.get(i)).append('\n');
      snapshot.append(i % 2 == 1 ? '^' + B + '\n' : "");
    }
    bytes = snapshot.toString().getBytes(UTF_8);
    one = ParsedRefs.of("key", bytes, NAMES.size());
  }

  private PackedRefsTable.Builder builder(int limit) {
    return new PackedRefsTable.Builder(bytes.length, NAMES.size(), limit);
  }

  static IntStream limits() {
    return IntStream.rangeClosed(1, 480);
  }

  @ParameterizedTest
  @MethodSource("limits")
  void built_of_another_table(int limit) throws IOException {
    PackedRefsTable.Builder builder = builder(limit);
    builder.append(one, 0, 3);
    builder.append(one, 3, 3);
    builder.append(one, 3, one.size());
    PackedRefsTable several = builder.build();
    assertSameAsOne(several);

    PackedRefsTable.Builder again = builder(limit + 7);
    again.append(several, 0, several.size());
    assertSameAsOne(again.build());
  }

  @ParameterizedTest
  @MethodSource("limits")
  void built_of_changes(int limit) throws IOException {
    Map<String, RefValue> all = new HashMap<>();
    for (int i = 0; i < one.size(); i++) {
      all.put(one.name(i), one.value(i));
    }
    RefDelta changes = RefDelta.of(all);
    PackedRefsTable.Builder builder = builder(limit);
    for (int i = 0; i < changes.size(); i++) {
      builder.append(changes, i);
    }
    assertSameAsOne(builder.build());
  }

  private void assertSameAsOne(PackedRefsTable table) throws IOException {
    assertThat(written(table)).isEqualTo(bytes);
    assertThat(table.size()).isEqualTo(one.size());
    for (int i = 0; i < one.size(); i++) {
      assertThat(table.name(i)).isEqualTo(one.name(i));
      assertThat(table.value(i)).isEqualTo(one.value(i));
      for (String name : around(one.name(i))) {
        byte[] utf8 = name.getBytes(UTF_8);
        assertThat(table.find(name)).as(name).isEqualTo(one.find(name));
        assertThat(table.ceiling(utf8)).as(name).isEqualTo(one.ceiling(utf8));
        assertThat(table.startsWith(i, utf8)).as(name).isEqualTo(one.startsWith(i, utf8));
      }
      for (int to = i; to <= one.size(); to++) {
        assertThat(copied(table, i, to)).isEqualTo(copied(one, i, to));
        assertThat(table.lineBytes(i, to)).isEqualTo(copied(one, i, to).length);
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
    table.copy(from, to, out::write);
    return out.toByteArray();
  }

  @Test
  void one_part_has_exactly_the_size_of_the_snapshot() {
    PackedRefsTable.Builder builder = builder(PackedRefsTable.PART);
    builder.append(one, 0, one.size());
    long arrays = 2 * 16 + bytes.length + 4L * NAMES.size();
    assertThat(builder.build().bytes()).isEqualTo(arrays);
    assertThat(one.bytes()).isEqualTo(arrays);
  }

  @Test
  void a_name_with_a_line_feed_is_no_name_whatever_it_runs_over() {
    String over = one.name(0) + "\n" + A + " " + one.name(1);
    assertThat(one.find(over)).isNegative();
    assertThat(one.find(one.name(1) + "\n^" + B)).isNegative();
    assertThat(one.find(one.name(4) + "\n")).isNegative();
  }

  @Test
  void promises_of_size_and_count_are_kept() {
    for (int more : new int[] {-1, 1}) {
      for (int limit : new int[] {60, 100, 1000}) {
        assertThatThrownBy(() -> fill(bytes.length + more, NAMES.size(), limit))
            .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> fill(bytes.length, NAMES.size() + more, limit))
            .isInstanceOf(IllegalStateException.class);
      }
    }
  }

  private PackedRefsTable fill(long size, long count, int limit) {
    PackedRefsTable.Builder builder = new PackedRefsTable.Builder(size, count, limit);
    builder.append(one, 0, one.size());
    return builder.build();
  }
}
