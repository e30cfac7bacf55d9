// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jgit.annotations.Nullable;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefDelta;
import org.jgits3.manifest.Refs;

/**
 * A table that is kept between look-ups, and the only long-lived reference to it. A reader has a
 * reference of its own, so that the table can be released at any time.
 *
 * <p>The newest view of the table is kept here as well, and nowhere else: once released, only its
 * readers reach the table. A thread that stores a view of a released table stores it in an object
 * that is unreachable.
 *
 * <p>Safe for use by many threads.
 */
final class CachedTable {
  /** Id of a table of no snapshot. */
  static final String NO_ID = "";

  private final String id;
  private final PackedRefsTable table;
  private final AtomicReference<CachedTable> place;

  /** Replacement of this one when it is released; itself if it holds no table. */
  private final CachedTable nothing;

  /** Newest view made; a cache that any thread may replace. */
  @Nullable private volatile Viewed viewed;

  /** Changes folded into the table since, if seen; a cache that any thread may replace. */
  @Nullable private volatile Folded folded;

  /** Memory it took when it was counted last; written by the budget under its lock. */
  private volatile long counted;

  /** {@link System#nanoTime} of a recent use. Written without a lock by anyone who uses it. */
  private volatile long used;

  /**
   * Refs of a manifest, and the view of them: the same objects for as long as the manifest is the
   * same, so that look-ups tell without comparing all entries.
   */
  private record Viewed(Refs refs, RefView view) {}

  /** Bytes for each of some changed refs: name, id, and the references to them. */
  private static final long CHANGE_BYTES = 150;

  /** Changes that made another snapshot of this one. */
  private record Folded(String id, RefDelta changes) {}

  /** Creates the table of no snapshot, which is never released and of which no view is kept. */
  CachedTable() {
    this.id = NO_ID;
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
    return bytes() != counted;
  }

  /** Records the memory that the table takes now. */
  void count() {
    counted = bytes();
  }

  private long bytes() {
    Folded now = folded;
    long ofTable = id.equals(NO_ID) ? 0 : table.bytes(); // all repositories share the empty one
    return ofTable + (now == null ? 0 : CHANGE_BYTES * now.changes().size());
  }

  /**
   * Keeps the changes believed to be folded into the table, until the table is replaced or
   * released.
   *
   * @param snapshot id of the snapshot that it has become
   * @param changes the changes
   */
  void foldedInto(String snapshot, RefDelta changes) {
    folded = new Folded(snapshot, changes);
  }

  /**
   * Returns the changes that this process believes were folded into the table. Not proven: the
   * caller compares the result with the SHA-256 of the snapshot.
   *
   * @param snapshot id of the snapshot that it has become
   * @return the changes; empty if they were not seen
   */
  Optional<RefDelta> foldedInto(String snapshot) {
    Folded now = folded;
    return now == null || !now.id().equals(snapshot)
        ? Optional.empty()
        : Optional.of(now.changes());
  }

  /** Returns all refs: this table with an overlay. */
  @SuppressWarnings("ReferenceEquality") // first, since comparing all entries takes long
  RefView view(Refs refs) {
    Viewed last = viewed;
    if (last != null && last.refs() == refs) {
      return last.view();
    }
    boolean same = last != null && last.refs().equals(refs);
    RefView view = same ? last.view() : new RefView(refs, table);
    viewed = new Viewed(refs, view);
    return view;
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
