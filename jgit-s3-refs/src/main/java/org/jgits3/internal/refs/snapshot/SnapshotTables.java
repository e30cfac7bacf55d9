// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jgits3.internal.refs.snapshot.TableCache.CachedTable;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefTable;
import org.jgits3.internal.store.read.ParallelRequests;
import org.jgits3.internal.store.read.RangeReader;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.manifest.Refs;
import org.jgits3.metrics.Count;
import org.jgits3.metrics.Counters;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Newest tables of one repository. Loads them at most once for all concurrent callers, and keeps
 * them as long as the memory set for all repositories allows. Safe for use by many threads.
 *
 * <p>An id names one content and is never reused, so a table that is held, or that another thread
 * is loading, is never stale. Only a comparison with the store must not be older than the call; see
 * {@link #compared}.
 */
public final class SnapshotTables {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotTables.class);

  private final SnapshotReader snapshots;
  private final Counters counters;
  private final TableCache budget;

  /** Held while a table takes the place of another; never while something is read. */
  private final Object installing = new Object();

  /**
   * Newest table loaded. A newer one takes its place under {@link #installing}; the budget puts
   * null there at any time.
   */
  private final AtomicReference<CachedTable> held = new AtomicReference<>();

  /**
   * Loads in progress, by ids. Each ends with a {@link RefTable}, a {@link Throwable}, or null if
   * the loader was interrupted: then it is loaded again.
   */
  private final Map<List<String>, CompletableFuture<Object>> loads = new ConcurrentHashMap<>();

  public SnapshotTables(
      ObjectStore store, Counters counters, TableCache budget, boolean trustVersions) {
    this.snapshots = new SnapshotReader(store, trustVersions, RangeReader.Sizes.DEFAULT);
    this.counters = counters;
    this.budget = budget;
  }

  /**
   * Refs of a manifest's tables.
   *
   * @param manifest the manifest
   * @return the refs, loaded unless they are held
   * @throws org.jgits3.store.StoreException.Missing if the store does not have one of the tables
   * @throws IOException if one cannot be read
   */
  public RefTable of(Manifest manifest) throws IOException {
    Optional<RefTable> ready = held(manifest.refs());
    if (ready.isPresent()) {
      return ready.get();
    }
    List<String> ids = manifest.refs().tableIds();
    while (true) {
      CompletableFuture<Object> mine = new CompletableFuture<>();
      CompletableFuture<Object> running = loads.putIfAbsent(ids, mine);
      if (running == null) {
        return load(manifest, mine);
      }
      Object end = running.join();
      if (end instanceof RefTable table) {
        return table;
      } else if (end instanceof IOException e) {
        throw e;
      } else if (end instanceof Throwable e) {
        throw new IOException("refs snapshot " + String.join(", ", ids) + ": cannot be loaded", e);
      }
    }
  }

  private RefTable load(Manifest manifest, CompletableFuture<Object> mine) throws IOException {
    Refs refs = manifest.refs();
    Object end = null;
    try {
      // Another load may have ended after the check of the held table, before this load was
      // registered.
      Optional<RefTable> ready = held(refs);
      ready = ready.isPresent() ? ready : derive(refs);
      RefTable table =
          ready.isPresent() ? ready.get() : RefTable.of(read(manifest, this::heldOrDownloaded));
      install(refs.tableIds(), table);
      end = table;
      return table;
    } catch (IOException | RuntimeException | Error e) {
      end = Thread.currentThread().isInterrupted() ? null : e;
      throw e;
    } finally {
      mine.complete(end);
      loads.remove(refs.tableIds(), mine);
    }
  }

  /**
   * Refs of a manifest's tables, after a comparison of all bytes in the store. Parses and copies
   * nothing of a table that is the same.
   *
   * <p>A table that differs is read again and checked against the manifest. If it is intact, it
   * replaces the one held. If not, this fails and the one held stays: it passed the same checks, so
   * it has the bytes that were written. Updates go on with it, and the next compaction that builds
   * upon it writes it to the store under another name, beside the damaged object.
   *
   * @param manifest the manifest
   * @return the refs
   * @throws org.jgits3.store.StoreException.Corrupt if the store has other bytes
   * @throws IOException as {@link #of}
   */
  public RefTable compared(Manifest manifest) throws IOException {
    List<String> ids = manifest.refs().tableIds();
    Optional<RefTable> ready = held(manifest.refs());
    if (ids.isEmpty() || ready.isEmpty()) {
      return of(manifest);
    }
    counters.add(Count.COMPARISONS);
    List<PackedRefsTable> now =
        read(
            manifest,
            (key, level) ->
                heldOrReadAgain(key, level, ready.get().level(ids.indexOf(level.id()))));
    if (ready.get().isOf(now)) {
      return ready.get();
    }
    RefTable table = RefTable.of(now);
    install(ids, table);
    return table;
  }

  private PackedRefsTable heldOrReadAgain(String key, RefSnapshot level, PackedRefsTable before)
      throws IOException {
    if (snapshots.same(key, before)) {
      return before;
    }
    counters.add(Count.DIFFERENCES);
    LOG.warn("refs snapshot {}: the store has other bytes than were read before", key);
    return download(key, level);
  }

  private Optional<RefTable> derive(Refs refs) throws IOException {
    CachedTable h = held.get();
    Optional<RefTable> made = h == null ? Optional.empty() : Derivation.derive(h, refs);
    made.ifPresent(table -> counters.add(Count.DERIVATIONS));
    return made;
  }

  /** Reads one table. */
  @FunctionalInterface
  private interface Source {
    PackedRefsTable read(String key, RefSnapshot level) throws IOException;
  }

  /**
   * Reads all refs of a manifest from the store, and keeps nothing.
   *
   * @param store store of the repository
   * @param manifest the manifest
   * @return its refs
   * @throws StoreException.Missing if the store does not have a table
   * @throws StoreException.Corrupt if a table has other bytes than were written
   * @throws IOException if a table cannot be read
   */
  public static RefView read(ObjectStore store, Manifest manifest) throws IOException {
    SnapshotReader snapshots = new SnapshotReader(store, true, RangeReader.Sizes.DEFAULT);
    return new RefView(manifest.refs(), RefTable.of(read(manifest, snapshots::read)));
  }

  /** Reads the tables of a manifest, all at the same time. */
  private static List<PackedRefsTable> read(Manifest manifest, Source source) throws IOException {
    List<RefSnapshot> levels = manifest.refs().tables();
    PackedRefsTable[] tables = new PackedRefsTable[levels.size()];
    ParallelRequests.forEach(
        levels,
        level -> {
          String key = ObjectNames.snapshotKey(manifest.owner(level.id()), level.id());
          tables[levels.indexOf(level)] = source.read(key, level);
        });
    return List.of(tables);
  }

  private PackedRefsTable heldOrDownloaded(String key, RefSnapshot level) throws IOException {
    CachedTable h = held.get();
    int at = h == null ? -1 : h.ids().indexOf(level.id());
    return at < 0 ? download(key, level) : h.table().level(at);
  }

  private PackedRefsTable download(String key, RefSnapshot level) throws IOException {
    counters.add(Count.DOWNLOADS);
    PackedRefsTable table = snapshots.read(key, level);
    counters.add(Count.PARSES);
    return table;
  }

  /**
   * Refs of the tables of a manifest, if they are in memory.
   *
   * @param refs refs of the manifest
   * @return those of its tables
   */
  public Optional<RefTable> held(Refs refs) {
    if (refs.tables().isEmpty()) {
      return Optional.of(RefTable.EMPTY);
    }
    CachedTable h = held.get();
    if (h == null || !h.isOf(refs)) {
      return Optional.empty();
    }
    budget.use(h);
    return Optional.of(h.table());
  }

  /**
   * All refs of a manifest.
   *
   * @param refs refs of the manifest
   * @param table refs of its tables
   * @return the refs; the last view if the manifest is the same
   */
  public RefView view(Refs refs, RefTable table) {
    CachedTable h = held.get();
    return h != null && h.table() == table ? h.view(refs) : new RefView(refs, table);
  }

  /**
   * Records newer refs over the table that is held: a snapshot of another process is derived from
   * the overlay seen last.
   *
   * @param refs refs of a newer manifest
   */
  public void observe(Refs refs) {
    held(refs).ifPresent(table -> view(refs, table));
  }

  /** Tests whether any table is held at this moment, of any snapshot. */
  public boolean holdsAny() {
    return held.get() != null;
  }

  /**
   * Tests whether a table would be kept, so that it is worth creating.
   *
   * @param size bytes of the table
   * @return false if it would be evicted at once
   */
  public boolean keeps(long size) {
    return budget.fits(size);
  }

  /**
   * Keeps tables, if there is memory for them and no newer ones are held: a slow reader never
   * replaces a newer table by an older one.
   *
   * @param ids their ids, at least one
   * @param table their refs
   */
  public void install(List<String> ids, RefTable table) {
    synchronized (installing) {
      CachedTable before = held.get();
      CachedTable made = new CachedTable(ids, table, held);
      if (before != null
          && (before.table() == table
              || ObjectNames.mintedAt(made.newest()) < ObjectNames.mintedAt(before.newest()))) {
        return;
      }
      held.set(made); // a concurrent release of the one before does nothing
      budget.keep(made, before);
    }
  }
}
