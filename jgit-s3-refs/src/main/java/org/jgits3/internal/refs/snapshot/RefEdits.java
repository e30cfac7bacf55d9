// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.internal.refs.table.RefDelta;
import org.jgits3.internal.refs.table.RefNames;
import org.jgits3.internal.refs.table.SnapshotMerge;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.RefValue;
import org.jgits3.manifest.Refs;

/** Changes of refs on top of a view. Each change sees those made before it. Used by one thread. */
public final class RefEdits {
  /**
   * Bytes of a manifest for refs that stay in it because packed-refs cannot hold them: symbolic
   * refs and those outside {@code refs/}, except {@code HEAD}.
   */
  static final long MOST_KEPT = 32 << 10;

  private final RefView view;
  private final Map<String, RefValue> values = new HashMap<>();
  private final Map<String, Optional<String>> symrefs = new HashMap<>();
  private final TreeSet<String> added = new TreeSet<>();

  /** Record of the questions these edits have asked; null if none is kept. */
  @Nullable private final ReadSet readSet;

  public RefEdits(RefView view) {
    this(view, null);
  }

  /**
   * Begins without edits.
   *
   * @param view refs to change
   * @param readSet records the questions asked; null to keep no record
   */
  public RefEdits(RefView view, @Nullable ReadSet readSet) {
    this.view = view;
    this.readSet = readSet;
  }

  /** The refs without these changes. */
  public RefView before() {
    return view;
  }

  /** Id of a ref; zero if there is none. */
  public static ObjectId idOrZero(Optional<RefValue.Direct> ref) {
    return ref.map(RefValue.Direct::id).orElse(ObjectId.zeroId());
  }

  public Optional<RefValue.Direct> direct(String name) {
    if (readSet != null && !values.containsKey(name)) {
      readSet.value(name);
    }
    return find(name);
  }

  private Optional<RefValue.Direct> find(String name) {
    RefValue v = values.get(name);
    if (v == null) {
      return view.direct(name);
    }
    return v instanceof RefValue.Direct d ? Optional.of(d) : Optional.empty();
  }

  /** Value of a ref without these changes. */
  public Optional<RefValue.Direct> directBefore(String name) {
    if (readSet != null) {
      readSet.value(name);
    }
    return view.direct(name);
  }

  /**
   * Tests whether a ref points to an object.
   *
   * @param name full name
   * @param id the object; zero tests that the ref does not exist
   */
  public boolean pointsTo(String name, ObjectId id) {
    if (readSet != null && !values.containsKey(name)) {
      readSet.expected(name, id.copy());
    }
    return idOrZero(find(name)).equals(id);
  }

  public Optional<String> symbolic(String name) {
    Optional<String> changed = symrefs.get(name);
    return changed != null ? changed : view.symbolic(name);
  }

  public boolean exists(String name) {
    return symbolic(name).isPresent() || hasDirect(name);
  }

  /** Tests whether a ref exists, and keeps no record of the question. */
  private boolean isThere(String name) {
    return symbolic(name).isPresent() || find(name).isPresent();
  }

  private boolean hasDirect(String name) {
    if (readSet != null && !values.containsKey(name)) {
      readSet.existence(name);
    }
    return find(name).isPresent();
  }

  public void put(String name, RefValue.Direct value) {
    unlink(name);
    values.put(name, value);
    added.add(name);
  }

  public void link(String name, String target) {
    if (hasDirect(name)) {
      values.put(name, RefValue.DELETED);
    }
    symrefs.put(name, Optional.of(target));
    added.add(name);
  }

  public void delete(String name) {
    unlink(name);
    if (hasDirect(name)) {
      values.put(name, RefValue.DELETED);
    }
    added.remove(name);
  }

  private void unlink(String name) {
    if (symbolic(name).isPresent()) {
      symrefs.put(name, Optional.empty());
    }
  }

  /**
   * Tests whether a ref cannot be created, because its name is {@link #beyondBounds}, or because
   * with these edits another ref is a directory of it or in it.
   *
   * @param name full name of the new ref
   * @return true if it cannot
   */
  public boolean conflicting(String name) {
    return beyondBounds(name) || belowAnother(name) || aboveAnother(name);
  }

  /** Tests whether no ref can have a name, unless one had it before these edits. */
  public boolean beyondBounds(String name) {
    return !RefNames.storable(name) && !view.exists(name);
  }

  /** Tests whether another ref is a directory of this one. */
  public boolean belowAnother(String name) {
    if (readSet != null) {
      readSet.inside(name);
    }
    return RefNames.directory(name, this::isThere).isPresent();
  }

