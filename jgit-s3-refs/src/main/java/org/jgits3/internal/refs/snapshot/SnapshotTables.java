// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefsCounters;
import org.jgits3.internal.refs.table.RefsCounters.Event;
import org.jgits3.internal.store.read.ImmutableObjects;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.manifest.Refs;
import org.jgits3.store.ObjectStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Newest table of one repository. Loads it at most once for all concurrent callers, and keeps it as
 * long as the memory set for all repositories allows. Safe for use by many threads.
 *
 * <p>An id names one content and is never reused, so a table that is held, or being loaded by
 * another thread, is as good as a new one, however old. Only trust in the store must not be older
 * than the call; see {@link #compared}.
 */
public final class SnapshotTables {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotTables.class);

  private final SnapshotDownload landing;
  private final SnapshotComparison comparison;
  private final RefsCounters metrics;
  private final TableCache budget;
  private final Derivation derivation;

  /** Held while a table takes the place of another; never while something is read. */
  private final Object installing = new Object();

  /**
   * Newest table loaded. A newer one takes its place under {@link #installing}; the budget puts
   * null there at any time.
   */
  private final AtomicReference<CachedTable> held = new AtomicReference<>();

  /**
   * Loads in progress, by id. Each ends with a {@link PackedRefsTable}, a {@link Throwable}, or
   * null if the loader was interrupted: then it is loaded again.
   */
  private final Map<String, CompletableFuture<Object>> loads = new ConcurrentHashMap<>();

  public SnapshotTables(
      ObjectStore store, RefsCounters metrics, TableCache budget, boolean trustVersions) {
    this.landing = new SnapshotDownload(store, trustVersions, SnapshotDownload.Sizes.DEFAULT);
    this.comparison = new SnapshotComparison(store);
    this.metrics = metrics;
    this.budget = budget;
    this.derivation = new Derivation(new ImmutableObjects(store), metrics);
  }

  /**
   * Table of a manifest's snapshot.
   *
   * @param manifest the manifest
   * @return its table, loaded unless it is held
   * @throws org.jgits3.store.StoreException.Missing if the store does not have the snapshot
   * @throws IOException if it cannot be read
   */
  public PackedRefsTable of(Manifest manifest) throws IOException {
    Optional<RefSnapshot> snapshot = manifest.refs().snapshot();
    Optional<PackedRefsTable> ready = held(snapshot);
    if (ready.isPresent()) {
      return ready.get();
    }
    while (true) {
      CompletableFuture<Object> mine = new CompletableFuture<>();
      CompletableFuture<Object> running = loads.putIfAbsent(snapshot.get().id(), mine);
      if (running == null) {
        return load(manifest, mine);
      }
      Object end = running.join();
      if (end instanceof PackedRefsTable table) {
        return table;
      } else if (end instanceof IOException e) {
        throw e;
      } else if (end instanceof Throwable e) {
        throw new IOException("refs snapshot " + snapshot.get().id() + ": cannot be loaded", e);
      }
    }
  }

  private PackedRefsTable load(Manifest manifest, CompletableFuture<Object> mine)
      throws IOException {
    RefSnapshot s = manifest.refs().snapshot().orElseThrow();
    Object end = null;
    try {
      // Another load may have ended between the look at what is held and the entry among the loads.
      Optional<PackedRefsTable> ready = held(Optional.of(s));
      ready = ready.isPresent() ? ready : derive(manifest);
      PackedRefsTable table =
          ready.isPresent() ? ready.get() : download(manifest.repositoryId(), s);
      install(s.id(), table);
      end = table;
      return table;
    } catch (IOException | RuntimeException | Error e) {
      end = Thread.currentThread().isInterrupted() ? null : e;
      throw e;
    } finally {
      mine.complete(end);
      loads.remove(s.id(), mine);
    }
  }

  /**
   * Table of a manifest's snapshot, after a comparison of all bytes in the store. If they are the
   * same, returns the held table without parsing or copying anything.
   *
   * <p>If they differ, the snapshot is read again and checked against the manifest. If it is
   * intact, it replaces the table. If not, this fails and the table stays: it passed the same
   * checks, so it has the bytes that were written. Updates go on with it, and the next compaction
   * writes it to the store under another name, beside the damaged object.
   *
   * @param manifest the manifest
   * @return its table
   * @throws org.jgits3.store.StoreException.Corrupt if the store has other bytes
   * @throws IOException as {@link #of}
   */
  public PackedRefsTable compared(Manifest manifest) throws IOException {
    Optional<RefSnapshot> snapshot = manifest.refs().snapshot();
    Optional<PackedRefsTable> ready = held(snapshot);
    if (snapshot.isEmpty() || ready.isEmpty()) {
      return of(manifest);
    }
    RefSnapshot s = snapshot.get();
    String key = ObjectNames.snapshotKey(manifest.repositoryId(), s.id());
    metrics.count(Event.COMPARISON);
    if (comparison.same(key, ready.get())) {
      return ready.get();
    }
    metrics.count(Event.DIFFERENCE);
    LOG.warn("refs snapshot {}: the store has other bytes than were read before", key);
    PackedRefsTable read = download(manifest.repositoryId(), s);
    install(s.id(), read);
    return read;
  }

  private Optional<PackedRefsTable> derive(Manifest manifest) {
    CachedTable h = held.get();
    return h == null ? Optional.empty() : derivation.derive(h, manifest);
  }

  private PackedRefsTable download(String repositoryId, RefSnapshot s) throws IOException {
    String key = ObjectNames.snapshotKey(repositoryId, s.id());
    metrics.count(Event.DOWNLOAD);
    PackedRefsTable table = landing.land(key, s);
    metrics.count(Event.PARSE);
    return table;
  }

  /**
   * Table of a snapshot, if it is in memory.
   *
   * @param snapshot snapshot; empty for the one without refs
   * @return its table
   */
  public Optional<PackedRefsTable> held(Optional<RefSnapshot> snapshot) {
    if (snapshot.isEmpty()) {
      return Optional.of(PackedRefsTable.EMPTY);
    }
    CachedTable h = held.get();
    if (h == null || !h.id().equals(snapshot.get().id())) {
      return Optional.empty();
    }
    budget.use(h);
    return Optional.of(h.table());
  }

  /**
   * All refs of a manifest.
   *
   * @param refs refs of the manifest
   * @param table table of its snapshot
   * @return the refs; the last view if the manifest is the same
   */
  public RefView view(Refs refs, PackedRefsTable table) {
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
    held(refs.snapshot()).ifPresent(table -> view(refs, table));
  }

  /** Tests whether any table is held at this moment, of any snapshot. */
  public boolean holdsAny() {
    return held.get() != null;
  }

  /**
   * Tests whether a snapshot's table would be kept, so that it is worth creating.
   *
   * @param size bytes of the snapshot
   * @return false if it would be evicted at once
   */
  public boolean keeps(long size) {
    return budget.fits(size);
  }

  /**
   * Keeps a table, if there is memory for it and no newer one is held: a slow reader never replaces
   * a newer table by an older one.
   *
   * @param id id of the snapshot
   * @param table its table
   */
  public void install(String id, PackedRefsTable table) {
    synchronized (installing) {
      CachedTable before = held.get();
      if (before != null
          && (before.table() == table
              || ObjectNames.mintedAt(id) < ObjectNames.mintedAt(before.id()))) {
        return;
      }
      CachedTable made = new CachedTable(id, table, held);
      held.set(made); // if the budget lets the one before go at this moment, it finds it gone
      budget.keep(made, before);
    }
  }
}
