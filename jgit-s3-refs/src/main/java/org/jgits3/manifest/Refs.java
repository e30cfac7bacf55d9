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
import org.eclipse.jgit.lib.ObjectId;

/**
 * All refs of a repository: tables, of which each has the refs that changed since the ones before
 * it, an overlay of later changes, and the symbolic refs. Readers take any number of tables;
 * writers make one, or in a large repository two.
 *
 * <p>Names that are not under {@code refs/} (a detached {@code HEAD}) live in the overlay for good,
 * since packed-refs cannot hold them.
 *
 * @param tables the base first: all refs of some moment. Each later one has the refs that differ
 *     from those before, with zero as the id of those that were deleted. None if there never was a
 *     compaction
 * @param overlay refs that differ from the tables, by name
 * @param symrefs target name by name of every symbolic ref, {@code HEAD} included
 */
public record Refs(
    @JsonSetter(nulls = Nulls.AS_EMPTY, contentNulls = Nulls.FAIL) List<RefSnapshot> tables,
    @JsonSetter(nulls = Nulls.AS_EMPTY, contentNulls = Nulls.SET)
        SortedMap<String, RefValue> overlay,
    SortedMap<String, String> symrefs) {
  /**
   * Copies the collections.
   *
   * @throws IllegalArgumentException if a table is older than the one that it belongs to, or is
   *     listed twice
   */
  public Refs {
    tables = List.copyOf(tables);
    if (tables.stream().map(RefSnapshot::id).distinct().count() < tables.size()) {
      throw new IllegalArgumentException("lists a table twice");
    }
    for (int i = 1; i < tables.size(); i++) {
      checkBelongs(tables.get(i).id(), tables.get(i - 1).id());
    }
    overlay = Collections.unmodifiableSortedMap(new TreeMap<>(overlay));
    symrefs = Collections.unmodifiableSortedMap(new TreeMap<>(symrefs));
  }

  private static void checkBelongs(String table, String below) {
    if (ObjectNames.mintedAt(table) < ObjectNames.mintedAt(below)) {
      throw new IllegalArgumentException(
          "lists the table " + table + " on the table " + below + ", which is newer");
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
    return new Refs(tables, changed, links);
  }

  /**
   * The table with all refs of some moment.
   *
   * @return the base; empty if there never was a compaction
   */
  public Optional<RefSnapshot> base() {
    return tables.stream().findFirst();
  }

  /**
   * Tests whether there are tables above the base.
   *
   * @return false if the last compaction wrote the base, or there was none
   */
  public boolean hasRecent() {
    return tables.size() > 1;
  }

  /**
   * Ids of the tables.
   *
   * @return ids, the base first; an id is never reused
   */
  public List<String> tableIds() {
    return tables.stream().map(RefSnapshot::id).toList();
  }

  /**
   * Tests whether other refs have the same tables, so that only overlay and symbolic refs can
   * differ.
   *
   * @param other the other refs
   * @return true if the tables are the same
   */
  public boolean sameTables(Refs other) {
    return tables.equals(other.tables);
  }

  /** No refs at all. */
  public static final Refs NONE =
      new Refs(List.of(), Collections.emptySortedMap(), Collections.emptySortedMap());

  /**
   * Values that refs were created with or moved to since some moment, as far as known without
   * reading snapshots.
   *
   * @param before refs of that moment
   * @return the new values; empty if snapshots would have to be read
   */
  public Optional<Set<ObjectId>> newValues(Refs before) {
    boolean comparable =
        sameTables(before)
            && (tables.isEmpty() || overlay.keySet().containsAll(before.overlay.keySet()));
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
