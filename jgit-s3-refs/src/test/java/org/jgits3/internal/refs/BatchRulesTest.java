// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.jgits3.internal.refs.table.TestTables.direct;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.eclipse.jgit.transport.ReceiveCommand.Result;
import org.jgits3.internal.refs.snapshot.NewSnapshot;
import org.jgits3.internal.refs.snapshot.ReadSet;
import org.jgits3.internal.refs.snapshot.RefEdits;
import org.jgits3.internal.refs.snapshot.RefView;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefDelta;
import org.jgits3.internal.refs.table.RefOrder;
import org.jgits3.internal.refs.table.RefTable;
import org.jgits3.internal.refs.table.TestTables;
import org.jgits3.internal.refs.transaction.BulkUpdate;
import org.jgits3.manifest.RefValue;
import org.jgits3.manifest.Refs;
import org.jgits3.testing.Holds;
import org.jgits3.testing.Seeds;

/** Decisions on batches, compared with those of a model that is made of plain maps. */
class BatchRulesTest {
  private static final ObjectId ZERO = ObjectId.zeroId();
  private static final ObjectId A = ObjectId.fromString("a".repeat(40));
  private static final ObjectId B = ObjectId.fromString("b".repeat(40));
  private static final ObjectId C = ObjectId.fromString("c".repeat(40));
  private static final List<ObjectId> IDS = List.of(A, B, C);

  /** Few names, so that most are in each other's way; the last two cannot be stored. */
  private static final List<String> NAMES =
      List.of(
          "HEAD",
          "refs/a",
          "refs/a-",
          "refs/a.b",
          "refs/a/b",
          "refs/a/b-",
          "refs/a/b/c",
          "refs/a/b/d",
          "refs/a0",
          "refs/ab",
          "refs/b",
          "refs/b/c",
          "refs/b/c/d",
          "refs/b/d",
          "refs/\u00e9",
          "refs/\u00e9/\uFF5E",
          "refs/\u00e9/\uD83D\uDE00",
          "refs/a b",
          "refs/half-\uD83D");

  /** Names of which symbolic refs are made. */
  private static final List<String> LINKS = List.of("HEAD", "refs/b/c", "refs/l", "refs/l/m");

  /** Refs by name: an {@link ObjectId}, or the name that a symbolic ref leads to. */
  private record Model(TreeMap<String, Object> refs) {
    Model copy() {
      return new Model(new TreeMap<>(refs));
    }

    String leaf(String name) {
      String at = name;
      for (int depth = 0; depth <= 5; depth++) {
        if (!(refs.get(at) instanceof String target)) {
          return at;
        }
        at = target;
      }
      return name;
    }

    boolean below(String name) {
      return refs.keySet().stream().anyMatch(other -> name.startsWith(other + "/"));
    }

    boolean conflicting(String name) {
      boolean above = refs.keySet().stream().anyMatch(other -> other.startsWith(name + "/"));
      return above || below(name) || !storable(name);
    }

    boolean beyondBounds(ReceiveCommand c) {
      return !deletes(c) && !storable(target(c));
    }

    static boolean storable(String name) {
      return !name.contains(" ") && !name.endsWith("\uD83D");
    }

    static boolean aboutLinks(ReceiveCommand c) {
      return c.getOldSymref() != null || c.getNewSymref() != null;
    }

    String target(ReceiveCommand c) {
      return aboutLinks(c) ? c.getRefName() : leaf(c.getRefName());
    }

    boolean matches(ReceiveCommand c) {
      Object is = refs.get(target(c));
      if (c.getOldSymref() != null || is instanceof String) {
        return is instanceof String && is.equals(c.getOldSymref());
      }
      return ZERO.equals(c.getOldId()) ? is == null : c.getOldId().equals(is);
    }

