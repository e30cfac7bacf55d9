// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefDelta;
import org.jgits3.internal.refs.table.RefFold;
import org.jgits3.internal.refs.table.RefTable;
import org.jgits3.internal.refs.table.TestTables;
import org.jgits3.manifest.RefValue;
import org.jgits3.manifest.Refs;
import org.jgits3.testing.Holds;
import org.jgits3.testing.Seeds;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A view of snapshot, overlay and symbolic refs answers as a plain map of all refs would. */
@Holds(
    "ShownRefs, RefTable, TipIndex, RefView: Listings and tips are those of a plain map of all "
        + "refs, with any overlay and recent table")
class RefViewTest {
  private static final String[] NAMES = {
    "a", "a-", "a/", "a/b", "ab", "b", "é", "\uFFFD", "\uD83D\uDE00", "z"
  };

  private Random random;
  private final TreeMap<String, RefValue.Direct> all = new TreeMap<>();
  private final TreeMap<String, String> symrefs = new TreeMap<>();

  @BeforeEach
  void clear() {
    all.clear();
    symrefs.clear();
  }

  private RefView view(long seed) throws IOException {
    random = new Random(seed);
    TreeMap<String, RefValue> snapshot = new TreeMap<>();
    for (int i = random.nextInt(60); i > 0; i--) {
      snapshot.put(name(), value());
    }
    snapshot.forEach((name, value) -> all.put(name, (RefValue.Direct) value));
    SortedMap<String, RefValue> recent = random.nextBoolean() ? changes() : new TreeMap<>();
    SortedMap<String, RefValue> overlay = changes();
    symrefs.put("HEAD", name());
    symrefs.put("refs/symbolic", name());
    PackedRefsTable whole = TestTables.of(snapshot);
    RefFold fold = RefFold.intoRecent(new RefTable(whole), RefDelta.of(recent));
    return new RefView(new Refs(List.of(), overlay, symrefs), fold.with(fold.merge().build()));
  }

  private SortedMap<String, RefValue> changes() {
    TreeMap<String, RefValue> changes = new TreeMap<>();
    for (int i = random.nextInt(20); i > 0; i--) {
      String name = name();
      if (random.nextBoolean()) {
        changes.put(name, RefValue.DELETED);
        all.remove(name);
      } else {
        RefValue.Direct value = value();
        changes.put(name, value);
        all.put(name, value);
      }
    }
    return changes;
  }

  private String name() {
    return "refs/" + NAMES[random.nextInt(NAMES.length)] + NAMES[random.nextInt(NAMES.length)];
  }

  private RefValue.Direct value() {
    return new RefValue.Direct(id(), random.nextBoolean() ? Optional.of(id()) : Optional.empty());
  }

  private ObjectId id() {
    return ObjectId.fromString("0".repeat(39) + (1 + random.nextInt(9)));
  }

  /** Names of all refs, symbolic ones that lead to a ref included, in JGit's order. */
  private Map<String, String> listed() {
    Map<String, String> listed = new TreeMap<>();
    all.forEach((name, value) -> listed.put(name, value.id() + " " + value.peeled()));
    symrefs.forEach(
        (name, target) -> {
          if (all.containsKey(target)) {
            RefValue.Direct value = all.get(target);
            listed.put(name, value.id() + " " + value.peeled());
          }
        });
    return listed;
  }

  private static String describe(Ref ref) {
    return ref.getObjectId() + " " + Optional.ofNullable(ref.getPeeledObjectId());
  }

  @Seeds(10)
  void lists_by_prefix_but_for_what_is_excluded(long seed) throws IOException {
    RefView view = view(seed);
    List<String> prefixes = new ArrayList<>(List.of("", "refs/", "HEAD", "refs/none/"));
    for (String name : NAMES) {
      prefixes.add("refs/" + name);
    }
    for (int i = 0; i < 300; i++) {
      String prefix = prefixes.get(random.nextInt(prefixes.size()));
      Set<String> excludes = new HashSet<>();
      for (int n = random.nextInt(4); n > 0; n--) {
        excludes.add(prefixes.get(random.nextInt(prefixes.size())));
      }
      Map<String, String> expected = listed();
      expected.keySet().removeIf(n -> !n.startsWith(prefix));
      expected.keySet().removeIf(n -> excludes.stream().anyMatch(n::startsWith));

      List<String> actual = new ArrayList<>();
      view.getRefsByPrefixWithExclusions(prefix, excludes)
          .forEach(r -> actual.add(r.getName() + " " + describe(r)));

      assertThat(actual)
          .as("%s without %s", prefix, excludes)
          .containsExactlyElementsOf(
              expected.entrySet().stream().map(e -> e.getKey() + " " + e.getValue()).toList());
    }
  }

  @Seeds(10)
  void finds_the_refs_of_an_object_and_of_tags_of_it(long seed) throws IOException {
    RefView view = view(seed);
    for (int i = 0; i < 11; i++) {
      ObjectId id = ObjectId.fromString(String.format("%040x", i));
      Set<String> expected = new TreeSet<>();
      listed()
          .forEach(
              (name, value) -> {
                if (value.contains(id.name())) {
                  expected.add(name + " " + value);
                }
              });
      Set<String> actual = new TreeSet<>();
      view.getTipsWithSha1(id).forEach(r -> actual.add(r.getName() + " " + describe(r)));
      assertThat(actual).isEqualTo(expected);
    }
  }

  @Seeds(10)
  void finds_each_ref_and_whether_there_is_any(long seed) throws IOException {
    RefView view = view(seed);
    assertThat(view.hasRefs()).isEqualTo(!all.isEmpty());
    for (String a : NAMES) {
      for (String b : NAMES) {
        String name = "refs/" + a + b;
        Ref ref = view.exactRef(name);
        assertThat(ref == null).isEqualTo(!all.containsKey(name));
        if (ref != null) {
          assertThat(describe(ref)).isEqualTo(listed().get(name));
          assertThat(ref.getName()).isEqualTo(name);
          assertThat(ref.isPeeled()).isTrue();
        }
      }
    }
  }

  @Test
  void there_is_no_ref_if_all_of_the_snapshot_are_deleted() throws IOException {
    TreeMap<String, RefValue> refs = new TreeMap<>();
    TreeMap<String, RefValue> deleted = new TreeMap<>();
    random = new Random(1);
    for (String name : NAMES) {
      refs.put("refs/" + name, value());
      deleted.put("refs/" + name, RefValue.DELETED);
    }
    RefTable table = new RefTable(TestTables.of(refs));
    assertThat(new RefView(new Refs(List.of(), deleted, symrefs), table).hasRefs()).isFalse();
    deleted.remove("refs/b");
    assertThat(new RefView(new Refs(List.of(), deleted, symrefs), table).hasRefs()).isTrue();
  }
}
