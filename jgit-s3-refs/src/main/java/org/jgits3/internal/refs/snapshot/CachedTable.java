// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jgit.annotations.Nullable;
import org.jgits3.internal.refs.table.RefTable;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.manifest.RefValue;
import org.jgits3.manifest.Refs;

/**
 * A table that is kept between look-ups, and the only long-lived reference to it. A reader has a
 * reference of its own, so that the table can be released at any time.
 *
 * <p>Safe for use by many threads.
 */
final class CachedTable {
  /** Bytes of a ref in an overlay, about: name, id, and the references to them. */
  private static final long OVERLAY_REF_BYTES = 150;

  private final List<String> ids;
  private final RefTable table;
  private final AtomicReference<CachedTable> place;

  /** Newest view made, released with the table; a cache that any thread may replace. */
  @Nullable private volatile RefView view;

  /** Memory it took when it was counted last; written by the budget under its lock. */
  private volatile long counted;

  /** {@link System#nanoTime} of a recent use. Written without a lock by anyone who uses it. */
  private volatile long used;

  CachedTable(List<String> ids, RefTable table, AtomicReference<CachedTable> place) {
    this.ids = List.copyOf(ids);
    this.table = table;
    this.place = place;
  }

  /** Ids of the tables that it consists of, as {@link Refs#tableIds}. */
  List<String> ids() {
    return ids;
  }

  /** Tests whether it has the refs of a manifest's tables. Allocates nothing: look-ups call it. */
  boolean isOf(Refs refs) {
    List<RefSnapshot> tables = refs.tables();
    boolean same = tables.size() == ids.size();
    for (int i = 0; same && i < ids.size(); i++) {
      same = tables.get(i).id().equals(ids.get(i));
    }
    return same;
  }

  /** Id of the table written last, which no other table was written after. */
  String newest() {
    return ids.get(ids.size() - 1);
  }

  RefTable table() {
    return table;
  }

  /** Memory counted by the budget. */
  long counted() {
    return counted;
  }

  /**
   * Tests whether the memory of the table differs from what the budget has counted: it grows with
   * its indexes and the overlay seen last.
   */
  boolean hasGrown() {
    return bytes() != counted;
  }

  /** Records the memory that the table takes now. */
  void count() {
    counted = bytes();
  }

  private long bytes() {
    RefView last = view;
    return table.bytes() + (last == null ? 0 : OVERLAY_REF_BYTES * last.refs().overlay().size());
  }

  /** Returns the overlay that this process saw last over the table. */
  Map<String, RefValue> lastOverlay() {
    RefView last = view;
    return last == null ? Map.of() : last.refs().overlay();
  }

  /** Returns this table with an overlay: the same view as long as the manifest is the same. */
  @SuppressWarnings("ReferenceEquality") // comparing all entries takes longer than a new view
  RefView view(Refs refs) {
    RefView last = view;
    if (last == null || last.refs() != refs) {
      last = new RefView(refs, table);
      view = last;
    }
    return last;
  }

  /** Releases the table, unless another one has taken its place already. */
  void letGo() {
    place.compareAndSet(this, null);
  }

  long used() {
    return used;
  }

  void usedAt(long nanos) {
    used = nanos;
  }
}
