// SPDX-License-Identifier: Apache-2.0
package org.jgits3.refs;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jgit.lib.PersonIdent;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestCommitter;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.Proposal;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.manifest.Refs;
import org.jgits3.manifest.StoredObject;
import org.jgits3.manifest.TransactionLog;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.store.ImmutableObjects;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The refs of one repository, as all its handles in this process share them: one table in memory,
 * one line of transactions. Safe for use by many threads.
 */
public final class SharedRefs {
  private static final Logger LOG = LoggerFactory.getLogger(SharedRefs.class);

  /** Loads tried in a row while others keep compacting. */
  private static final int LOADS = 8;

  private final ManifestCommitter committer;
  private final ImmutableObjects objects;
  private final Compaction compaction;
  private final Executor background;
  private final Validation validation;
  private final AtomicBoolean compacting = new AtomicBoolean();
  private final Object loading = new Object();

  /** Newest table loaded; replaced as a whole under {@link #loading}. */
  private volatile LoadedTable loaded = new LoadedTable("", RefTable.EMPTY);

  /** Newest view made; a cache that any thread may replace. */
  private volatile RefView view = new RefView(Refs.NONE, RefTable.EMPTY);

  /** When the newest successful validation began; empty before the first. */
  private volatile OptionalLong validatedAt = OptionalLong.empty();

  private record LoadedTable(String id, RefTable table) {}

  /**
   * The refs of one repository.
   *
   * @param store where snapshots and log segments are
   * @param committer commit loop of the repository
   * @param validation when look-ups ask the store
   * @param background runs compactions
   */
  public SharedRefs(
      ObjectStore store, ManifestCommitter committer, Validation validation, Executor background) {
    this.committer = committer;
    this.objects = new ImmutableObjects(store);
    this.compaction = new Compaction(objects, committer);
    this.validation = validation;
    this.background = background;
  }

  /** A manifest and its refs. */
  private record Current(Manifest manifest, RefView view) {}

  /**
   * Refs as of some moment after this call began.
   *
   * @return the refs
   * @throws IOException if manifest or snapshot cannot be read
   */
  RefView validated() throws IOException {
    return current().view();
  }

  /**
   * Refs as recent as the administrator wants look-ups to be.
   *
   * @param asked whether the caller's handle has looked something up before
   * @return the refs
   * @throws IOException if manifest or snapshot cannot be read
   */
  RefView lookup(boolean asked) throws IOException {
    Optional<Manifest> known = committer.cached().map(VersionedManifest::manifest);
    if (known.isEmpty() || !recent(asked)) {
      return validated();
    }
    Optional<RefTable> table = loadedTable(known.get().refs().snapshot());
    return table.isPresent() ? view(known.get(), table.get()) : validated();
  }

  private boolean recent(boolean asked) {
    if (validation instanceof Validation.Within within) {
      OptionalLong at = validatedAt;
      return at.isPresent() && System.nanoTime() - at.getAsLong() < within.window().toNanos();
    }
    return asked && validation instanceof Validation.AfterOpen;
  }

  /**
   * Newest refs this process has seen, without asking the store.
   *
   * @return the refs; none before the first look-up
   */
  Refs newest() {
    return committer.cached().map(v -> v.manifest().refs()).orElse(Refs.NONE);
  }

  private Current current() throws IOException {
    IOException missing = null;
    for (int i = 0; i < LOADS; i++) {
      long began = System.nanoTime();
      Manifest manifest = committer.validate().manifest();
      validatedAt = OptionalLong.of(began);
      try {
        return new Current(manifest, view(manifest, table(manifest)));
      } catch (StoreException.Missing e) {
        // Another process compacted and swept between the two reads; if not, the manifest is
        // still the same and names a snapshot that is lost.
        if (sameSnapshot(manifest.refs(), committer.validate().manifest().refs())) {
          throw e;
        }
        missing = e;
      }
    }
    throw missing;
  }

  private static boolean sameSnapshot(Refs a, Refs b) {
    return a.snapshot().map(RefSnapshot::id).equals(b.snapshot().map(RefSnapshot::id));
  }

  private RefView view(Manifest manifest, RefTable table) {
    RefView last = view;
    if (last.refs().equals(manifest.refs()) && last.table() == table) {
      return last;
    }
    RefView made = new RefView(manifest.refs(), table);
    view = made;
    return made;
  }

  /** Table of a manifest's snapshot, loaded at most once however many ask. */
  private RefTable table(Manifest manifest) throws IOException {
    Optional<RefSnapshot> snapshot = manifest.refs().snapshot();
    Optional<RefTable> ready = loadedTable(snapshot);
    if (ready.isPresent()) {
      return ready.get();
    }
    synchronized (loading) {
      ready = loadedTable(snapshot);
      if (ready.isPresent()) {
        return ready.get();
      }
      RefSnapshot s = snapshot.orElseThrow();
      String key = ObjectNames.snapshotKey(manifest.repositoryId(), s.id());
      RefTable table = RefTable.parse(key, objects.read(key, s.size(), s.crc32c()), s.count());
      install(s.id(), table);
      return table;
    }
  }

  private Optional<RefTable> loadedTable(Optional<RefSnapshot> snapshot) {
    if (snapshot.isEmpty()) {
      return Optional.of(RefTable.EMPTY);
    }
    LoadedTable l = loaded;
    return l.id().equals(snapshot.get().id()) ? Optional.of(l.table()) : Optional.empty();
  }

