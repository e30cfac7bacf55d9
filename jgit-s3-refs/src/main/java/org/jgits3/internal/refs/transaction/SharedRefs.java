// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.transaction;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.RefDatabase;
import org.eclipse.jgit.util.SystemReader;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.internal.concurrent.SharedRequest;
import org.jgits3.internal.function.IoFunction;
import org.jgits3.internal.refs.log.LogCompaction;
import org.jgits3.internal.refs.log.LogObjects;
import org.jgits3.internal.refs.log.LogReader;
import org.jgits3.internal.refs.snapshot.NewSnapshot;
import org.jgits3.internal.refs.snapshot.RefEdits;
import org.jgits3.internal.refs.snapshot.RefView;
import org.jgits3.internal.refs.snapshot.SnapshotTables;
import org.jgits3.internal.refs.snapshot.SnapshotUpload;
import org.jgits3.internal.refs.snapshot.TableCache;
import org.jgits3.internal.refs.table.RefDelta;
import org.jgits3.internal.refs.table.RefFold;
import org.jgits3.internal.refs.table.RefTable;
import org.jgits3.internal.store.upload.PackUploads;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.Refs;
import org.jgits3.manifest.StoredObject;
import org.jgits3.manifest.TransactionLog;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.metrics.Counters;
import org.jgits3.store.Freshness;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The refs of one repository, as all its handles in this process share them: one table in memory,
 * one sequence of transactions. Safe for use by many threads.
 */
public final class SharedRefs {
  private static final Logger LOG = LoggerFactory.getLogger(SharedRefs.class);

  /**
   * Attempts to upload a large batch, or all refs as one table, while others keep compacting. All
   * fail only if, during each of them, others change refs that the batch depends on, or fold; a
   * fold takes as many changes as make one due.
   */
  private static final int UPLOADS = 8;

  /** Consecutive attempts to load the refs while others keep compacting. */
  private static final int LOADS = 8;

  /** Bytes of a manifest that batches fill; the rest is left to updates until a compaction ends. */
  private static final long ROOM = Manifest.MAX_BYTES - (24 << 10);

  /**
   * Maximum bytes of a batch that never needs a snapshot: packs leave so much room in any manifest.
   */
  private static final long SMALL = Manifest.ROOM_FOR_REFS / 2;

  private final ManifestCommitter committer;
  private final SnapshotTables tables;
  private final SnapshotUpload upload;
  private final LogObjects log;
  private final Compaction compaction;
  private final Folding folding;

  /**
   * Held by a batch that uploads a snapshot, because another such batch would make that snapshot
   * stale.
   */
  private final ReentrantLock largeBatches = new ReentrantLock();

  /** True if a snapshot that was read once need not be read again. */
  private final boolean trusting;

  /** Look-ups that read manifest and snapshot again to compare them. */
  private final SharedRequest<Current> comparisons;

  /** Start of the newest successful validation; empty before the first. */
  private volatile OptionalLong validatedAt = OptionalLong.empty();

  /**
   * The refs of one repository.
   *
   * @param store store of snapshots and log segments
   * @param uploads uploads of these to the store
   * @param committer commit loop of the repository
   * @param background runs compactions
   * @param counters counts what snapshots cost
   * @param budget memory for snapshots between look-ups
   */
  public SharedRefs(
      ObjectStore store,
      PackUploads uploads,
      ManifestCommitter committer,
      Executor background,
      Counters counters,
      TableCache budget) {
    this.committer = committer;
    this.trusting = committer.trusted();
    this.tables = new SnapshotTables(store, counters, budget, trusting);
    this.comparisons = new SharedRequest<>("refs", () -> current(tables::compared));
    this.upload = new SnapshotUpload(store, uploads);
    this.log = new LogObjects(store, uploads);
    this.compaction = new Compaction(upload, committer, counters);
    LogCompaction logCompaction = new LogCompaction(log, committer, counters);
    this.folding = new Folding(committer, logCompaction, this::foldOverlay, background, counters);
    committer.onChange(this::observe);
  }

  private void observe(@Nullable Manifest before, Manifest after) {
    if (before != null) {
      tables.observe(after.refs());
      folding.observe(before, after);
    }
  }

  /** A manifest and its refs. */
  public record Current(Manifest manifest, RefView view) {}

  /**
   * Refs as of some moment after this call began.
   *
   * @return the refs
   * @throws IOException if manifest or snapshot cannot be read
   */
  public RefView validated() throws IOException {
    return trusting ? current().view() : comparisons.get().view();
  }

