// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.manifest.RefValue;

/**
 * Changed refs with their new values, in the order of packed-refs, each name once. Immutable; kept
 * in a few arrays, so that a very large batch needs neither a tree nor an object for each ref.
 */
public final class RefDelta {
  public static final RefDelta NONE = of(Map.of());

  private static final int HEX = 40;

  private final RefNames names;

  /** New id of each ref; null for a deleted one. */
  private final ObjectId[] ids;

  /** Peeled id of each annotated tag; null for other objects. */
  private final ObjectId[] peeled;

  /**
   * Creates changes that are in order already.
   *
   * @param names full names, each once
   * @param ids new id of each ref, null for a deleted one; kept, not copied
   * @param peeled peeled id of each annotated tag, null for other objects; kept, not copied
   */
  public RefDelta(RefNames names, ObjectId[] ids, ObjectId[] peeled) {
    this.names = names;
    this.ids = ids;
    this.peeled = peeled;
  }

  /** Takes changes in order, each name once. Used by one thread. */
  static final class Builder {
    private final RefNames.Builder names;
    private final ObjectId[] ids;
    private final ObjectId[] peeled;
    private int size;

    /**
     * Begins without changes.
     *
     * @param count maximum number of changes
     */
    Builder(int count) {
      names = new RefNames.Builder(count);
      ids = new ObjectId[count];
      peeled = new ObjectId[count];
    }

    void add(String name, RefValue value) {
      names.add(name);
      put(value);
    }

    void add(byte[] bytes, int start, int end, RefValue value) {
      names.add(bytes, start, end);
      put(value);
    }

    private void put(RefValue value) {
      if (value instanceof RefValue.Direct d) {
        put(d.id(), d.peeled().orElse(null));
      } else {
        put(null, null);
      }
    }

    private void put(@Nullable ObjectId id, @Nullable ObjectId leadsTo) {
      ids[size] = id;
      peeled[size++] = leadsTo;
    }

    private void add(RefDelta from, int i) {
      names.add(from.names, i);
      put(from.ids[i], from.peeled[i]);
    }

    RefDelta build() {
      return new RefDelta(names.build(), ids, peeled);
    }
  }

  /** Changes in any order. */
  public static RefDelta of(Map<String, RefValue> changes) {
    String[] names = changes.keySet().toArray(new String[0]);
    Arrays.sort(names, RefOrder.INSTANCE);
    Builder all = new Builder(names.length);
    for (String name : names) {
      all.add(name, changes.get(name));
    }
    return all.build();
  }

  /** Changes that a recent table stands for. */
  static RefDelta of(PackedRefsTable recent) {
    Builder all = new Builder(recent.size());
    for (int i = 0; i < recent.size(); i++) {
      recent.addTo(all, i);
    }
    return all.build();
  }

  /** These changes as a recent table has them: a ref that was deleted has the id zero. */
  RefDelta marked() {
    ObjectId[] all = ids.clone();
    for (int i = 0; i < all.length; i++) {
      all[i] = all[i] == null ? ObjectId.zeroId() : all[i];
    }
    return new RefDelta(names, all, peeled);
  }

  /**
   * Changes in any order, of refs that a snapshot can hold; others are left out.
   *
   * @param changes new values of refs by full name
   */
  public static RefDelta foldable(Map<String, RefValue> changes) {
    Map<String, RefValue> held = new HashMap<>(changes);
    held.keySet().removeIf(name -> !PackedRefsTable.holds(name));
    return of(held);
  }

  public int size() {
    return names.size();
  }

  /** Some of these changes, by their indexes. */
  RefDelta range(int from, int to) {
    Builder some = new Builder(to - from);
    for (int i = from; i < to; i++) {
      some.add(this, i);
    }
    return some.build();
  }

  public RefNames names() {
    return names;
  }

  /** New id of a ref; null if it was deleted. */
  @Nullable
  ObjectId id(int i) {
    return ids[i];
  }

  /** Bytes of the lines of a ref in packed-refs: id, name and, of a tag, the peeled id. */
  int lineBytes(int i) {
    return HEX + 1 + names.length(i) + 1 + (peeled[i] == null ? 0 : 1 + HEX + 1);
  }

  /**
   * Writes the lines of a ref that is not deleted.
   *
   * @param i index of the ref
   * @param dst array to write to
   * @param start first byte to write
   * @return end of the written lines
   */
  int writeLines(int i, byte[] dst, int start) {
    ids[i].copyTo(dst, start);
    int at = start + HEX;
    dst[at++] = ' ';
    System.arraycopy(names.bytes(), names.start(i), dst, at, names.length(i));
    at += names.length(i);
    dst[at++] = '\n';
    if (peeled[i] != null) {
      dst[at++] = '^';
      peeled[i].copyTo(dst, at);
      at += HEX;
      dst[at++] = '\n';
    }
    return at;
  }

  private RefValue value(int i) {
    return ids[i] == null
        ? RefValue.DELETED
        : new RefValue.Direct(ids[i], Optional.ofNullable(peeled[i]));
  }

  /**
   * New value of a ref.
   *
   * @param name full name
   * @return its new value; empty if it did not change
   */
  public Optional<RefValue> get(String name) {
    int i = names.find(name.getBytes(UTF_8));
    return i < 0 ? Optional.empty() : Optional.of(value(i));
  }

  /**
   * Visits all changes in order.
   *
   * @param each called with name and new value
   */
  public void forEach(BiConsumer<String, RefValue> each) {
    for (int i = 0; i < size(); i++) {
      each.accept(names.get(i), value(i));
    }
  }

  /** Ids of the changed refs that are not deleted. */
  public Set<ObjectId> tips() {
    Set<ObjectId> tips = new HashSet<>();
    for (int i = 0; i < size(); i++) {
      if (ids[i] != null) {
        tips.add(ids[i]);
      }
    }
    return tips;
  }

  /**
   * Tests whether a changed ref is a directory of a ref, or in it.
   *
   * @param name full name of the ref
   * @return true if one is, deleted or not
   */
  public boolean conflicting(String name) {
    if (RefNames.directory(name, directory -> get(directory).isPresent()).isPresent()) {
      return true;
    }
    byte[] below = (name + '/').getBytes(UTF_8);
    int first = names.ceiling(below);
    return first < size() && names.startsWith(first, below);
  }

  /**
   * Combines these changes with later ones.
   *
   * @param later changes made after these; of a name in both, only these count
   * @return all of them
   */
  public RefDelta then(RefDelta later) {
    if (later.size() == 0 || size() == 0) {
      return size() == 0 ? later : this;
    }
    Builder all = new Builder(size() + later.size());
    int i = 0;
    int j = 0;
    while (i < size() || j < later.size()) {
      int order = compare(i, later, j);
      if (order < 0) {
        all.add(this, i);
      } else {
        all.add(later, j);
      }
      i += order <= 0 ? 1 : 0;
      j += order < 0 ? 0 : 1;
    }
    return all.build();
  }

  private int compare(int i, RefDelta other, int j) {
    if (i == size()) {
      return 1;
    }
    return j == other.size() ? -1 : names.compare(i, other.names, j);
  }
}