  /** Keeps a table unless a newer one is there: a slow reader never puts an old one back. */
  private void install(String id, RefTable table) {
    synchronized (loading) {
      String held = loaded.id();
      if (held.isEmpty() || ObjectNames.mintedAt(id) >= ObjectNames.mintedAt(held)) {
        loaded = new LoadedTable(id, table);
      }
    }
  }

  /**
   * Commits a transaction.
   *
   * @param <R> verdict
   * @param transaction what to change
   * @return its verdict
   * @throws org.jgits3.manifest.UnknownOutcomeException if it could not be decided in time
   * @throws IOException if it could not be tried
   */
  <R> R commit(RefTransaction<R> transaction) throws IOException {
    boolean folded = false;
    for (; ; ) {
      try {
        R verdict = committer.commit(base -> propose(base, transaction));
        compactInBackgroundIfDue();
        return verdict;
      } catch (SnapshotNotLoadedException e) {
        validated();
      } catch (ManifestException.TooLarge e) {
        if (folded) {
          throw e;
        }
        compact();
        folded = true;
      }
    }
  }

  private <R> Proposal<R> propose(Manifest base, RefTransaction<R> transaction) throws IOException {
    RefTable table =
        loadedTable(base.refs().snapshot())
            .orElseThrow(
                () -> new SnapshotNotLoadedException(base.refs().snapshot().orElseThrow().id()));
    RefEdits edits = new RefEdits(view(base, table));
    RefTransaction.Outcome<R> outcome = transaction.apply(edits);
    if (edits.isEmpty()) {
      return Proposal.noEdit(outcome.verdict());
    }
    Manifest next = base.withRefs(edits.apply()).withLog(logged(base, outcome.log()));
    return Proposal.edit(next, outcome.verdict());
  }

  private static TransactionLog logged(Manifest base, List<RefTransaction.Logged> records) {
    List<LogEntry> tail = new ArrayList<>(base.log().tail());
    for (RefTransaction.Logged record : records) {
      tail.add(entry(base.generation() + 1, record, Optional.empty()));
    }
    return new TransactionLog(base.log().segments(), tail);
  }

  static LogEntry entry(
      long generation, RefTransaction.Logged record, Optional<StoredObject> external) {
    PersonIdent who = record.who();
    Instant now = Instant.now();
    return new LogEntry(
        generation,
        now.toEpochMilli(),
        who.getZoneId().getRules().getOffset(now).getTotalSeconds() / 60,
        who.getName(),
        who.getEmailAddress(),
        record.message(),
        external.isPresent() ? List.of() : record.changes(),
        external);
  }

  /**
   * Commits a transaction of many refs: the refs as they are and the changes go into a new
   * snapshot, which is uploaded first.
   *
   * @param <R> verdict
   * @param transaction what to change
   * @return its verdict
   * @throws IOException as {@link #commit}
   */
  <R> R commitLarge(RefTransaction<R> transaction) throws IOException {
    boolean folded = false;
    for (; ; ) {
      Current now = current();
      Compaction.Large<R> large = compaction.prepare(now.manifest(), now.view(), transaction);
      if (large.unchanged()) {
        return commit(transaction);
      }
      try {
        R verdict = committer.commit(large::propose);
        installIfListed(large);
        return verdict;
      } catch (SnapshotNotLoadedException e) {
        LOG.debug("refs were compacted meanwhile, preparing the batch again", e);
      } catch (ManifestException.TooLarge e) {
        if (folded) {
          throw e;
        }
        compact();
        folded = true;
      }
    }
  }

  /**
   * Keeps the table of a large transaction if it was committed. One that was refused has a snapshot
   * that no manifest lists; kept, it would pass for newer than the real one and shut that out.
   */
  private void installIfListed(Compaction.Large<?> large) {
    if (newest().snapshot().map(RefSnapshot::id).filter(large.snapshotId()::equals).isPresent()) {
      large.table().ifPresent(t -> install(large.snapshotId(), t));
    }
  }

  private void compactInBackgroundIfDue() {
    boolean due = committer.cached().map(v -> Compaction.due(v.manifest())).orElse(false);
    if (due && compacting.compareAndSet(false, true)) {
      try {
        background.execute(this::compactInBackground);
      } catch (RejectedExecutionException e) {
        compacting.set(false);
        LOG.debug("refs are not compacted while background work is being stopped", e);
      }
    }
  }

  private void compactInBackground() {
    try {
      compact();
    } catch (IOException e) {
      LOG.warn("refs were not compacted, the next update tries again: {}", e.getMessage());
    } finally {
      compacting.set(false);
    }
  }

  /**
   * Folds the overlay into a new snapshot, and the log's tail into a segment. Blocks no update.
   *
   * @throws IOException if it could not be done; nothing is lost
   */
  public void compact() throws IOException {
    Current now = current();
    compaction.run(now.manifest(), now.view()).ifPresent(w -> install(w.id(), w.table()));
  }

  /**
   * The log of transactions, newest first.
   *
   * @return a reader of the log as of some moment after this call began
   * @throws IOException if the manifest cannot be read
   */
  LogReader log() throws IOException {
    Manifest manifest = committer.validate().manifest();
    return new LogReader(objects, manifest.repositoryId(), manifest.log());
  }
}