  /**
   * Newest refs this process has seen. Asks the store only for what is not in memory.
   *
   * @return the refs
   * @throws IOException if manifest or snapshot cannot be read
   */
  public RefView newestLoaded() throws IOException {
    Optional<Manifest> known = knownManifest();
    if (known.isEmpty()) {
      return validated();
    }
    try {
      return tables.view(known.get().refs(), tables.of(known.get()));
    } catch (StoreException.Missing e) {
      LOG.debug("the refs were compacted, and their old snapshot swept, meanwhile", e);
      return validated();
    }
  }

  /**
   * Refs of a manifest.
   *
   * @param manifest a manifest of the repository
   * @return its refs, which cannot be changed
   * @throws StoreException.Missing if they were compacted and swept meanwhile
   * @throws IOException if they are not in memory and cannot be read
   */
  public RefDatabase of(Manifest manifest) throws IOException {
    return tables.view(manifest.refs(), tables.of(manifest));
  }

  /**
   * Newest refs this process has seen, without asking the store. Suitable for decisions that are
   * checked again at the commit.
   *
   * @return the refs; empty if nothing was seen yet, the repository is known to be gone, or the
   *     snapshot is not in memory
   */
  public Optional<RefView> known() {
    Optional<Manifest> manifest = knownManifest();
    if (manifest.isEmpty()) {
      return Optional.empty();
    }
    Optional<RefTable> table = tables.held(manifest.get().refs());
    return table.isEmpty()
        ? Optional.empty()
        : Optional.of(tables.view(manifest.get().refs(), table.get()));
  }

  private Optional<Manifest> knownManifest() {
    return committer.isGone()
        ? Optional.empty()
        : committer.cached().map(VersionedManifest::manifest);
  }

  /**
   * Asks the store for the newest manifest. Where versions are not trusted, also compares the
   * snapshot that is in memory with the store; one that is not in memory is left to look-ups.
   *
   * @throws IOException if it cannot be read
   */
  public void validate() throws IOException {
    if (trusting || !tables.holdsAny()) {
      long began = System.nanoTime();
      committer.validate();
      validated(began);
    } else {
      comparisons.get();
    }
  }

  /**
   * Takes the manifest with which the repository was created.
   *
   * @param created the manifest
   * @param began a moment before it was written: a reading of {@link System#nanoTime}
   * @throws ManifestException.Gone if the name stands for another repository by now
   */
  public void created(VersionedManifest created, long began) throws ManifestException.Gone {
    committer.created(created);
    validated(began);
  }

  /**
   * Tests whether the newest answer of the store will do, and the repository existed then.
   *
   * @param wanted answers that will do
   * @return true if the store need not be asked
   */
  public boolean isKnown(Freshness wanted) {
    return !committer.isGone() && wanted.accepts(validatedAt);
  }

  /** Records a validation, unless one that began later was recorded before. */
  private synchronized void validated(long began) {
    if (validatedAt.isEmpty() || validatedAt.getAsLong() - began < 0) {
      validatedAt = OptionalLong.of(began);
    }
  }

  /**
   * Newest refs this process has seen, without asking the store.
   *
   * @return the refs; none before the first look-up
   */
  public Refs newest() {
    return committer.cached().map(v -> v.manifest().refs()).orElse(Refs.NONE);
  }

  /** Manifest and refs as of some moment after this call began. */
  public Current current() throws IOException {
    return current(tables::of);
  }

  private Current current(IoFunction<Manifest, RefTable> source) throws IOException {
    IOException missing = null;
    for (int i = 0; i < LOADS; i++) {
      long began = System.nanoTime();
      Manifest manifest = committer.validate().manifest();
      try {
        RefView view = tables.view(manifest.refs(), source.apply(manifest));
        validated(began);
        return new Current(manifest, view);
      } catch (StoreException.Missing e) {
        // Another process compacted and swept between the two reads; if not, the manifest is
        // still the same and names a snapshot that is lost.
        if (manifest.refs().sameTables(committer.validate().manifest().refs())) {
          throw e;
        }
        missing = e;
      }
    }
    throw missing;
  }

