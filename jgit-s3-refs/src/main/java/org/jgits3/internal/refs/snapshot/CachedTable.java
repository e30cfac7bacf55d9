// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.util.concurrent.atomic.AtomicReference;
import org.jgits3.internal.refs.table.PackedRefsTable;

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

  /** Replacement of this one when it is released; itself if it holds no table. */
  private final CachedTable nothing;

  /** Memory it took when it was counted last; written by the budget under its lock. */
  private volatile long counted;

  /** {@link System#nanoTime} of a recent use. Written without a lock by anyone who uses it. */
  private volatile long used;

  /** Creates the table of no snapshot, which is never released. */
  CachedTable() {
    this.id = "";
    this.table = PackedRefsTable.EMPTY;
    this.place = new AtomicReference<>();
    this.nothing = this;
  }

  CachedTable(
      String id, PackedRefsTable table, AtomicReference<CachedTable> place, CachedTable nothing) {
    this.id = id;
    this.table = table;
    this.place = place;
    this.nothing = nothing;
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

  /** Releases the table, unless another one has taken its place already. */
  void letGo() {
    place.compareAndSet(this, nothing);
  }

  long used() {
    return used;
  }

  void usedAt(long nanos) {
    used = nanos;
  }
}