    void change(String name, ReceiveCommand c) {
      if (c.getNewSymref() != null) {
        refs.put(name, c.getNewSymref());
      } else if (ZERO.equals(c.getNewId())) {
        refs.remove(name);
      } else {
        refs.put(name, c.getNewId());
      }
    }
  }

  private static boolean deletes(ReceiveCommand c) {
    return c.getType() == ReceiveCommand.Type.DELETE;
  }

  private static List<Result> oneByOne(Model model, BatchRules rules) {
    Result[] results = new Result[rules.commands().size()];
    for (boolean deletions : new boolean[] {true, false}) {
      for (int i = 0; i < results.length; i++) {
        ReceiveCommand c = rules.commands().get(i);
        if (deletes(c) == deletions) {
          results[i] = one(model, rules, c);
        }
      }
    }
    return List.of(results);
  }

  private static Result one(Model model, BatchRules rules, ReceiveCommand c) {
    String name = model.target(c);
    if (rules.objects().missing().contains(c)) {
      return Result.REJECTED_MISSING_OBJECT;
    }
    if (model.beyondBounds(c)) {
      return Result.REJECTED_NOCREATE;
    }
    boolean inTheWay = !model.refs().containsKey(name) && model.conflicting(name);
    if ((inTheWay && !deletes(c)) || !model.matches(c)) {
      return Result.LOCK_FAILURE;
    }
    if (rules.objects().rewinds().contains(c)) {
      return Result.REJECTED_NONFASTFORWARD;
    }
    if (Model.aboutLinks(c) || !c.getOldId().equals(c.getNewId())) {
      model.change(name, c);
    }
    return Result.OK;
  }

  /** Changes the model if all commands can be done. */
  private static List<Result> all(Model model, BatchRules rules) {
    List<ReceiveCommand> commands = rules.commands();
    Model after = model.copy();
    commands.stream().filter(c -> deletes(c)).forEach(c -> after.change(c.getRefName(), c));
    commands.stream().filter(c -> !deletes(c)).forEach(c -> after.change(model.target(c), c));
    List<ReceiveCommand> byName = new ArrayList<>(commands);
    byName.sort((a, b) -> a.getRefName().compareTo(b.getRefName()));
    Set<String> targets = new HashSet<>();
    for (int check = 0; check < 6; check++) {
      for (ReceiveCommand c : check == 5 ? byName : commands) {
        boolean guilty =
            switch (check) {
              case 0 -> model.beyondBounds(c);
              case 1 ->
                  deletes(c)
                      ? after.below(c.getRefName())
                      : after.conflicting(c.getRefName()) || after.conflicting(model.target(c));
              case 2 -> rules.objects().missing().contains(c);
              case 3 -> rules.objects().rewinds().contains(c);
              case 4 -> !targets.add(model.target(c));
              default -> !model.matches(c);
            };
        if (guilty) {
          Result[] results = new Result[commands.size()];
          Arrays.fill(results, Result.NOT_ATTEMPTED);
          results[commands.indexOf(c)] =
              List.of(
                      Result.REJECTED_NOCREATE,
                      Result.LOCK_FAILURE,
                      Result.REJECTED_MISSING_OBJECT,
                      Result.REJECTED_NONFASTFORWARD,
                      Result.LOCK_FAILURE,
                      Result.LOCK_FAILURE)
                  .get(check);
          return List.of(results);
        }
      }
    }
    model.refs().clear();
    model.refs().putAll(after.refs());
    return Collections.nCopies(commands.size(), Result.OK);
  }

