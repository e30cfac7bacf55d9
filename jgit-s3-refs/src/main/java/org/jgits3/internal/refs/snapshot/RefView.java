// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectIdRef;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefDatabase;
import org.eclipse.jgit.lib.RefRename;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.ReflogReader;
import org.eclipse.jgit.lib.SymbolicRef;
import org.eclipse.jgit.util.RefList;
import org.eclipse.jgit.util.RefMap;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefDelta;
import org.jgits3.internal.refs.table.RefNames;
import org.jgits3.internal.refs.table.RefTable;
import org.jgits3.manifest.RefValue;
import org.jgits3.manifest.Refs;

/**
 * All refs of one generation: the overlay of its manifest over the refs of its tables. Cannot be
 * updated. Immutable.
 */
public final class RefView extends RefDatabase {
  private final Refs refs;
  private final RefTable table;
  private final SortedMap<String, RefValue> overlay;

  public RefView(Refs refs, RefTable table) {
    this.refs = refs;
    this.table = table;
    this.overlay = refs.overlay();
  }

  public Refs refs() {
    return refs;
  }

  public RefTable table() {
    return table;
  }

  /** Entries of the overlay that a snapshot can hold. */
  public RefDelta foldable() {
    return RefDelta.foldable(overlay);
  }

  /** These refs without those that a snapshot can hold, as far as they are in the overlay. */
  public RefView outsideSnapshot() {
    TreeMap<String, RefValue> outside = new TreeMap<>(overlay);
    outside.keySet().removeIf(PackedRefsTable::holds);
    return new RefView(refs.with(outside, refs.symrefs()), table);
  }

  /** Tests whether there is no ref except symbolic ones, nor an overlay entry of one. */
  public boolean isEmpty() {
    return table.size() == 0 && overlay.isEmpty();
  }

  /**
   * Value of a ref that is not symbolic.
   *
   * @param name full name
   * @return its value; empty if there is no such ref, or it is symbolic
   */
  public Optional<RefValue.Direct> direct(String name) {
    RefValue changed = overlay.get(name);
    if (changed instanceof RefValue.Direct d) {
      return Optional.of(d);
    }
    if (changed != null) {
      return Optional.empty();
    }
    return table.value(name);
  }

  /**
   * Target of a symbolic ref.
   *
   * @param name full name
   * @return name of the target; empty if the ref is not symbolic
   */
  public Optional<String> symbolic(String name) {
    return Optional.ofNullable(refs.symrefs().get(name));
  }

  /**
   * Ref of a name; a symbolic ref comes with its chain of targets.
   *
   * @param name full name
   * @return the ref; null if there is none, or symbolic refs form a cycle
   */
  @Override
  @Nullable
  public Ref exactRef(String name) {
    return refs.symrefs().containsKey(name) ? resolve(name, 0) : leafRef(name);
  }

  /**
   * Creates a ref that is not symbolic. Reuses the caller's name and allocates little else, because
   * it is called so often.
   */
  @Nullable
  private Ref leafRef(String name) {
    RefValue changed = overlay.isEmpty() ? null : overlay.get(name);
    if (changed != null) {
      return changed instanceof RefValue.Direct d ? ref(name, d) : null;
    }
    int i = table.find(name);
    return i < 0 ? null : table.ref(i, name);
  }

  @Nullable
  private Ref resolve(String name, int depth) {
    String target = refs.symrefs().get(name);
    if (target == null) {
      return leafRef(name);
    }
    if (depth >= RefDatabase.MAX_SYMBOLIC_REF_DEPTH) {
      return null;
    }
    if (!exists(target)) {
      return new SymbolicRef(name, new ObjectIdRef.Unpeeled(Ref.Storage.NEW, target, null));
    }
    Ref leaf = resolve(target, depth + 1);
    return leaf == null ? null : new SymbolicRef(name, leaf);
  }

  static Ref ref(String name, RefValue.Direct v) {
    return v.peeled().isPresent()
        ? new ObjectIdRef.PeeledTag(Ref.Storage.PACKED, name, v.id(), v.peeled().get())
        : new ObjectIdRef.PeeledNonTag(Ref.Storage.PACKED, name, v.id());
  }

  /**
   * Name of the ref that an update of a name changes: the end of its chain of symbolic refs.
   *
   * @param name full name
   * @return the last name of the chain, whether it exists or not; the name itself if the chain is
   *     too long
   */
  public String leaf(String name) {
    return leaf(name, this::symbolic);
  }

  /** Resolves the name at the end of a chain whose targets a function knows. */
  static String leaf(String name, Function<String, Optional<String>> symbolic) {
    String at = name;
    for (int depth = 0; depth <= RefDatabase.MAX_SYMBOLIC_REF_DEPTH; depth++) {
      Optional<String> target = symbolic.apply(at);
      if (target.isEmpty()) {
        return at;
      }
      at = target.get();
    }
    return name;
  }

  /**
   * All refs that exist and whose names have a prefix.
   *
   * @param prefix prefix; empty for all
   * @param excludes prefixes of names to leave out
   * @return refs in order of {@link String#compareTo}
   */
  @Override
  public List<Ref> getRefsByPrefixWithExclusions(String prefix, Set<String> excludes) {
    return new ShownRefs(this, RefSelection.of(prefix, excludes)).sorted();
  }

