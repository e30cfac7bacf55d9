// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import static org.eclipse.jgit.lib.Constants.R_REFS;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jgits3.internal.refs.table.RefFold;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.manifest.RefValue;
import org.jgits3.manifest.Refs;

/**
 * Table of refs that is uploaded and not yet listed by a manifest.
 *
 * @param snapshot its entry in the manifest
 * @param fold its content
 */
public record NewSnapshot(RefSnapshot snapshot, RefFold fold) {
  /**
   * Ids of the tables that a manifest has with this one.
   *
   * @param before refs that it was made from
   * @return the ids, as {@link Refs#tableIds}
   */
  public List<String> tableIds(Refs before) {
    return on(before, before.overlay()).tableIds();
  }

  private Refs on(Refs before, SortedMap<String, RefValue> overlay) {
    return fold.isBase()
        ? new Refs(List.of(snapshot), overlay, before.symrefs())
        : new Refs(List.of(before.tables().get(0), snapshot), overlay, before.symrefs());
  }

  /**
   * Expresses current refs on this table, and the base if that is another one: the overlay becomes
   * exactly the entries, deletions included, that differ from them.
   *
   * @param now current refs, on the tables before
   * @param names names under {@code refs/} in which they may differ from the tables
   * @return the same refs
   */
  public Refs express(RefView now, Collection<String> names) {
    TreeMap<String, RefValue> overlay = new TreeMap<>();
    SortedMap<String, RefValue> before = now.refs().overlay();
    overlay.putAll(before.headMap(R_REFS)); // packed-refs cannot hold a detached HEAD
    overlay.putAll(before.tailMap(R_REFS.replace('/', '0')));
    for (String name : names) {
      RefValue value = now.direct(name).map(RefValue.class::cast).orElse(RefValue.DELETED);
      RefEdits.setOrClear(overlay, name, value, fold.value(name));
    }
    return on(now.refs(), overlay);
  }

  /**
   * Names whose entries differ in two overlays of the same tables.
   *
   * @param a refs
   * @param b refs on the same tables
   * @return names; those of refs that were changed between the two
   */
  public static Set<String> differing(Refs a, Refs b) {
    Set<String> names = new HashSet<>(a.overlay().keySet());
    names.addAll(b.overlay().keySet());
    names.removeIf(name -> Objects.equals(a.overlay().get(name), b.overlay().get(name)));
    return names;
  }
}
