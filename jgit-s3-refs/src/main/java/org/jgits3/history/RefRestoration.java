// SPDX-License-Identifier: Apache-2.0
package org.jgits3.history;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.revwalk.RevWalk;
import org.jgits3.internal.refs.S3RefDatabase;
import org.jgits3.internal.refs.snapshot.RefEdits;
import org.jgits3.internal.refs.snapshot.RefView;
import org.jgits3.internal.refs.table.RefNames;
import org.jgits3.internal.refs.transaction.RefTransaction;
import org.jgits3.manifest.RefChange;
import org.jgits3.manifest.RefValue;

/**
 * Plan of the changes that restore all refs, symbolic ones and {@code HEAD} included, to an earlier
 * generation. Nothing changes before {@link #apply}. Immutable.
 */
public final class RefRestoration {
  /** Bytes of a manifest that a change may take in overlay and log, besides the name. */
  private static final long PER_CHANGE = 200;

  private final S3RefDatabase refs;
  private final long generation;
  private final List<RefChange> changes;

  private RefRestoration(S3RefDatabase refs, long generation, List<RefChange> changes) {
    this.refs = refs;
    this.generation = generation;
    this.changes = changes;
  }

  /** Value of a ref: a target, an id, or neither if the ref does not exist. */
  private record Value(Optional<String> target, ObjectId id) {
    static Value before(RefChange c) {
      return new Value(c.oldTarget(), c.oldTarget().isPresent() ? ObjectId.zeroId() : c.oldId());
    }

    static Value of(RefView view, String name) {
      return new Value(
          view.symbolic(name),
          view.direct(name).map(RefValue.Direct::id).orElse(ObjectId.zeroId()));
    }
  }

  /**
   * Plans the changes by undoing transactions.
   *
   * @param refs refs to change
   * @param generation generation to restore
   * @param since all transactions after it
   * @param now refs after those
   */
  static RefRestoration undoing(
      S3RefDatabase refs, long generation, Transactions since, RefView now) throws IOException {
    Map<String, Value> then = new TreeMap<>();
    for (var next = since.next(); next.isPresent(); next = since.next()) {
      next.get()
          .forEachChange(
              c -> {
                if (!c.through()) {
                  then.putIfAbsent(c.ref(), Value.before(c));
                }
              });
    }
    return new RefRestoration(refs, generation, changes(then, now));
  }

  /**
   * Plans the changes from the wanted refs.
   *
   * @param refs refs to change
   * @param generation generation that the wanted refs are of
   * @param wanted refs to restore
   * @param now current refs
   */
  static RefRestoration of(S3RefDatabase refs, long generation, RefView wanted, RefView now) {
    Map<String, Value> then = new TreeMap<>();
    for (RefView view : List.of(wanted, now)) {
      view.getRefsByPrefix("").forEach(ref -> then.put(ref.getName(), null));
      view.refs().symrefs().keySet().forEach(name -> then.put(name, null));
    }
    then.replaceAll((name, none) -> Value.of(wanted, name));
    return new RefRestoration(refs, generation, changes(then, now));
  }

  private static List<RefChange> changes(Map<String, Value> wanted, RefView now) {
    List<RefChange> changes = new ArrayList<>();
    wanted.forEach(
        (name, was) -> {
          Value is = Value.of(now, name);
          if (!is.equals(was)) {
            changes.add(new RefChange(name, is.id(), was.id()).linked(is.target(), was.target()));
          }
        });
    return List.copyOf(changes);
  }

  /**
   * Generation whose refs are restored.
   *
   * @return generation
   */
  public long generation() {
    return generation;
  }

  /**
   * Changes of the plan: old values are the current ones, new values the restored ones. Ids of
   * symbolic refs are zero.
   *
   * @return the changes, by name
   */
  public List<RefChange> changes() {
    return changes;
  }

  /**
   * Changes that cannot be made because the object they need was collected as garbage.
   *
   * @return the changes whose new value is missing; empty if none is missing
   * @throws IOException if the objects cannot be looked up
   */
  public List<RefChange> missing() throws IOException {
    Map<ObjectId, Boolean> known = new HashMap<>(Map.of(ObjectId.zeroId(), true));
    List<RefChange> missing = new ArrayList<>();
    try (ObjectReader reader = refs.repository().newObjectReader()) {
      for (RefChange c : changes) {
        if (!known.containsKey(c.newId())) {
          known.put(c.newId(), reader.has(c.newId()));
        }
        if (!known.get(c.newId())) {
          missing.add(c);
        }
      }
    }
    return missing;
  }

