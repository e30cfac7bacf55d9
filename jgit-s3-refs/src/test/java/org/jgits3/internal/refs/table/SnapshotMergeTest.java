// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.jgits3.internal.refs.table.TestTables.assertSame;
import static org.jgits3.internal.refs.table.TestTables.direct;
import static org.jgits3.internal.refs.table.TestTables.written;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.manifest.RefValue;
import org.jgits3.testing.Seeds;
import org.junit.jupiter.api.Test;

class SnapshotMergeTest {
  private static final ObjectId A = ObjectId.fromString("a".repeat(40));
  private static final ObjectId B = ObjectId.fromString("b".repeat(40));

  @Test
  void writes_what_c_git_writes() throws IOException {
    SnapshotMerge merge =
        merge(
            PackedRefsTable.EMPTY,
            Map.of(
                "refs/tags/v1", new RefValue.Direct(A, Optional.of(B)), "refs/heads/ä", direct(B)));

    assertThat(new String(written(merge), UTF_8))
        .isEqualTo(
            """
            # pack-refs with: peeled fully-peeled sorted\s
            bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb refs/heads/ä
            aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa refs/tags/v1
            ^bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
            """);
  }

  /**
   * Equal refs have equal bytes in every way to write them: a snapshot can be derived and proven.
   */
  @Seeds(8)
  void folding_step_by_step_gives_the_bytes_of_folding_at_once(long seed) throws IOException {
    Random random = new Random(seed);
    Map<String, RefValue> all = new TreeMap<>(RefOrder.INSTANCE);
    PackedRefsTable table = PackedRefsTable.EMPTY;
    for (int step = 0; step < 30; step++) {
      Map<String, RefValue> changes = random(random);
      all.putAll(changes);
      SnapshotMerge merge = merge(table, changes);
      byte[] bytes = written(merge);

      Map<String, RefValue> existing = new TreeMap<>(all);
      existing.values().removeIf(RefValue.DELETED::equals);
      assertThat(bytes).isEqualTo(written(merge(PackedRefsTable.EMPTY, existing)));
      assertThat(merge.size()).isEqualTo(bytes.length);
      assertThat(merge.count()).isEqualTo(existing.size());

      table = merge.build();
      assertThat(written(merge(table, Map.of()))).isEqualTo(bytes);
      assertSame(table, TestTables.parsed("key", bytes, merge.count()));
    }
  }

  @Test
  void lines_longer_than_a_chunk_are_written_whole() throws IOException {
    String name = "refs/heads/" + "ü".repeat(100_000);

    PackedRefsTable table =
        merge(PackedRefsTable.EMPTY, Map.of("refs/heads/a", direct(A), name, direct(B))).build();

    assertThat(table.name(1)).isEqualTo(name);
    assertThat(table.value(1)).isEqualTo(direct(B));
  }

  @Test
  void changes_know_which_names_they_are_in_the_way_of() {
    RefDelta changes = RefDelta.of(Map.of("refs/a/b", direct(A), "refs/c-", direct(A)));

    assertThat(changes.conflicting("refs/a")).isTrue();
    assertThat(changes.conflicting("refs/a/b/c")).isTrue();
    assertThat(changes.conflicting("refs/a/c")).isFalse();
    assertThat(changes.conflicting("refs/c")).isFalse();
  }

  private static SnapshotMerge merge(PackedRefsTable table, Map<String, RefValue> changes) {
    return new SnapshotMerge(table, RefDelta.of(changes));
  }

  private static Map<String, RefValue> random(Random random) {
    String[] parts = {"a", "b-1", "é", "\uFFFD", "\uD83D\uDE00"};
    Map<String, RefValue> changes = new HashMap<>();
    for (int i = random.nextInt(20); i > 0; i--) {
      String name = "refs/" + parts[random.nextInt(parts.length)] + random.nextInt(20);
      Optional<ObjectId> peeled = random.nextBoolean() ? Optional.of(B) : Optional.empty();
      changes.put(
          name,
          random.nextInt(3) == 0
              ? RefValue.DELETED
              : new RefValue.Direct(random.nextBoolean() ? A : B, peeled));
    }
    return changes;
  }
}
