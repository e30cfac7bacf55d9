// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.eclipse.jgit.lib.ObjectId;

/**
 * All refs of a repository: a snapshot, the changes since, and the symbolic refs.
 *
 * <p>Names that are not under {@code refs/} (a detached {@code HEAD}) live in the overlay for good,
 * since packed-refs cannot hold them.
 *
 * @param snapshot the refs as of the last compaction; empty if there never was one
 * @param overlay refs that differ from the snapshot, by name
 * @param symrefs target name by name of every symbolic ref, {@code HEAD} included
 */
public record Refs(
    Optional<RefSnapshot> snapshot,
    @JsonSetter(nulls = Nulls.AS_EMPTY, contentNulls = Nulls.SET)
        SortedMap<String, RefValue> overlay,
    SortedMap<String, String> symrefs) {
  /** Copies the maps. */
  public Refs {
    overlay = Collections.unmodifiableSortedMap(new TreeMap<>(overlay));
    symrefs = Collections.unmodifiableSortedMap(new TreeMap<>(symrefs));
  }

  /** No refs at all. */
  public static final Refs NONE =
      new Refs(Optional.empty(), Collections.emptySortedMap(), Collections.emptySortedMap());

  /**
   * Values that refs were created with or moved to since some moment, as far as known without
   * reading snapshots.
   *
   * @param before refs of that moment
   * @return the new values; empty if snapshots would have to be read
   */
  public Optional<Set<ObjectId>> newValues(Refs before) {
    boolean comparable =
        snapshot.map(RefSnapshot::id).equals(before.snapshot.map(RefSnapshot::id))
            && (snapshot.isEmpty() || overlay.keySet().containsAll(before.overlay.keySet()));
    if (!comparable) {
      return Optional.empty();
    }
    Set<ObjectId> values = new HashSet<>();
    overlay.forEach(
        (name, value) -> {
          if (value instanceof RefValue.Direct direct && !value.equals(before.overlay.get(name))) {
            values.add(direct.id());
          }
        });
    return Optional.of(values);
  }

  /** Bytes of an entry besides its name: quotes and an id. */
  private static final int PER_ENTRY = 46;

  /**
   * About how many bytes of a manifest these refs take, without encoding them.
   *
   * @return bytes, rather too many than too few
   */
  public long approximateBytes() {
    long bytes = overlayBytes();
    for (Map.Entry<String, String> e : symrefs.entrySet()) {
      bytes += e.getKey().length() + e.getValue().length() + 6;
    }
    return bytes;
  }

  /**
   * About how many bytes of a manifest the overlay takes, without encoding it.
   *
   * @return bytes, rather too many than too few
   */
  public long overlayBytes() {
    long bytes = 0;
    for (Map.Entry<String, RefValue> e : overlay.entrySet()) {
      boolean tag = e.getValue() instanceof RefValue.Direct d && d.peeled().isPresent();
      bytes += e.getKey().length() + (tag ? 2 : 1) * PER_ENTRY;
    }
    return bytes;
  }
}
