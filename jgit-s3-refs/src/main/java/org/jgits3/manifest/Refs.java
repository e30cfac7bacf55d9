// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.eclipse.jgit.lib.ObjectId;

/**
 * All refs of a repository: a snapshot, in a large repository a table of the refs changed since the
 * snapshot, an overlay of later changes, and the symbolic refs.
 *
 * <p>Names that are not under {@code refs/} (a detached {@code HEAD}) live in the overlay for good,
 * since packed-refs cannot hold them.
 *
 * @param snapshot the base: all refs of some moment; empty if there never was a compaction
 * @param recent refs that changed between the snapshot and the last compaction, with zero as the id
 *     of those that were deleted; empty if the last compaction wrote the snapshot
 * @param overlay refs that differ from snapshot and recent table, by name
 * @param symrefs target name by name of every symbolic ref, {@code HEAD} included
 */
public record Refs(
    Optional<RefSnapshot> snapshot,
    Optional<RefSnapshot> recent,
    @JsonSetter(nulls = Nulls.AS_EMPTY, contentNulls = Nulls.SET)
        SortedMap<String, RefValue> overlay,
    SortedMap<String, String> symrefs) {
  /**
   * Copies the maps.
   *
   * @throws IllegalArgumentException if the recent table cannot belong to the snapshot
   */
  public Refs {
    if (recent.isPresent()) {
      checkBelongs(recent.get(), snapshot);
    }
    overlay = Collections.unmodifiableSortedMap(new TreeMap<>(overlay));
    symrefs = Collections.unmodifiableSortedMap(new TreeMap<>(symrefs));
  }

  /** Refs without a recent table. */
  public Refs(
      Optional<RefSnapshot> snapshot,
      SortedMap<String, RefValue> overlay,
      SortedMap<String, String> symrefs) {
    this(snapshot, Optional.empty(), overlay, symrefs);
  }

  private static void checkBelongs(RefSnapshot recent, Optional<RefSnapshot> snapshot) {
    if (snapshot.isEmpty()) {
      throw new IllegalArgumentException(
          "lists the recent refs " + recent.id() + " without the snapshot that they belong to");
    }
    if (ObjectNames.mintedAt(recent.id()) < ObjectNames.mintedAt(snapshot.get().id())) {
      throw new IllegalArgumentException(
          "lists the recent refs "
              + recent.id()
              + " on the snapshot "
              + snapshot.get().id()
              + ", which is newer");
    }
  }

  /**
   * These refs with other changes.
   *
   * @param changed overlay of the result
   * @param links symbolic refs of the result
   * @return refs of the same tables
   */
  public Refs with(SortedMap<String, RefValue> changed, SortedMap<String, String> links) {
    return new Refs(snapshot, recent, changed, links);
  }

  /**
   * The tables, of which a later one takes precedence.
   *
   * @return snapshot and recent table, as far as there are any
   */
  public List<RefSnapshot> levels() {
    return Stream.concat(snapshot.stream(), recent.stream()).toList();
  }

  /**
   * Ids of the tables.
   *
   * @return ids of {@link #levels}; an id is never reused
   */
  public List<String> levelIds() {
    return levels().stream().map(RefSnapshot::id).toList();
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
        levelIds().equals(before.levelIds())
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
   * Estimated size of these refs in a manifest, computed without encoding.
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
   * Estimated size of the overlay in a manifest, computed without encoding.
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