  @Override
  public List<Ref> getRefsByPrefix(String prefix) {
    return getRefsByPrefixWithExclusions(prefix, Set.of());
  }

  @Override
  @Deprecated
  public Map<String, Ref> getRefs(String prefix) {
    RefList.Builder<Ref> list = new RefList.Builder<>();
    getRefsByPrefix(prefix).forEach(list::add);
    return new RefMap(prefix, list.toRefList(), RefList.emptyList(), RefList.emptyList());
  }

  /**
   * Refs that point to an object, or to a tag of it.
   *
   * @param id the object
   * @return the refs, symbolic ones included
   */
  @Override
  public Set<Ref> getTipsWithSha1(ObjectId id) {
    Set<Ref> tips = new HashSet<>();
    anyTip(
        id,
        name -> {
          tips.add(exactRef(name));
          return false;
        });
    return tips;
  }

  private static boolean pointsTo(@Nullable Ref ref, ObjectId id) {
    return ref != null && (id.equals(ref.getObjectId()) || id.equals(ref.getPeeledObjectId()));
  }

  /** Returns true: answers come from an index that is built on first use. */
  @Override
  public boolean hasFastTipsWithSha1() {
    return true;
  }

  /**
   * Tests whether a ref points to an object, or to a tag of it. Looks at no more refs than needed.
   *
   * @param id the object
   * @param wanted tests the name of such a ref
   * @return true if one of them is wanted, symbolic ones included
   */
  public boolean anyTip(ObjectId id, Predicate<String> wanted) {
    for (Map.Entry<String, RefValue> change : overlay.entrySet()) {
      if (change.getValue() instanceof RefValue.Direct d
          && (d.id().equals(id) || d.peeled().filter(id::equals).isPresent())
          && wanted.test(change.getKey())) {
        return true;
      }
    }
    for (String name : refs.symrefs().keySet()) {
      if (pointsTo(exactRef(name), id) && wanted.test(name)) {
        return true;
      }
    }
    return table.anyTip(
        id,
        i -> {
          String name = table.name(i);
          return !overlay.containsKey(name) && wanted.test(name);
        });
  }

  @Override
  public boolean hasRefs() {
    int hidden = 0;
    for (Map.Entry<String, RefValue> change : overlay.entrySet()) {
      if (change.getValue() instanceof RefValue.Direct) {
        return true;
      }
      hidden += table.find(change.getKey()) >= 0 ? 1 : 0;
    }
    return table.size() > hidden;
  }

  /**
   * Tests whether there is a ref of exactly this name, symbolic or not.
   *
   * @param name full name
   * @return true if there is
   */
  public boolean exists(String name) {
    return refs.symrefs().containsKey(name) || direct(name).isPresent();
  }

  /**
   * Names that prevent the creation of a ref: refs that are a directory of it, or in it.
   *
   * @param name full name of the new ref
   * @param limit maximum number of names to find below it
   * @return names of existing refs
   */
  private List<String> conflicts(String name, int limit) {
    Optional<String> directory = RefNames.directory(name, this::exists);
    return directory.isPresent() ? List.of(directory.get()) : below(name, limit);
  }

  @Override
  public boolean isNameConflicting(String name) {
    return !conflicts(name, 1).isEmpty();
  }

  @Override
  public Collection<String> getConflictingNames(String name) {
    return conflicts(name, Integer.MAX_VALUE);
  }

  /**
   * Names of the refs that a ref is a directory of.
   *
   * @param name full name
   * @param limit maximum number of names to find
   * @return names of existing refs
   */
  public List<String> below(String name, int limit) {
    List<String> found = new ArrayList<>();
    String below = name + '/';
    byte[] bytes = below.getBytes(UTF_8);
    for (String n : overlay.tailMap(below).keySet()) {
      if (found.size() >= limit || !n.startsWith(below)) {
        break;
      }
      if (overlay.get(n) instanceof RefValue.Direct) {
        found.add(n);
      }
    }
    for (int i = table.ceiling(bytes);
        found.size() < limit && i < table.size() && table.startsWith(i, bytes);
        i++) {
      String n = table.name(i);
      if (!overlay.containsKey(n)) {
        found.add(n);
      }
    }
    refs.symrefs().tailMap(below).keySet().stream()
        .takeWhile(n -> n.startsWith(below))
        .forEach(found::add);
    return found;
  }

  @Override
  public List<Ref> getAdditionalRefs() {
    return List.of();
  }

  /** Does nothing: each ref comes peeled. */
  @Override
  public Ref peel(Ref ref) {
    return ref;
  }

  @Override
  public RefUpdate newUpdate(String name, boolean detach) {
    throw new UnsupportedOperationException();
  }

  @Override
  public RefRename newRename(String from, String to) {
    throw new UnsupportedOperationException();
  }

  @Override
  public ReflogReader getReflogReader(Ref ref) {
    throw new UnsupportedOperationException();
  }

  /** Does nothing: a repository is created with its refs. */
  @Override
  public void create() {}

  @Override
  public void close() {}
}
