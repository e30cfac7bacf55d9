// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jgit.annotations.Nullable;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.manifest.Refs;

/**
 * A table that is kept between look-ups, and the only long-lived reference to it. A reader has a
 * reference of its own, so that the table can be released at any time.
 *
 * <p>Safe for use by many threads.
 */
final class CachedTable {
  private final String id;
  private final PackedRefsTable table;
  private final AtomicReference<CachedTable> place;

  /** Newest view made, released with the table; a cache that any thread may replace. */
  @Nullable private volatile RefView view;

  /** Memory it took when it was counted last; written by the budget under its lock. */
  private volatile long counted;

  /** {@link System#nanoTime} of a recent use. Written without a lock by anyone who uses it. */
  private volatile long used;

  CachedTable(String id, PackedRefsTable table, AtomicReference<CachedTable> place) {
    this.id = id;
    this.table = table;
    this.place = place;
  }

  String id() {
    return id;
  }

  PackedRefsTable table() {
    return table;
  }

  /** Memory counted by the budget. */
  long counted() {
    return counted;
  }

  /**
   * Tests whether the table takes other memory now than its budget knows: it grows with its
   * indexes.
   */
  boolean hasGrown() {
    return table.bytes() != counted;
  }

  /** Records the memory that the table takes now. */
  void count() {
    counted = table.bytes();
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