  /**
   * Makes the changes, all of them in one transaction or none. If a ref of the plan has another
   * value by now, nothing is changed, so that newer changes are not lost.
   *
   * <p>If objects were ever removed from the repository, checks first that all objects reachable
   * from the restored refs exist, except those reachable from current refs.
   *
   * @throws org.eclipse.jgit.errors.MissingObjectException if an object is {@link #missing};
   *     nothing was changed
   * @throws org.jgits3.manifest.UnknownOutcomeException if the store did not tell the outcome in
   *     time
   * @throws IOException if nothing was changed; the message tells why
   */
  public void apply() throws IOException {
    if (changes.isEmpty()) {
      return;
    }
    Map<ObjectId, Optional<ObjectId>> peeled = new HashMap<>();
    try (RevWalk walk = new RevWalk(refs.repository())) {
      for (RefChange c : changes) {
        if (c.newId().equals(ObjectId.zeroId())) {
          continue;
        }
        if (S3RefDatabase.isBranchToOther(c.ref(), walk, c.newId())) {
          throw new IOException(
              c.ref()
                  + " pointed to "
                  + c.newId().name()
                  + ", which is no commit, so it cannot be a branch; nothing was restored, restore"
                  + " the other refs by their ids");
        }
        if (!peeled.containsKey(c.newId())) {
          peeled.put(c.newId(), S3RefDatabase.peel(walk, c.newId()));
        }
      }
    }
    long bytes = 0;
    for (RefChange c : changes) {
      bytes += PER_CHANGE + 2L * c.ref().length();
    }
    Optional<String> beyond =
        changes.stream()
            .filter(RefRestoration::creates)
            .map(RefChange::ref)
            .filter(name -> !RefNames.storable(name))
            .findFirst();
    if (beyond.isPresent()) {
      throw new IOException(beyond.get() + ": " + RefNames.BOUNDS + "; nothing was restored");
    }
    Optional<String> changed =
        refs.commitBatch(edits -> restore(edits, peeled), peeled::keySet, bytes);
    if (changed.isPresent()) {
      throw new IOException(
          changed.get() + " was changed meanwhile; nothing was restored, look at the plan again");
    }
  }

  private static boolean creates(RefChange c) {
    return c.oldTarget().isEmpty() && c.oldId().equals(ObjectId.zeroId());
  }

  /** The outcome is the name of a ref that is not as planned; empty if all changes were made. */
  private RefTransaction.Outcome<Optional<String>> restore(
      RefEdits edits, Map<ObjectId, Optional<ObjectId>> peeled) {
    RefEdits trial = edits.copy();
    for (RefChange c : changes) {
      if (!Value.of(edits.before(), c.ref()).equals(Value.before(c))) {
        return RefTransaction.Outcome.unchanged(Optional.of(c.ref()));
      }
      edits.direct(c.ref());
      trial.delete(c.ref()); // delete all first, since new names may conflict with old ones
    }
    for (RefChange c : changes) {
      if (!c.deletes() && trial.conflicting(c.ref())) {
        return RefTransaction.Outcome.unchanged(Optional.of(c.ref()));
      }
      if (c.newTarget().isPresent()) {
        trial.link(c.ref(), c.newTarget().get());
      } else if (!c.deletes()) {
        trial.put(c.ref(), new RefValue.Direct(c.newId(), peeled.get(c.newId())));
      }
    }
    edits.addAll(trial);
    String message = "restore-refs: refs as of generation " + generation;
    RefTransaction.Logged logged =
        new RefTransaction.Logged(refs.identity(null), message, recorded(edits));
    return new RefTransaction.Outcome<>(Optional.empty(), List.of(logged));
  }

  /** The changes as the log records them, with the ids that symbolic refs lead to. */
  private List<RefChange> recorded(RefEdits edits) {
    RefView before = edits.before();
    List<RefChange> recorded = new ArrayList<>();
    for (RefChange c : changes) {
      ObjectId old = RefEdits.idOrZero(edits.directBefore(before.leaf(c.ref())));
      ObjectId now = RefEdits.idOrZero(edits.direct(edits.leaf(c.ref())));
      recorded.add(new RefChange(c.ref(), old, now).linked(c.oldTarget(), c.newTarget()));
    }
    return recorded;
  }
}