  private boolean aboveAnother(String name) {
    String below = name + '/';
    String first = added.ceiling(below);
    if (first != null && first.startsWith(below)) {
      return true;
    }
    if (readSet != null) {
      readSet.directory(name);
    }
    // One more than was touched, so that deletions among them cannot hide a conflict.
    return view.below(name, values.size() + symrefs.size() + 1).stream().anyMatch(this::exists);
  }

  /** Resolves the name at the end of a chain of symbolic refs, as {@link RefView#leaf}. */
  public String leaf(String name) {
    return RefView.leaf(name, this::symbolic);
  }

  /** Creates edits that begin with these and do not change them. */
  public RefEdits copy() {
    RefEdits copy = new RefEdits(view, readSet);
    copy.addAll(this);
    return copy;
  }

  /** Adopts all edits of a copy. */
  public void addAll(RefEdits copy) {
    values.putAll(copy.values);
    symrefs.putAll(copy.symrefs);
    added.addAll(copy.added);
  }

  /** Ids of the changed refs that are not symbolic. */
  public Set<ObjectId> tips() {
    return values.values().stream()
        .filter(RefValue.Direct.class::isInstance)
        .map(value -> ((RefValue.Direct) value).id())
        .collect(Collectors.toSet());
  }

  public boolean isEmpty() {
    return values.isEmpty() && symrefs.isEmpty();
  }

  /** Changes of the refs that a snapshot can hold. */
  public RefDelta changes() {
    return RefDelta.foldable(values);
  }

  /**
   * The refs with these changes: the overlay keeps exactly the entries that differ from the
   * snapshot.
   *
   * @return the result
   * @throws ManifestException if the manifest has no room for refs that stay in it
   */
  public Refs apply() throws ManifestException {
    TreeMap<String, RefValue> overlay = new TreeMap<>(view.refs().overlay());
    values.forEach((name, value) -> setOrClear(overlay, name, value, view.table().value(name)));
    TreeMap<String, String> links = new TreeMap<>(view.refs().symrefs());
    symrefs.forEach(
        (name, target) ->
            target.ifPresentOrElse(t -> links.put(name, t), () -> links.remove(name)));
    Refs next = view.refs().with(overlay, links);
    checkKept(next);
    return next;
  }

  /**
   * Refuses more refs that must stay in the manifest, because they would leave no room for others.
   */
  private void checkKept(Refs next) throws ManifestException {
    Optional<String> kept =
        Stream.concat(
                symrefs.keySet().stream(),
                values.keySet().stream().filter(name -> !SnapshotMerge.holds(name)))
            .filter(name -> !name.equals(Constants.HEAD))
            .min(Comparator.naturalOrder());
    if (kept.isEmpty()) {
      return;
    }
    long bytes = keptBytes(next);
    if (bytes > MOST_KEPT && bytes > keptBytes(view.refs())) {
      throw new ManifestException(
          kept.get()
              + ": symbolic refs, and refs outside refs/, would take "
              + bytes
              + " bytes of the manifest, which they stay in, at most "
              + MOST_KEPT
              + "; delete some of them",
          null);
    }
  }

  private static long keptBytes(Refs refs) {
    TreeMap<String, RefValue> overlay = new TreeMap<>(refs.overlay());
    overlay.keySet().removeIf(name -> SnapshotMerge.holds(name) || name.equals(Constants.HEAD));
    TreeMap<String, String> links = new TreeMap<>(refs.symrefs());
    links.remove(Constants.HEAD);
    return new Refs(List.of(), overlay, links).approximateBytes();
  }

  /**
   * The refs with these changes, without those that a snapshot can hold.
   *
   * @return the result
   * @throws ManifestException as {@link #apply}
   */
  public Refs outsideSnapshot() throws ManifestException {
    RefEdits outside = new RefEdits(view.outsideSnapshot());
    outside.symrefs.putAll(symrefs);
    values.forEach(
        (name, value) -> {
          if (!SnapshotMerge.holds(name)) {
            outside.values.put(name, value);
          }
        });
    return outside.apply();
  }

  /** Leaves in the overlay only entries that differ from the snapshot. */
  static void setOrClear(
      Map<String, RefValue> overlay,
      String name,
      RefValue value,
      Optional<RefValue.Direct> inSnapshot) {
    boolean same =
        value instanceof RefValue.Direct
            ? inSnapshot.isPresent() && inSnapshot.get().equals(value)
            : inSnapshot.isEmpty();
    if (same) {
      overlay.remove(name);
    } else {
      overlay.put(name, value);
    }
  }
}
