// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.eclipse.jgit.annotations.Nullable;
import org.jgits3.internal.refs.table.RefTable;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.manifest.RefValue;
import org.jgits3.manifest.Refs;
import org.jgits3.metrics.Count;
import org.jgits3.metrics.Counters;
import org.jgits3.metrics.MemoryUse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A cache of the tables of all repositories of a process, bounded in bytes. When a table does not
 * fit, the least recently used ones are released. A table larger than the whole budget is used and
 * not kept, and a warning in the log says so. A budget of zero keeps none.
 *
 * <p>Counts the arrays of the tables that are kept. Tables that are in use or being loaded may come
 * on top.
 *
 * <p>Safe for use by many threads. A look-up that finds its table takes no lock: it notes the time,
 * at most once in a millisecond, so that threads on one repository do not contend for a cache line.
 * "Least recently" is therefore precise to a millisecond. The lock is taken to keep or release a
 * table and when one has grown. No thread waits for anything else under it: a release is one
 * compare-and-set.
 *
 * <p>The table of a repository that the process has forgotten stays until others need the room, and
 * goes before those that were used since. Look-ups without a lock are why this is no {@code
 * LruCache}; Caffeine may refuse the table that was just loaded.
 */
public final class TableCache implements MemoryUse {
  private static final Logger LOG = LoggerFactory.getLogger(TableCache.class);

  /** Resolution of the time of a use, in nanoseconds. */
  private static final long GRAIN = 1_000_000;

  /** Nanoseconds between two warnings. */
  private static final long WARNING = TimeUnit.HOURS.toNanos(1);

  private final long limit;
  private final Counters counters;
  private final LongSupplier nanos;
  private final Set<CachedTable> kept = new LinkedHashSet<>(); // guarded by this
  private long held; // memory of them; guarded by this

  /** Time of the last warning; guarded by this. */
  private long warned;

  /**
   * A table that is kept between look-ups, and the only long-lived reference to it. A reader has a
   * reference of its own, so that the table can be released at any time.
   *
   * <p>Safe for use by many threads.
   */
  static final class CachedTable {
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

    /**
     * Tests whether it has the refs of a manifest's tables. Allocates nothing: look-ups call it.
     */
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

    /** Memory it takes now: it grows with the indexes of the table and the overlay seen last. */
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
  }

  /**
   * Creates an unused budget.
   *
   * @param limit bytes that tables may take
   * @param counters counts tables that are released
   */
  public TableCache(long limit, Counters counters) {
    this(limit, counters, System::nanoTime);
  }

  TableCache(long limit, Counters counters, LongSupplier nanos) {
    this.limit = limit;
    this.counters = counters;
    this.nanos = nanos;
    this.warned = nanos.getAsLong() - WARNING;
  }

  /**
   * Tests whether a table of some size could be kept at all.
   *
   * @param bytes memory it would take
   * @return true if it fits when all others are released
   */
  boolean fits(long bytes) {
    return bytes <= limit;
  }

  /**
   * Keeps a table that is installed, or releases it at once if it is too large.
   *
   * <p>The caller installs the table first. If the table were counted first, it could be released
   * before it is installed, and would then stay installed uncounted.
   *
   * @param table the table
   * @param before the one whose place it took; null for none
   */
  synchronized void keep(CachedTable table, @Nullable CachedTable before) {
    remove(before);
    if (limit == 0) {
      table.letGo();
      return;
    }
    table.used = nanos.getAsLong();
    table.counted = 0;
    kept.add(table);
    recount(table);
  }

  /** Notes that a table is used, and counts it anew if it has grown. */
  void use(CachedTable table) {
    long now = nanos.getAsLong();
    if (now - table.used > GRAIN) {
      table.used = now;
      if (table.bytes() != table.counted) {
        recount(table);
      }
    }
  }

  private synchronized void recount(CachedTable table) {
    if (!kept.contains(table)) {
      return; // released meanwhile
    }
    held -= table.counted;
    table.counted = table.bytes();
    held += table.counted;
    if (fits(table.counted)) {
      trim();
    } else {
      letGo(table); // it would not fit even if all others were released
      warn(table.counted);
    }
  }

  /** Releases tables until the rest fits, the least recently used first. */
  private void trim() {
    long now = nanos.getAsLong();
    while (held > limit) {
      letGo(Collections.min(kept, Comparator.comparingLong(table -> table.used - now)));
    }
  }

  private void warn(long bytes) {
    long now = nanos.getAsLong();
    if (limit > 0 && now - warned >= WARNING) {
      warned = now;
      LOG.warn(
          "the refs of a repository take {} bytes or more, and [s3 \"refs\"] cacheLimit is {}: each"
              + " request reads them again; raise cacheLimit, or give the process more heap",
          bytes,
          limit);
    }
  }

  private void letGo(CachedTable table) {
    remove(table);
    table.letGo();
    counters.add(Count.EVICTIONS);
  }

  private void remove(@Nullable CachedTable table) {
    if (kept.remove(table)) {
      held -= table.counted;
    }
  }

  /** Bytes of the arrays of the tables that are kept. */
  @Override
  public synchronized long held() {
    return held;
  }

  @Override
  public long limit() {
    return limit;
  }
}