  /** Refs of a model, some of them in the snapshot and some in the overlay. */
  private static RefView view(Model model, Random random) throws IOException {
    Map<String, RefValue> packed = new TreeMap<>();
    TreeMap<String, RefValue> overlay = new TreeMap<>();
    TreeMap<String, String> links = new TreeMap<>();
    boolean hides = random.nextBoolean();
    for (String name : NAMES) {
      Object is = model.refs().get(name);
      boolean holds = PackedRefsTable.holds(name) && Model.storable(name);
      if (is instanceof ObjectId id) {
        RefValue value = direct(id);
        (holds && random.nextBoolean() ? packed : overlay).put(name, value);
        if (overlay.containsKey(name) && holds && random.nextBoolean()) {
          packed.put(name, direct(pick(random, IDS)));
        }
      } else if (is == null && hides && holds && random.nextInt(4) == 0) {
        packed.put(name, direct(pick(random, IDS)));
        overlay.put(name, RefValue.DELETED);
      }
    }
    model
        .refs()
        .forEach(
            (name, is) -> {
              if (is instanceof String target) {
                links.put(name, target);
              }
            });
    return view(packed, overlay, links);
  }

  private static RefView view(
      Map<String, RefValue> packed, Map<String, RefValue> overlay, Map<String, String> links)
      throws IOException {
    RefTable table = new RefTable(TestTables.of(packed));
    return new RefView(new Refs(List.of(), new TreeMap<>(overlay), new TreeMap<>(links)), table);
  }

  private static <T> T pick(Random random, List<T> from) {
    return from.get(random.nextInt(from.size()));
  }

  private static Model randomRefs(Random random) {
    Model model = new Model(new TreeMap<>());
    for (int i = random.nextInt(6); i > 0; i--) {
      String name = pick(random, NAMES);
      if (!model.conflicting(name)) {
        model.refs().put(name, pick(random, IDS));
      }
    }
    for (int i = random.nextInt(3); i > 0; i--) {
      String name = pick(random, LINKS);
      if (!model.conflicting(name)) {
        model.refs().put(name, pick(random, random.nextBoolean() ? NAMES : LINKS));
      }
    }
    return model;
  }

  private static ReceiveCommand randomCommand(Random random, Model model) {
    String name = pick(random, random.nextInt(6) == 0 ? LINKS : NAMES);
    Object is = model.refs().get(name);
    Object leads = model.refs().get(model.leaf(name));
    ObjectId old = leads instanceof ObjectId id ? id : ZERO;
    if (random.nextInt(5) == 0) {
      old = pick(random, List.of(ZERO, A, B));
    }
    ObjectId id = random.nextInt(4) == 0 ? ZERO : pick(random, IDS);
    String from = is instanceof String target ? target : pick(random, NAMES);
    return switch (random.nextInt(12)) {
      case 0 -> ReceiveCommand.link(old, pick(random, NAMES), name);
      case 1 -> ReceiveCommand.unlink(from, id, name);
      case 2 -> ReceiveCommand.link(from, pick(random, LINKS), name);
      default -> new ReceiveCommand(old, id, name);
    };
  }

  private static BatchRules randomBatch(Random random, Model model) {
    List<ReceiveCommand> commands = new ArrayList<>();
    for (int i = 1 + random.nextInt(6); i > 0; i--) {
      commands.add(randomCommand(random, model));
    }
    if (random.nextInt(3) == 0) {
      commands.sort((a, b) -> a.getRefName().compareTo(b.getRefName()));
    }
    Set<ReceiveCommand> missing = new HashSet<>();
    Set<ReceiveCommand> rewinds = new HashSet<>();
    for (ReceiveCommand c : commands) {
      int chance = random.nextInt(20);
      if (chance < 2) {
        (chance == 0 ? missing : rewinds).add(c);
      }
    }
    Map<ObjectId, Optional<ObjectId>> peeled = new HashMap<>();
    peeled.put(C, Optional.of(A));
    return new BatchRules(commands, new BatchRules.Objects(peeled, Set.of(), missing, rewinds));
  }

  private static Map<String, Object> refsOf(RefView view) {
    TreeMap<String, Object> refs = new TreeMap<>(view.refs().symrefs());
    Set<String> names = new HashSet<>(NAMES);
    names.addAll(LINKS);
    for (String name : names) {
      if (Model.storable(name)) {
        view.direct(name)
            .ifPresent(value -> assertThat(refs.put(name, value.id())).as(name).isNull());
      }
    }
    return refs;
  }

