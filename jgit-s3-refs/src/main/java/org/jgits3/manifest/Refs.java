// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

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
}
