// SPDX-License-Identifier: Apache-2.0
package org.jgits3.refs;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.manifest.RefValue;

/**
 * Refs and what became of them, in the order of packed-refs, each name once. Immutable; two arrays,
 * so that a batch of very many refs needs no tree.
 */
final class ChangedRefs {
  private final String[] names;
  private final RefValue[] values;

  private ChangedRefs(String[] names, RefValue[] values) {
    this.names = names;
    this.values = values;
  }

  /**
   * Changes that are in order already.
   *
   * @param names full names in order, each once; kept, not copied
   * @param values what each became; kept, not copied
   */
  static ChangedRefs sorted(String[] names, RefValue[] values) {
    return new ChangedRefs(names, values);
  }

  /** Changes in any order. */
  static ChangedRefs of(Map<String, RefValue> changes) {
    String[] names = changes.keySet().toArray(new String[0]);
    Arrays.sort(names, RefOrder.INSTANCE);
    RefValue[] values = new RefValue[names.length];
    for (int i = 0; i < names.length; i++) {
      values[i] = changes.get(names[i]);
    }
    return new ChangedRefs(names, values);
  }

  /**
   * Changes in any order, of refs that a snapshot can hold; others are left out.
   *
   * @param changes what became of refs by full name
   */
  static ChangedRefs foldable(Map<String, RefValue> changes) {
    Map<String, RefValue> held = new HashMap<>(changes);
    held.keySet().removeIf(name -> !SnapshotMerge.holds(name));
    return of(held);
  }

  int size() {
    return names.length;
  }

  String name(int i) {
    return names[i];
  }

  RefValue value(int i) {
    return values[i];
  }

  /**
   * What became of a ref.
   *
   * @param name full name
   * @return its new value; empty if it did not change
   */
  Optional<RefValue> get(String name) {
    int i = Arrays.binarySearch(names, name, RefOrder.INSTANCE);
    return i < 0 ? Optional.empty() : Optional.of(values[i]);
  }

  /**
   * Visits all changes in order.
   *
   * @param each called with name and new value
   */
  void forEach(BiConsumer<String, RefValue> each) {
    for (int i = 0; i < names.length; i++) {
      each.accept(names[i], values[i]);
    }
  }

  /** What the changed refs point to, those that are not deleted. */
  Set<ObjectId> tips() {
    Set<ObjectId> tips = new HashSet<>();
    for (RefValue value : values) {
      if (value instanceof RefValue.Direct direct) {
        tips.add(direct.id());
      }
    }
    return tips;
  }

  /**
   * Whether a changed ref is a directory of a ref, or in it.
   *
   * @param name full name of the ref
   * @return true if one is, deleted or not
   */
  boolean conflicting(String name) {
    for (int slash = name.lastIndexOf('/'); slash > 0; slash = name.lastIndexOf('/', slash - 1)) {
      if (get(name.substring(0, slash)).isPresent()) {
        return true;
      }
    }
    String below = name + '/';
    int i = Arrays.binarySearch(names, below, RefOrder.INSTANCE);
    int first = i < 0 ? -(i + 1) : i;
    return first < names.length && names[first].startsWith(below);
  }

  /**
   * These changes and then others.
   *
   * @param later changes made after these; of a name in both, only these count
   * @return all of them
   */
  ChangedRefs then(ChangedRefs later) {
    if (later.size() == 0 || size() == 0) {
      return size() == 0 ? later : this;
    }
    String[] n = new String[size() + later.size()];
    RefValue[] v = new RefValue[n.length];
    int count = 0;
    int i = 0;
    int j = 0;
    while (i < size() || j < later.size()) {
      int order = compare(i, later, j);
      boolean mine = order < 0;
      n[count] = mine ? names[i] : later.names[j];
      v[count++] = mine ? values[i] : later.values[j];
      i += order <= 0 ? 1 : 0;
      j += mine ? 0 : 1;
    }
    return new ChangedRefs(Arrays.copyOf(n, count), Arrays.copyOf(v, count));
  }

  private int compare(int i, ChangedRefs other, int j) {
    if (i == size()) {
      return 1;
    }
    return j == other.size() ? -1 : RefOrder.INSTANCE.compare(names[i], other.names[j]);
  }
}
