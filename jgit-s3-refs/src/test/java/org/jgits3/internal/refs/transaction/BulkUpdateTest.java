// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.internal.refs.snapshot.RefView;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefDelta;
import org.jgits3.internal.refs.table.RefTable;
import org.jgits3.internal.refs.table.SnapshotMerge;
import org.jgits3.manifest.RefValue;
import org.jgits3.manifest.Refs;
import org.jgits3.testing.Holds;
import org.jgits3.testing.Seeds;
import org.junit.jupiter.api.Test;

@Holds("BulkUpdate: The pass over a batch accepts no command that a check of each would refuse")
class BulkUpdateTest {
  private static final ObjectId ZERO = ObjectId.zeroId();
  private static final ObjectId A = ObjectId.fromString("a".repeat(40));
  private static final ObjectId B = ObjectId.fromString("b".repeat(40));

  private static ReceiveCommand create(String name) {
    return new ReceiveCommand(ZERO, A, name);
  }

  private static Optional<RefDelta> check(RefView view, ReceiveCommand... commands) {
    return new BulkUpdate(view)
        .check(Arrays.asList(commands), id -> Optional.empty())
        .map(BulkUpdate.Checked::changes);
  }

  private static RefView view(String... names) throws IOException {
    return view(Map.of(), names);
  }

  private static RefView view(Map<String, String> symrefs, String... names) throws IOException {
    Map<String, RefValue> packed = new TreeMap<>();
    for (String name : names) {
      packed.put(name, new RefValue.Direct(A, Optional.empty()));
    }
    RefTable table =
        new RefTable(new SnapshotMerge(PackedRefsTable.EMPTY, RefDelta.of(packed)).build());
    return new RefView(new Refs(List.of(), new TreeMap<>(), new TreeMap<>(symrefs)), table);
  }

  @Test
  void what_can_be_done_is_told_in_order() throws IOException {
    Optional<RefDelta> changes =
        check(
            view("refs/heads/a", "refs/heads/b"),
            create("refs/tags/v"),
            new ReceiveCommand(A, ZERO, "refs/heads/b"),
            new ReceiveCommand(A, B, "refs/heads/a"));

    List<String> told = new ArrayList<>();
    changes.orElseThrow().forEach((name, value) -> told.add(name));
    assertThat(told).containsExactly("refs/heads/a", "refs/heads/b", "refs/tags/v");
    assertThat(changes.get().get("refs/heads/b")).contains(RefValue.DELETED);
  }

  @Test
  void a_name_below_an_existing_one_is_not_for_it() throws IOException {
    assertThat(check(view("refs/heads/a"), create("refs/heads/a/b"))).isEmpty();
    assertThat(check(view("refs/heads/a"), create("refs/heads/a-"), create("refs/heads/a/b/c")))
        .isEmpty();
    assertThat(check(view("refs/heads/a/b"), create("refs/heads/a"))).isEmpty();
  }

  @Test
  void a_name_below_another_of_the_batch_is_not_for_it() throws IOException {
    assertThat(
            check(
                view(),
                create("refs/a"),
                create("refs/a-"),
                create("refs/a.c"),
                create("refs/a/b")))
        .isEmpty();
  }

  @Test
  void a_name_below_a_symbolic_ref_is_not_for_it() throws IOException {
    RefView view = view(Map.of("refs/heads/link", "refs/heads/x"));

    assertThat(check(view, create("refs/heads/link/a"))).isEmpty();
    assertThat(check(view, create("refs/heads/link"))).isEmpty();
    assertThat(check(view, create("refs/heads"))).isEmpty();
  }

  @Test
  void a_wrong_old_value_or_a_double_name_is_not_for_it() throws IOException {
    RefView view = view("refs/heads/a");

    assertThat(check(view, new ReceiveCommand(B, A, "refs/heads/a"))).isEmpty();
    assertThat(check(view, create("refs/heads/a"))).isEmpty();
    assertThat(check(view, new ReceiveCommand(A, B, "refs/heads/x"))).isEmpty();
    assertThat(check(view, create("refs/heads/x"), create("refs/heads/x"))).isEmpty();
    assertThat(check(view, create("refs/heads/a b"))).isEmpty();
    assertThat(check(view, create("refs/heads/half-\uD83D"))).isEmpty();
  }

  /** Random batches on few names, so that most are in each other's way. */
  @Seeds(4)
  void it_says_yes_to_exactly_the_batches_that_leave_no_conflict(long seed) throws IOException {
    Random random = new Random(seed);
    String[] pool = {
      "refs/a",
      "refs/a-",
      "refs/a.b",
      "refs/a/b",
      "refs/a/b/c",
      "refs/a0",
      "refs/ab",
      "refs/b/c",
      "refs/b",
      "refs/b/c/d",
      "refs/b/d"
    };
    int yes = 0;
    for (int i = 0; i < 2000; i++) {
      List<String> existing = free(random, pool, 1 + random.nextInt(3));
      List<String> shuffled = new ArrayList<>(List.of(pool));
      shuffled.removeAll(existing);
      Collections.shuffle(shuffled, random);
      List<String> created = shuffled.subList(0, 1 + random.nextInt(4));

      boolean told =
          check(
                  view(existing.toArray(new String[0])),
                  created.stream().map(BulkUpdateTest::create).toArray(ReceiveCommand[]::new))
              .isPresent();

      List<String> after = new ArrayList<>(existing);
      after.addAll(created);
      assertThat(told).as("%s then %s", existing, created).isEqualTo(conflictFree(after));
      yes += told ? 1 : 0;
    }
    assertThat(yes).isPositive();
  }

  private static List<String> free(Random random, String[] pool, int most) {
    TreeSet<String> names = new TreeSet<>();
    for (int i = 0; i < most; i++) {
      names.add(pool[random.nextInt(pool.length)]);
      if (!conflictFree(names)) {
        names.clear();
      }
    }
    return new ArrayList<>(names);
  }

  private static boolean conflictFree(Iterable<String> names) {
    for (String a : names) {
      for (String b : names) {
        if (b.startsWith(a + "/")) {
          return false;
        }
      }
    }
    return true;
  }
}
