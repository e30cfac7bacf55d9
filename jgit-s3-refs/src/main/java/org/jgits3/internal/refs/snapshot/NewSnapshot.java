// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import static org.eclipse.jgit.lib.Constants.R_REFS;

import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jgits3.internal.refs.table.SnapshotMerge;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.manifest.RefValue;
import org.jgits3.manifest.Refs;

/**
 * Snapshot that is uploaded and not yet listed by a manifest.
 *
 * @param snapshot its entry in the manifest
 * @param merge its content
 */
public record NewSnapshot(RefSnapshot snapshot, SnapshotMerge merge) {
  /**
   * Expresses current refs on this snapshot: the overlay becomes exactly the entries, deletions
   * included, that differ from it.
   *
   * @param now current refs, on the snapshot before
   * @param names names under {@code refs/} in which they may differ from this snapshot
   * @return the same refs
   */
  public Refs express(RefView now, Collection<String> names) {
    TreeMap<String, RefValue> overlay = new TreeMap<>();
    SortedMap<String, RefValue> before = now.refs().overlay();
    overlay.putAll(before.headMap(R_REFS)); // packed-refs cannot hold a detached HEAD
    overlay.putAll(before.tailMap(R_REFS.replace('/', '0')));
    for (String name : names) {
      RefValue value = now.direct(name).map(RefValue.class::cast).orElse(RefValue.DELETED);
      RefEdits.setOrClear(overlay, name, value, merge.value(name));
    }
    return new Refs(Optional.of(snapshot), overlay, now.refs().symrefs());
  }

  /**
   * Names whose entries differ in two overlays of one snapshot.
   *
   * @param a refs
   * @param b refs on the same snapshot
   * @return names; those of refs that were changed between the two
   */
  public static Set<String> differing(Refs a, Refs b) {
    Set<String> names = new HashSet<>();
    for (Map.Entry<String, RefValue> e : a.overlay().entrySet()) {
      if (!e.getValue().equals(b.overlay().get(e.getKey()))) {
        names.add(e.getKey());
      }
    }
    b.overlay().keySet().stream().filter(n -> !a.overlay().containsKey(n)).forEach(names::add);
    return names;
  }

  /** Tests whether two sets of refs have the same snapshot. */
  public static boolean sameBase(Refs a, Refs b) {
    return a.snapshot().map(RefSnapshot::id).equals(b.snapshot().map(RefSnapshot::id));
  }
}
