// SPDX-License-Identifier: Apache-2.0
package org.jgits3.refs;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.lib.ObjectIdRef;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefDatabase;
import org.eclipse.jgit.lib.SymbolicRef;
import org.jgits3.manifest.RefValue;
import org.jgits3.manifest.Refs;

/**
 * All refs of one generation: the overlay of its manifest over the table of its snapshot.
 * Immutable.
 */
final class RefView {
  private final Refs refs;
  private final RefTable table;
  private final NavigableMap<String, RefValue> overlay;

  RefView(Refs refs, RefTable table) {
    this.refs = refs;
    this.table = table;
    this.overlay = new TreeMap<>(RefOrder.INSTANCE);
    this.overlay.putAll(refs.overlay());
  }

  Refs refs() {
    return refs;
  }

  RefTable table() {
    return table;
  }

  /**
   * What a ref that is not symbolic points to.
   *
   * @param name full name
   * @return its value; empty if there is no such ref, or it is symbolic
   */
  Optional<RefValue.Direct> direct(String name) {
    RefValue changed = overlay.get(name);
    if (changed instanceof RefValue.Direct d) {
      return Optional.of(d);
    }
    if (changed != null) {
      return Optional.empty();
    }
    return inSnapshot(name);
  }

  /**
   * What the snapshot says of a ref, whatever the overlay says.
   *
   * @param name full name
   * @return its value there
   */
  Optional<RefValue.Direct> inSnapshot(String name) {
    int i = table.find(name.getBytes(UTF_8));
    return i < 0 ? Optional.empty() : Optional.of(table.value(i));
  }

  /**
   * Target of a symbolic ref.
   *
   * @param name full name
   * @return name of the target; empty if the ref is not symbolic
   */
  Optional<String> symbolic(String name) {
    return Optional.ofNullable(refs.symrefs().get(name));
  }

  /**
   * One ref, symbolic ones with all they lead to.
   *
   * @param name full name
   * @return the ref; null if there is none, or symbolic refs lead to each other
   */
  @Nullable
  Ref exact(String name) {
    return resolve(name, 0);
  }

  @Nullable
  private Ref resolve(String name, int depth) {
    Optional<String> target = symbolic(name);
    if (target.isEmpty()) {
      return direct(name).map(v -> ref(name, v)).orElse(null);
    }
    if (depth >= RefDatabase.MAX_SYMBOLIC_REF_DEPTH) {
      return null;
    }
    if (symbolic(target.get()).isEmpty() && direct(target.get()).isEmpty()) {
      return new SymbolicRef(name, new ObjectIdRef.Unpeeled(Ref.Storage.NEW, target.get(), null));
    }
    Ref leaf = resolve(target.get(), depth + 1);
    return leaf == null ? null : new SymbolicRef(name, leaf);
  }

  private static Ref ref(String name, RefValue.Direct v) {
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
  String leaf(String name) {
    String at = name;
    for (int depth = 0; depth <= RefDatabase.MAX_SYMBOLIC_REF_DEPTH; depth++) {
      Optional<String> target = symbolic(at);
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
  List<Ref> prefix(String prefix, Set<String> excludes) {
    List<Ref> result = new ArrayList<>();
    forEachDirect(prefix, (name, value) -> result.add(ref(name, value)));
    for (String name : refs.symrefs().keySet()) {
      Ref ref = name.startsWith(prefix) ? exact(name) : null;
      if (ref != null && ref.getObjectId() != null) {
        result.add(ref);
      }
    }
    result.removeIf(r -> excludes.stream().anyMatch(r.getName()::startsWith));
    result.sort((a, b) -> a.getName().compareTo(b.getName()));
    return result;
  }

  /**
   * Visits the refs that are not symbolic, in the order of packed-refs.
   *
   * @param prefix prefix of their names; empty for all
   * @param each called with name and value
   */
  void forEachDirect(String prefix, BiConsumer<String, RefValue.Direct> each) {
    byte[] bytes = prefix.getBytes(UTF_8);
    var changed = overlay.tailMap(prefix, true).entrySet().iterator();
    var change = nextWithPrefix(changed, prefix);
    for (int i = table.ceiling(bytes); i < table.size() && table.startsWith(i, bytes); i++) {
      String name = table.name(i);
      while (change != null && RefOrder.INSTANCE.compare(change.getKey(), name) < 0) {
        visit(change, each);
        change = nextWithPrefix(changed, prefix);
      }
      if (change != null && change.getKey().equals(name)) {
        visit(change, each);
        change = nextWithPrefix(changed, prefix);
      } else {
        each.accept(name, table.value(i));
      }
    }
    for (; change != null; change = nextWithPrefix(changed, prefix)) {
      visit(change, each);
    }
  }

  @Nullable
  private static Map.Entry<String, RefValue> nextWithPrefix(
      Iterator<Map.Entry<String, RefValue>> it, String prefix) {
    if (!it.hasNext()) {
      return null;
    }
    var e = it.next();
    return e.getKey().startsWith(prefix) ? e : null;
  }

  private static void visit(
      Map.Entry<String, RefValue> e, BiConsumer<String, RefValue.Direct> each) {
    if (e.getValue() instanceof RefValue.Direct d) {
      each.accept(e.getKey(), d);
    }
  }

  /**
   * Whether any ref exists.
   *
   * @return true if one does
   */
  boolean hasAny() {
    if (overlay.values().stream().anyMatch(RefValue.Direct.class::isInstance)) {
      return true;
    }
    for (int i = 0; i < table.size(); i++) {
      if (!overlay.containsKey(table.name(i))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether there is a ref of this very name, symbolic or not.
   *
   * @param name full name
   * @return true if there is
   */
  boolean exists(String name) {
    return refs.symrefs().containsKey(name) || direct(name).isPresent();
  }

  /**
   * Names that keep a ref from being created: refs that are a directory of it, or in it.
   *
   * @param name full name of the ref to be
   * @param limit most names to find below it
   * @return names of existing refs
   */
  List<String> conflicts(String name, int limit) {
    for (int slash = name.lastIndexOf('/'); slash > 0; slash = name.lastIndexOf('/', slash - 1)) {
      String parent = name.substring(0, slash);
      if (exists(parent)) {
        return List.of(parent);
      }
    }
    return below(name, limit);
  }

  /**
   * Names of the refs that a ref is a directory of.
   *
   * @param name full name
   * @param limit most names to find
   * @return names of existing refs
   */
  List<String> below(String name, int limit) {
    List<String> found = new ArrayList<>();
    String below = name + '/';
    byte[] bytes = below.getBytes(UTF_8);
    for (String n : overlay.tailMap(below, true).keySet()) {
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
}
