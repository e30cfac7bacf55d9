// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jgit.annotations.Nullable;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefDelta;
import org.jgits3.manifest.Refs;

/**
 * A table that is kept between look-ups, and the one place that keeps it. Whoever reads a table has
 * a reference of his own to it, so that one can be let go at any time.
 *
 * <p>The newest view of the table is kept here as well, and nowhere else: let go, the table is
 * reachable by nobody but those who are using it. A thread that is late with a view of a table that
 * was let go puts it into an object that nobody holds.
 *
 * <p>Safe for use by many threads.
 */
final class CachedTable {
  /** Id of a table of no snapshot. */
  static final String NO_ID = "";

  private final String id;
  private final PackedRefsTable table;
  private final AtomicReference<CachedTable> place;

  /** What takes the place of this one when it is let go; itself, if there is nothing to let go. */
  private final CachedTable nothing;

  /** Newest view made; a cache that any thread may replace. */
  @Nullable private volatile Viewed viewed;

  /** What was folded into the table, as far as it was seen; a cache that any thread may replace. */
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

  /** What made another snapshot of this one. */
  private record Folded(String id, RefDelta changes) {}

  /** The table of no snapshot, which is never let go, and of which no view is kept. */
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

  /** Memory that its budget knows it takes. */
  long counted() {
    return counted;
  }

  /** Whether the table takes other memory now than its budget knows: it grows with its indexes. */
  boolean hasGrown() {
    return bytes() != counted;
  }

  /** Takes note of the memory the table takes now. */
  void count() {
    counted = bytes();
  }

  private long bytes() {
    Folded now = folded;
    long ofTable = id.equals(NO_ID) ? 0 : table.bytes(); // all repositories share the empty one
    return ofTable + (now == null ? 0 : CHANGE_BYTES * now.changes().size());
  }

  /**
   * Keeps what seems to have been folded into the table, until that is replaced or let go.
   *
   * @param snapshot id of the snapshot that it has become
   * @param changes the changes
   */
  void foldedInto(String snapshot, RefDelta changes) {
    folded = new Folded(snapshot, changes);
  }

  /**
   * What seems to have been folded into the table.
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

  /** All refs, given the overlay over this table. */
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

  /** Lets it go, unless another one has taken its place already. */
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