  @Seeds(4)
  void commands_are_decided_and_done_as_by_the_model(long seed) throws Exception {
    Random random = new Random(seed);
    Map<Result, Integer> seen = new TreeMap<>();
    int done = 0;
    for (int i = 0; i < 5000; i++) {
      Model model = randomRefs(random);
      TreeMap<String, Object> before = new TreeMap<>(model.refs());
      RefView view = view(model, random);
      BatchRules rules = randomBatch(random, model);
      boolean atomic = random.nextBoolean();
      RefEdits edits = new RefEdits(view);

      List<Result> results = List.of(atomic ? rules.applyAll(edits) : rules.applyOneByOne(edits));

      List<Result> expected = atomic ? all(model, rules) : oneByOne(model, rules);
      String what = "%d: %s%n%s%natomic: %s".formatted(i, before, rules.commands(), atomic);
      assertThat(results).as(what).isEqualTo(expected);
      RefView after = new RefView(edits.apply(), view.table());
      assertThat(refsOf(after)).as(what).isEqualTo(model.refs());
      assertThat(edits.isEmpty() || !results.stream().noneMatch(Result.OK::equals)).isTrue();
      assertChanges(edits.changes(), view, after, what);
      results.forEach(r -> seen.merge(r, 1, Integer::sum));
      done += atomic && results.get(0) == Result.OK ? 1 : 0;
    }
    assertThat(seen)
        .containsOnlyKeys(
            Result.NOT_ATTEMPTED,
            Result.OK,
            Result.LOCK_FAILURE,
            Result.REJECTED_MISSING_OBJECT,
            Result.REJECTED_NONFASTFORWARD,
            Result.REJECTED_NOCREATE);
    assertThat(done).as("atomic batches that were done").isGreaterThan(250);
  }

  /** Asserts that the changes are the refs of a table that differ now, in the order of names. */
  private static void assertChanges(RefDelta changes, RefView before, RefView now, String what) {
    List<String> changed = new ArrayList<>();
    changes.forEach(
        (name, value) -> {
          changed.add(name);
          assertThat(value)
              .as(what)
              .isEqualTo(now.direct(name).map(RefValue.class::cast).orElse(RefValue.DELETED));
          assertThat(changes.get(name)).as(what).contains(value);
        });
    assertThat(changed)
        .as(what)
        .isSortedAccordingTo(RefOrder.INSTANCE)
        .allMatch(PackedRefsTable::holds)
        .containsAll(
            NAMES.stream()
                .filter(name -> PackedRefsTable.holds(name) && Model.storable(name))
                .filter(name -> !before.direct(name).equals(now.direct(name)))
                .toList());
  }

  /** Refs of a view, some of which others have changed. */
  private static RefView changedByOthers(RefView view, Model model, Random random) {
    TreeMap<String, RefValue> overlay = new TreeMap<>(view.refs().overlay());
    for (int i = 1 + random.nextInt(2); i > 0; i--) {
      String name = pick(random, NAMES);
      if (model.refs().get(name) instanceof String || !Model.storable(name)) {
        continue;
      }
      if (model.refs().containsKey(name) && random.nextBoolean()) {
        model.refs().remove(name);
        overlay.put(name, RefValue.DELETED);
      } else if (model.refs().containsKey(name) || !model.conflicting(name)) {
        ObjectId id = pick(random, IDS);
        model.refs().put(name, id);
        overlay.put(name, direct(id));
      }
    }
    return new RefView(new Refs(List.of(), overlay, view.refs().symrefs()), view.table());
  }

