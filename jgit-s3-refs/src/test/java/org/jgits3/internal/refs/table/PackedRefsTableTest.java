// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SortedMap;
import java.util.TreeMap;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.manifest.RefValue;
import org.jgits3.store.StoreException;
import org.junit.jupiter.api.Test;

class PackedRefsTableTest {
  private static final String KEY = "objects/r/refs/x";
  private static final String A = "a".repeat(40);
  private static final String B = "b".repeat(40);
  private static final ObjectId ID = ObjectId.fromString(A);

  private static PackedRefsTable parse(String body, long count) throws StoreException.Corrupt {
    return TestTables.parsed(KEY, (PackedRefsTable.HEADER + body).getBytes(UTF_8), count);
  }

  /** Steps are doubled from wherever the search begins, so all small distances are tried. */
  @Test
  void finds_the_same_from_any_ref_before() throws Exception {
    for (int size = 0; size < 36; size++) {
      SortedMap<String, RefValue> refs = new TreeMap<>();
      for (int i = 0; i < size; i++) {
        refs.put(String.format("refs/%02d", 2 * i + 1), TestTables.direct(ID));
      }
      PackedRefsTable table = TestTables.of(refs);
      for (int number = 0; number <= 2 * size; number++) {
        byte[] name = String.format("some refs/%02d more", number).getBytes(UTF_8);
        int expected = number % 2 == 1 ? number / 2 : -(number / 2 + 1);
        for (int first = 0; first <= number / 2; first++) {
          assertThat(table.findFrom(name, 5, 12, first))
              .as("%d of %d from %d", number, size, first)
              .isEqualTo(expected);
        }
      }
    }
  }

  @Test
  void a_name_with_a_line_feed_is_no_name_whatever_it_runs_over() throws Exception {
    PackedRefsTable table =
        parse(A + " refs/a\n" + A + " refs/a/b\n^" + B + "\n" + A + " refs/c\n", 3);
    assertThat(table.find("refs/a\n" + A + " refs/a/b")).isNegative();
    assertThat(table.find("refs/a/b\n^" + B)).isNegative();
    assertThat(table.find("refs/c\n")).isNegative();
  }

  @Test
  void refuses_another_header() {
    byte[] bytes = ("# pack-refs with: peeled \n" + A + " refs/a\n").getBytes(UTF_8);
    assertThatThrownBy(() -> TestTables.parsed(KEY, bytes, 1))
        .isInstanceOf(StoreException.Corrupt.class)
        .hasMessageContaining("does not begin with");
  }
}
