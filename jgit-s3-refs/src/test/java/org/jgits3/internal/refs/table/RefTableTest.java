// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.jgits3.internal.refs.table.TestTables.direct;
import static org.jgits3.internal.refs.table.TestTables.written;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.manifest.RefValue;
import org.jgits3.testing.Seeds;
import org.junit.jupiter.api.Test;

/** Tests that base and recent table together are like one table of all refs. */
class RefTableTest {
  private static final String[] WORDS = {
    "a", "a-", "a/", "a/b", "ab", "b", "\u00e9", "\uFFFD", "\uD83D\uDE00", "z"
  };

  private final Map<String, RefValue> all = new TreeMap<>(RefOrder.INSTANCE);
  private Random random;

  private String name() {
    return "refs/" + WORDS[random.nextInt(WORDS.length)] + WORDS[random.nextInt(WORDS.length)];
  }

  private ObjectId id() {
    return ObjectId.fromString("0".repeat(39) + (1 + random.nextInt(9)));
  }

  private RefDelta changes(int most, int deletions) {
    Map<String, RefValue> changes = new TreeMap<>();
    for (int i = random.nextInt(most); i > 0; i--) {
      boolean tag = random.nextBoolean();
      changes.put(
          name(),
          random.nextInt(10) < deletions
              ? RefValue.DELETED
              : new RefValue.Direct(id(), tag ? Optional.of(id()) : Optional.empty()));
    }
    all.putAll(changes);
    all.values().removeIf(RefValue.DELETED::equals);
    return RefDelta.of(changes);
  }

  /** Refs of a base, changed by some folds into a recent table. */
  private RefTable levels(long seed) throws IOException {
    random = new Random(seed);
    all.clear();
    RefTable table = after(RefFold.intoBase(RefTable.EMPTY, changes(80, 0)));
    for (int i = random.nextInt(4); i > 0; i--) {
      table = after(RefFold.intoRecent(table, changes(30, 5)));
    }
    return table;
  }

  private PackedRefsTable one() throws IOException {
    return TestTables.of(all);
  }

  private static List<String> lines(RefTable table, int from, int to) throws IOException {
    List<String> lines = new ArrayList<>();
    Iterator<RefTable.Slice> slices = table.slices(from, to);
    while (slices.hasNext()) {
      slices.next().forEach(into(lines));
    }
    return lines;
  }

  private static RefLineSink into(List<String> lines) {
    return (bytes, start, end, peeled) ->
        lines.add(
            new String(bytes, start, end - start, UTF_8)
                + (peeled < 0 ? "" : " " + new String(bytes, peeled, 40, UTF_8)));
  }

  @Seeds(40)
  void looks_up_and_lists_as_one_table_of_all_refs(long seed) throws IOException {
    assertIsAsOneOfAll(levels(seed));
  }

  private void assertIsAsOneOfAll(RefTable table) throws IOException {
    PackedRefsTable one = one();
    assertThat(table.size()).isEqualTo(one.size());
    for (int i = 0; i < one.size(); i++) {
      assertThat(table.name(i)).isEqualTo(one.name(i));
      assertThat(table.value(one.name(i))).contains(one.value(i));
      assertThat(table.ref(i, "x").getObjectId()).isEqualTo(one.ref(i, "x").getObjectId());
    }
    for (int i = 0; i < 100; i++) {
      String name = name();
      byte[] bytes = name.getBytes(UTF_8);
      assertThat(table.find(name)).as(name).isEqualTo(one.find(name));
      assertThat(table.ceiling(bytes)).as(name).isEqualTo(one.ceiling(bytes));
      assertThat(table.range(name)).as(name).isEqualTo(one.range(name));
      assertThat(table.range(name + '\n').size()).isZero();
      if (one.size() > 0) {
        int at = random.nextInt(one.size());
        assertThat(table.startsWith(at, bytes)).isEqualTo(one.startsWith(at, bytes));
      }
      int from = random.nextInt(one.size() + 1);
      int to = from + random.nextInt(one.size() + 1 - from);
      List<String> expected = new ArrayList<>();
      one.forEach(from, to, into(expected));
      assertThat(lines(table, from, to)).isEqualTo(expected);
      ObjectId id = id();
      TreeSet<Integer> tips = new TreeSet<>();
      TreeSet<Integer> expectedTips = new TreeSet<>();
      assertThat(table.anyTip(id, number -> noted(tips, number))).isFalse();
      assertThat(one.anyTip(id, number -> noted(expectedTips, number))).isFalse();
      assertThat(tips).as(id.name()).isEqualTo(expectedTips);
    }
  }