  /**
   * Commits a transaction.
   *
   * @param <R> verdict
   * @param objects tells the packs that the same write lists
   * @param transaction what to change
   * @param seen generation of a manifest known before the objects that refs are to lead to were
   *     first looked for
   * @param prepared refs that the caller has in memory; its table serves if none is kept
   * @return its verdict
   * @throws ObjectsDroppedException if garbage was removed since that generation
   * @throws org.jgits3.manifest.UnknownOutcomeException if it could not be decided in time
   * @throws IOException if it could not be tried
   */
  public <R> R commit(
      ObjectPresence objects, RefTransaction<R> transaction, long seen, Optional<RefView> prepared)
      throws IOException {
    int full = 0;
    Optional<RefView> loaded = prepared;
    long began = System.nanoTime();
    for (; ; ) {
      Optional<RefView> held = loaded;
      AtomicBoolean obliged = new AtomicBoolean();
      try {
        R verdict =
            committer.commit(
                base -> {
                  Proposal<R> proposal = propose(base, held, transaction, seen);
                  obliged.set(
                      proposal instanceof Proposal.Edit<R> edit
                          && Folding.obliges(base, edit.next()));
                  return proposal;
                },
                objects.unlisted());
        if (trusting) {
          validated(began); // the verdict rests on an answer since then
        }
        folding.consider(obliged.get());
        return verdict;
      } catch (OvertakenException e) {
        // Held here until the end: there may be no memory to keep it in between.
        loaded = Optional.of(current().view());
      } catch (ManifestException.TooLarge e) {
        if (!makeRoom(e, full++)) {
          throw e;
        }
      }
    }
  }

  private <R> Proposal<R> propose(
      Manifest base, Optional<RefView> loaded, RefTransaction<R> transaction, long seen)
      throws IOException {
    RefTable table =
        tables
            .held(base.refs())
            .or(
                () ->
                    loaded.filter(view -> base.refs().sameTables(view.refs())).map(RefView::table))
            .orElseThrow(() -> new OvertakenException("a table of refs"));
    RefEdits edits = new RefEdits(tables.view(base.refs(), table));
    RefTransaction.Outcome<R> outcome = transaction.apply(edits);
    if (edits.isEmpty()) {
      return Proposal.noEdit(outcome.verdict());
    }
    Manifest next = base.withRefs(edits.apply()).withLog(logged(base, outcome.log()));
    checkDropped(base, edits::tips, seen);
    return Proposal.edit(next, outcome.verdict());
  }