  @Seeds(4)
  void a_change_elsewhere_of_refs_that_were_not_read_leaves_the_decision(long seed)
      throws Exception {
    Random random = new Random(seed);
    int kept = 0;
    int refused = 0;
    for (int i = 0; i < 5000; i++) {
      Model model = randomRefs(random);
      RefView view = view(model, random);
      BatchRules rules = randomBatch(random, model);
      boolean atomic = random.nextBoolean();
      ReadSet readSet = new ReadSet();
      RefEdits edits = new RefEdits(view, readSet);
      List<Result> results = List.of(atomic ? rules.applyAll(edits) : rules.applyOneByOne(edits));
      RefView now = changedByOthers(view, model, random);
      Set<String> changed = NewSnapshot.differing(view.refs(), now.refs());
      if (edits.isEmpty()
          || changed.isEmpty()
          || changed.stream()
              .anyMatch(name -> readSet.concerns(name, view.direct(name), now.direct(name)))) {
        continue; // decided again
      }
      RefEdits again = new RefEdits(now);
      String what = "%d: %s, others %s".formatted(i, rules.commands(), changed);
      assertThat(atomic ? rules.applyAll(again) : rules.applyOneByOne(again))
          .as(what)
          .isEqualTo(results.toArray());
      assertThat(valuesOf(again)).as(what).isEqualTo(valuesOf(edits));
      kept++;
      refused += results.contains(Result.LOCK_FAILURE) ? 1 : 0;
    }
    assertThat(kept).isGreaterThan(500);
    assertThat(refused).as("kept though a command was refused").isPositive();
  }

  private static Map<String, RefValue> valuesOf(RefEdits edits) {
    Map<String, RefValue> values = new TreeMap<>();
    edits.changes().forEach(values::put);
    return values;
  }

  /** Tests whether each command creates a ref of a name of its own, of which no ref is symbolic. */
  private static boolean creates(List<ReceiveCommand> commands, Model model) {
    Set<String> names = new HashSet<>();
    return commands.stream()
        .allMatch(
            c ->
                c.getType() == ReceiveCommand.Type.CREATE
                    && !Model.aboutLinks(c)
                    && c.getRefName().startsWith("refs/")
                    && names.add(c.getRefName())
                    && !(model.refs().get(c.getRefName()) instanceof String));
  }

  @Holds(
      "BulkUpdate: A batch accepts no command that a check of each would refuse, and an atomic "
          + "one no two for one ref")
  @Seeds(4)
  void one_pass_says_yes_only_to_batches_that_the_model_does_completely(long seed)
      throws IOException {
    Random random = new Random(seed);
    int yes = 0;
    int no = 0;
    for (int i = 0; i < 20_000; i++) {
      Model model = randomRefs(random);
      RefView view = view(model, random);
      BatchRules rules = randomBatch(random, model);
      boolean atomic = random.nextBoolean();
      boolean creates = creates(rules.commands(), model);
      Optional<RefDelta> told = rules.checkAtOnce(view, !atomic).map(BulkUpdate.Checked::changes);
      List<Result> expected = atomic ? all(model, rules) : oneByOne(model, rules);
      String what = "%d: %s, atomic: %s".formatted(i, rules.commands(), atomic);
      if (told.isPresent()) {
        assertThat(expected).as(what).containsOnly(Result.OK);
        List<String> names = new ArrayList<>();
        told.get()
            .forEach(
                (name, value) -> {
                  names.add(name);
                  assertThat(value instanceof RefValue.Direct d ? d.id() : null)
                      .as(what)
                      .isEqualTo(model.refs().get(name));
                });
        assertThat(names)
            .as(what)
            .isSortedAccordingTo(RefOrder.INSTANCE)
            .containsExactlyInAnyOrderElementsOf(
                rules.commands().stream().map(ReceiveCommand::getRefName).toList());
        yes++;
      } else if (new HashSet<>(expected).equals(Set.of(Result.OK))) {
        assertThat(creates).as(what).isFalse();
        no++;
      }
    }
    assertThat(yes).as("done in one pass").isGreaterThan(1000);
    assertThat(no).as("done command by command").isPositive();
  }
}