  @Seeds(40)
  void any_number_of_tables_is_as_one_table_of_all_refs(long seed) throws IOException {
    random = new Random(seed);
    all.clear();
    List<PackedRefsTable> tables = new ArrayList<>();
    tables.add(new SnapshotMerge(PackedRefsTable.EMPTY, changes(80, 0)).build());
    for (int i = random.nextInt(6); i > 0; i--) {
      SnapshotMerge next = new SnapshotMerge(PackedRefsTable.EMPTY, changes(20, 5).marked());
      tables.add(TestTables.parsed("key", written(next), next.count()));
    }
    RefTable table = RefTable.of(tables);
    assertIsAsOneOfAll(table);
    for (int i = 0; i < tables.size(); i++) {
      assertThat(table.level(i)).isSameAs(tables.get(i));
    }
    assertThat(table.isOf(tables)).isTrue();
    tables.add(PackedRefsTable.EMPTY);
    assertThat(table.isOf(tables)).isFalse();
  }

  /** Notes a ref, and lets the search go on. */
  private static boolean noted(Set<Integer> numbers, int number) {
    numbers.add(number);
    return false;
  }

  /** So a process that has seen the changes in other steps can prove what it derives. */
  @Seeds(20)
  void a_base_has_the_bytes_of_all_refs_however_they_were_folded(long seed) throws IOException {
    RefTable table = levels(seed);
    RefFold fold = RefFold.intoBase(table, changes(30, 5));
    assertThat(written(fold.merge())).isEqualTo(written(one()));
    for (int i = 0; i < 50; i++) {
      String name = name();
      assertThat(fold.value(name).map(RefValue.class::cast))
          .isEqualTo(Optional.ofNullable(all.get(name)));
    }
  }

  /** Refs in a base, and changes in a recent table that was written and read back. */
  private RefTable levels(Map<String, RefValue> base, Map<String, RefValue> changes)
      throws IOException {
    random = new Random(1);
    all.clear();
    all.putAll(base);
    RefTable below = new RefTable(TestTables.of(base));
    SnapshotMerge recent = RefFold.intoRecent(below, RefDelta.of(changes)).merge();
    all.putAll(changes);
    all.values().removeIf(RefValue.DELETED::equals);
    return RefTable.of(
        List.of(below.level(0), TestTables.parsed("key", written(recent), recent.count())));
  }

  private Map<String, RefValue> everyName() {
    random = new Random(2);
    Map<String, RefValue> refs = new TreeMap<>();
    for (String first : WORDS) {
      for (String second : WORDS) {
        refs.put("refs/" + first + second, new RefValue.Direct(id(), Optional.of(id())));
      }
    }
    return refs;
  }

  private static Map<String, RefValue> deletionOf(Collection<String> names) {
    Map<String, RefValue> deletions = new TreeMap<>();
    names.forEach(name -> deletions.put(name, RefValue.DELETED));
    return deletions;
  }

  @Test
  void an_empty_recent_table_leaves_the_base_as_it_is() throws IOException {
    assertIsAsOneOfAll(levels(everyName(), Map.of()));
    assertIsAsOneOfAll(levels(Map.of(), Map.of()));
    RefFold nothing = RefFold.of(levels(everyName(), Map.of()), none());
    assertThat(nothing.isEmpty()).isTrue();
    RefTable many = after(RefTable.EMPTY, many(RefFold.FEW));
    assertThat(RefFold.of(many, none()).isBase()).as("none is made").isTrue();
    assertThat(RefFold.of(many, many(1)).isBase()).isFalse();
  }