  /**
   * Checks that no garbage was removed, if a change makes refs point to objects.
   *
   * @param base manifest to change
   * @param tips gives the ids that the changed refs will point to
   * @param seen generation of a manifest that was known before the first look for an object
   * @throws ObjectsDroppedException if garbage was removed since that generation
   */
  static void checkDropped(Manifest base, Supplier<Set<ObjectId>> tips, long seen)
      throws ObjectsDroppedException {
    if (base.dropped() > seen && !tips.get().isEmpty()) {
      throw new ObjectsDroppedException(tips.get());
    }
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
    Instant now = SystemReader.getInstance().now();
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
   * Commits a transaction of many refs, in the manifest if it has room for them.
   *
   * @param <R> verdict
   * @param objects tells the packs that the same write lists
   * @param transaction what to change
   * @param seen as for {@link #commit}
   * @param bytes about what it adds to the manifest
   * @return its verdict
   * @throws IOException as {@link #commit}
   */
  public <R> R commitBatch(
      ObjectPresence objects, RefTransaction<R> transaction, long seen, long bytes)
      throws IOException {
    if (bytes <= SMALL) {
      return commit(objects, transaction, seen, Optional.empty());
    }
    long used = committer.cached().map(v -> v.manifest().approximateBytes()).orElse(0L);
    if (used + bytes <= ROOM) {
      try {
        return commit(objects, transaction, seen, Optional.empty());
      } catch (ManifestException.TooLarge e) {
        // Other batches keep filling the manifest.
        LOG.debug("a batch is committed with a snapshot, since the manifest has no room", e);
      }
    }
    return commitLarge(objects, transaction, seen);
  }

  /**
   * Commits a transaction with a new snapshot, which is uploaded first. Meanwhile this process
   * begins no compaction in the background and no other such batch: either would make the snapshot
   * stale, and the upload useless.
   */
  private <R> R commitLarge(ObjectPresence objects, RefTransaction<R> transaction, long seen)
      throws IOException {
    largeBatches.lock();
    try {
      return folding.holding(() -> uploadAndCommit(objects, transaction, seen));
    } finally {
      largeBatches.unlock();
      folding.consider(true);
    }
  }

  private <R> R uploadAndCommit(ObjectPresence objects, RefTransaction<R> transaction, long seen)
      throws IOException {
    int full = 0;
    for (int i = 0; i < UPLOADS; i++) {
      Current now = current();
      Optional<LargeTransaction<R>> prepared =
          LargeTransaction.prepare(now.manifest(), now.view(), transaction, seen, upload, log);
      if (prepared.isEmpty()) {
        return commit(objects, transaction, seen, Optional.of(now.view()));
      }
      LargeTransaction<R> large = prepared.get();
      try {
        R verdict = committer.commit(large::propose, objects.unlisted());
        installIfListed(large);
        return verdict;
      } catch (OvertakenException e) {
        LOG.debug("preparing a large batch again", e);
        large.discard(upload, log);
      } catch (ManifestException.TooLarge e) {
        large.discard(upload, log);
        if (!makeRoom(e, full++)) {
          throw e;
        }
      }
    }
    throw new IOException(
        "refs of a large batch were changed, or the refs compacted elsewhere, during each of "
            + UPLOADS
            + " uploads; nothing was done, try again");
  }

  /**
   * Keeps the table of a large transaction if it was committed. No manifest lists the snapshot of a
   * refused one; if its table were kept, it would pass for newer than the real table and keep that
   * out.
   */
  private void installIfListed(LargeTransaction<?> large) {
    if (newest().tableIds().equals(large.tableIds())) {
      tables.install(large.tableIds(), large.table());
    }
  }

  /** Makes room in the manifest for a commit that found none, as {@link Folding#makeRoom} does. */
  public boolean makeRoom(ManifestException.TooLarge full, int attempt) throws IOException {
    return folding.makeRoom(full, attempt);
  }

  /**
   * Writes all refs as one table, and the log's tail as a segment. Blocks no update.
   *
   * @throws IOException if it could not be done, for example because others kept folding; nothing
   *     is lost
   */
  public void compact() throws IOException {
    compact(RefFold::intoBase);
  }

  /**
   * Writes all refs of a fork as one table of its own, and its log as a segment, so that it lists
   * none of its template. Blocks no update.
   *
   * @throws IOException as {@link #compact()}, or if the log is damaged
   */
  public void copyFromTemplate() throws IOException {
    compact();
    folding.copyLog();
  }

  /** Folds refs into a table, and the log into a segment, even if no fold is due. */
  void compact(BiFunction<RefTable, RefDelta, RefFold> levels) throws IOException {
    folding.all(() -> foldPersistently(levels));
  }

  private void foldPersistently(BiFunction<RefTable, RefDelta, RefFold> levels) throws IOException {
    for (int i = 0; i < UPLOADS; i++) {
      try {
        foldRefs(levels);
        return;
      } catch (OvertakenException e) {
        LOG.debug("folding refs again", e);
      }
    }
    throw new IOException(
        "refs were compacted elsewhere during each of "
            + UPLOADS
            + " uploads of a table of refs; nothing was done, try again");
  }

  /** Folds the overlay, unless others do. */
  private void foldOverlay() throws IOException {
    try {
      foldRefs(RefFold::of);
    } catch (OvertakenException e) {
      LOG.debug("refs were folded elsewhere", e);
    }
  }

  private void foldRefs(BiFunction<RefTable, RefDelta, RefFold> levels) throws IOException {
    Current now = current();
    Optional<NewSnapshot> made = compaction.run(now.manifest(), now.view(), levels);
    if (made.isPresent() && tables.keeps(made.get().snapshot().size())) {
      RefFold fold = made.get().fold();
      tables.install(made.get().tableIds(now.view().refs()), fold.with(fold.merge().build()));
    }
    if (made.isPresent() && made.get().fold().isBase() && newest().hasRecent()) {
      throw new OvertakenException("a table of all refs");
    }
  }

  /** Generation of the newest manifest this process has seen; 0 before the first. */
  public long generation() {
    return committer.cached().map(v -> v.manifest().generation()).orElse(0L);
  }

  /** Generation that last removed objects, in the newest manifest this process has seen. */
  public long dropped() {
    return committer.cached().map(v -> v.manifest().dropped()).orElse(0L);
  }

  /** The manifest as of some moment after this call began. */
  public Manifest validatedManifest() throws IOException {
    return committer.validate().manifest();
  }

  /** Tests whether this process has committed a generation of the repository, not long ago. */
  public boolean hasCommitted(long generation) {
    return committer.hasCommitted(generation);
  }

  /** The objects that the log of transactions lists. */
  public LogObjects logObjects() {
    return log;
  }

  /**
   * The log of transactions, newest first.
   *
   * @return a reader of the log as of some moment after this call began
   * @throws IOException if the manifest cannot be read
   */
  public LogReader log() throws IOException {
    return new LogReader(log, validatedManifest());
  }
}
