// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jgits3.internal.refs.snapshot.TableCache.CachedTable;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefDelta;
import org.jgits3.internal.refs.table.RefFold;
import org.jgits3.internal.refs.table.RefTable;
import org.jgits3.internal.refs.table.SnapshotMerge;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.manifest.RefValue;
import org.jgits3.manifest.Refs;

/**
 * Derives a table that another process wrote from the tables before it and the overlay that this
 * process saw last. This saves the download. A derived table is used only if it has the SHA-256 of
 * the one that was written.
 */
final class Derivation {
  private Derivation() {}

  /**
   * Derives refs from those held, if they are one fold apart.
   *
   * @param held the refs before
   * @param refs those of the manifest that lists the tables to derive
   * @return the refs; empty if they have to be downloaded
   * @throws IOException if they are more than a table can have
   */
  static Optional<RefTable> derive(CachedTable held, Refs refs) throws IOException {
    List<RefSnapshot> tables = refs.tables();
    boolean sameBase = tables.get(0).id().equals(held.ids().get(0));
    if (tables.size() != (sameBase ? 2 : 1)) {
      return Optional.empty();
    }
    RefDelta changes = folded(held, refs);
    RefFold fold =
        sameBase
            ? RefFold.intoRecent(held.table(), changes)
            : RefFold.intoBase(held.table(), changes);
    return proven(fold, tables.get(tables.size() - 1));
  }

  /**
   * Estimates what a compaction has folded into the table: the overlay seen last, without the refs
   * changed since.
   */
  private static RefDelta folded(CachedTable held, Refs now) {
    Map<String, RefValue> changes = new HashMap<>(held.lastOverlay());
    changes.keySet().removeAll(now.overlay().keySet());
    return RefDelta.foldable(changes);
  }

  /**
   * Builds the table that a fold writes; empty unless it has the bytes of the one wanted. Comparing
   * sizes first rules out most others cheaply.
   */
  private static Optional<RefTable> proven(RefFold fold, RefSnapshot wanted) throws IOException {
    SnapshotMerge merge = fold.merge();
    if (merge.size() != wanted.size() || merge.count() != wanted.count()) {
      return Optional.empty();
    }
    PackedRefsTable made = merge.build();
    boolean same = made.sha256().equals(wanted.sha256());
    return same ? Optional.of(fold.with(made)) : Optional.empty();
  }
}