  @Test
  void a_recent_table_may_have_one_entry_of_any_kind_at_any_place() throws IOException {
    Map<String, RefValue> names = everyName();
    for (String name : names.keySet()) {
      RefValue value = direct(id());
      assertIsAsOneOfAll(levels(names, Map.of(name, value)));
      assertIsAsOneOfAll(levels(names, deletionOf(List.of(name))));
      Map<String, RefValue> others = everyName();
      others.remove(name);
      assertIsAsOneOfAll(levels(others, Map.of(name, value)));
      assertIsAsOneOfAll(levels(others, deletionOf(List.of(name))));
    }
  }

  @Test
  void a_recent_table_of_deletions_alone_can_leave_no_ref() throws IOException {
    Map<String, RefValue> names = everyName();
    RefTable none = levels(names, deletionOf(names.keySet()));
    assertThat(none.size()).isZero();
    assertIsAsOneOfAll(none);
    RefFold base = RefFold.intoBase(none, none());
    assertThat(base.isEmpty()).as("all of them are still in the base").isFalse();
    assertThat(base.merge().count()).isZero();
    assertThat(written(base.merge())).isEqualTo(written(new SnapshotMerge(one(), none())));
    assertIsAsOneOfAll(levels(Map.of(), deletionOf(names.keySet())));
  }

  private static RefDelta none() {
    return RefDelta.of(Map.of());
  }

  /** As one that a process with a larger threshold has written. */
  @Test
  void a_recent_table_beyond_its_share_is_read_and_ends_with_the_next_fold() throws IOException {
    RefTable base = after(RefTable.EMPTY, many(RefFold.FEW));
    RefTable table = after(RefFold.intoRecent(base, many(20_000)));
    assertThat(table.level(1).size()).isEqualTo(20_000);
    assertThat(lines(table, 0, table.size())).isEqualTo(lines(base, 0, base.size()));
    RefFold next = RefFold.of(table, many(1));
    assertThat(next.isBase()).isTrue();
    assertThat(next.merge().count()).isEqualTo(RefFold.FEW);
  }

  private static RefDelta many(int count) {
    Map<String, RefValue> refs = new TreeMap<>();
    for (int i = 0; i < count; i++) {
      refs.put("refs/heads/" + (100_000 + i), direct(ObjectId.fromString("1".repeat(40))));
    }
    return RefDelta.of(refs);
  }

  private static RefTable after(RefTable table, RefDelta changes) throws IOException {
    return after(RefFold.of(table, changes));
  }

  private static RefTable after(RefFold fold) throws IOException {
    return fold.with(fold.merge().build());
  }

  @Test
  void few_refs_have_no_recent_table() throws IOException {
    RefTable table = after(RefTable.EMPTY, many(RefFold.FEW - 1));
    assertThat(RefFold.of(table, many(1)).isBase()).isTrue();
    assertThat(RefFold.of(RefTable.EMPTY, many(1)).isBase()).isTrue();
  }

  @Test
  void a_recent_table_grows_to_the_root_of_its_share() throws IOException {
    RefTable table = after(RefTable.EMPTY, many(RefFold.FEW));
    assertThat(RefFold.of(table, many(8000)).isBase())
        .as("8000 = sqrt(2 * 1000 * 32000)")
        .isFalse();
    assertThat(RefFold.of(table, many(8001)).isBase()).isTrue();
    table = after(table, many(4000));
    assertThat(table.level(1).size()).isEqualTo(4000);
    assertThat(RefFold.of(table, many(4001)).isBase()).isTrue();
    assertThat(after(table, many(4001)).level(1).size()).isZero();
  }
}
