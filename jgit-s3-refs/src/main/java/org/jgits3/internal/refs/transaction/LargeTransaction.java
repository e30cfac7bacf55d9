// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.transaction;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.internal.refs.log.LogObjects;
import org.jgits3.internal.refs.snapshot.NewSnapshot;
import org.jgits3.internal.refs.snapshot.ReadSet;
import org.jgits3.internal.refs.snapshot.RefEdits;
import org.jgits3.internal.refs.snapshot.RefView;
import org.jgits3.internal.refs.snapshot.SnapshotUpload;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefDelta;
import org.jgits3.internal.refs.table.RefFold;
import org.jgits3.internal.refs.table.RefTable;
import org.jgits3.internal.refs.transaction.RefTransaction.Complete;
import org.jgits3.internal.refs.transaction.RefTransaction.Logged;
import org.jgits3.internal.refs.transaction.RefTransaction.Outcome;
import org.jgits3.internal.store.read.ParallelRequests;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RefValue;
import org.jgits3.manifest.Refs;
import org.jgits3.manifest.StoredObject;
import org.jgits3.manifest.TransactionLog;
import org.jgits3.manifest.UnknownOutcomeException;

/**
 * A transaction too large for the manifest: the resulting refs are uploaded as a snapshot first,
 * and then committed. A competing commit does not invalidate the snapshot: its changes go on top,
 * unless they could alter the decision.
 *
 * <p>Immutable; proposals have no other effect.
 *
 * @param <R> verdict
 */
final class LargeTransaction<R> {
  private final Manifest manifest;
  private final long seen;

  /** Refs that it was prepared on. */
  private final RefView view;

  private final Prepared<R> prepared;
  private final NewSnapshot made;
  private final RefTable table;

  /** For each record of the log the object with its changes, if they were uploaded. */
  private final List<Optional<StoredObject>> recorded;

  /**
   * Result of the transaction on the refs it was prepared on.
   *
   * @param changes changes of the refs that packed-refs can hold
   * @param initial all of them, if there were none before
   * @param refs refs afterwards that a snapshot cannot hold
   * @param outcome verdict and log
   * @param readSet refs it was decided on; empty for a {@link Complete} transaction
   */
  private record Prepared<R>(
      RefDelta changes,
      Optional<PackedRefsTable> initial,
      Refs refs,
      Outcome<R> outcome,
      Optional<ReadSet> readSet) {
    /** Empty if the transaction changes nothing. */
    static <R> Optional<Prepared<R>> of(RefTransaction<R> transaction, RefView view)
        throws IOException {
      Optional<Complete<R>> complete = transaction.applyAtOnce(view);
      if (complete.isPresent()) {
        Complete<R> c = complete.get();
        return Optional.of(
            new Prepared<>(
                c.changes(),
                c.initial(),
                view.outsideSnapshot().refs(),
                c.outcome(),
                Optional.empty()));
      }
      ReadSet readSet = new ReadSet();
      RefEdits edits = new RefEdits(view, readSet);
      Outcome<R> outcome = transaction.apply(edits);
      return edits.isEmpty()
          ? Optional.empty()
          : Optional.of(
              new Prepared<>(
                  edits.changes(),
                  Optional.empty(),
                  edits.outsideSnapshot(),
                  outcome,
                  Optional.of(readSet)));
    }

    RefFold fold(RefView view) {
      return initial.isPresent()
          ? RefFold.intoBase(new RefTable(initial.get()), changes)
          : RefFold.of(view.table(), view.foldable().then(changes));
    }

    /** Ids of the changed refs, those outside the snapshot among them. */
    Set<ObjectId> tips(RefView before) {
      Set<ObjectId> tips = initial.map(PackedRefsTable::tips).orElseGet(changes::tips);
      refs.overlay()
          .forEach(
              (name, value) -> {
                if (value instanceof RefValue.Direct direct
                    && !before.direct(name).equals(Optional.of(direct))) {
                  tips.add(direct.id());
                }
              });
      return tips;
    }

    /** Tests whether a change by others could alter the decision. */
    boolean concernedBy(String name, RefView before, RefView now) {
      if (readSet.isPresent()) {
        return readSet.get().concerns(name, before.direct(name), now.direct(name));
      }
      return initial.isPresent()
          || changes.get(name).isPresent()
          || (now.direct(name).isPresent() && changes.conflicting(name));
    }
  }

  /** Uploads before the commit: snapshot and records, each by one thread. */
  private static final class Uploads {
    private NewSnapshot snapshot;
    private RefTable table;
    private final List<Optional<StoredObject>> records = new ArrayList<>();

    void snapshot(Manifest manifest, RefView view, RefFold fold, SnapshotUpload upload)
        throws IOException {
      Compaction.prove(manifest, view.table(), fold);
      PackedRefsTable written = fold.merge().build();
      snapshot = new NewSnapshot(upload.whole(manifest, fold, written), fold);
      table = fold.with(written);
    }

    void records(Manifest manifest, List<Logged> all, LogObjects log) throws IOException {
      for (Logged l : all) {
        records.add(log.writeIfLarge(manifest, l.changes()));
      }
    }
  }

  private LargeTransaction(
      Manifest manifest, long seen, RefView view, Prepared<R> prepared, Uploads uploads) {
    this.manifest = manifest;
    this.seen = seen;
    this.view = view;
    this.prepared = prepared;
    this.made = uploads.snapshot;
    this.table = uploads.table;
    this.recorded = uploads.records;
  }

  /**
   * Uploads the refs that result from a transaction, and its changes for the log.
   *
   * @param <R> verdict
   * @param manifest manifest validated in this operation
   * @param view its refs
   * @param transaction the transaction
   * @param seen as for {@link SharedRefs#commit}
   * @param upload takes the snapshot
   * @param log takes the changes
   * @return the transaction, ready to commit; empty if it changes nothing
   * @throws org.jgits3.store.StoreException.Corrupt if the tables are not those that were written
   * @throws IOException if an upload fails
   */
  static <R> Optional<LargeTransaction<R>> prepare(
      Manifest manifest,
      RefView view,
      RefTransaction<R> transaction,
      long seen,
      SnapshotUpload upload,
      LogObjects log)
      throws IOException {
    Optional<Prepared<R>> edited = Prepared.of(transaction, view);
    if (edited.isEmpty()) {
      return Optional.empty();
    }
    Prepared<R> prepared = edited.get();
    Uploads uploads = new Uploads();
    ParallelRequests.all(
        () -> uploads.snapshot(manifest, view, prepared.fold(view), upload),
        () -> uploads.records(manifest, prepared.outcome().log(), log));
    return Optional.of(new LargeTransaction<>(manifest, seen, view, prepared, uploads));
  }

  /** Deletes the uploads, which no manifest lists or will list. */
  void discard(SnapshotUpload upload, LogObjects log) {
    upload.discard(manifest, made.snapshot());
    recorded.forEach(each -> each.ifPresent(object -> log.discard(manifest, object)));
  }

  /** Ids of the tables with the one that was uploaded. */
  List<String> tableIds() {
    return made.tableIds(view.refs());
  }

  /** Refs of these tables. */
  RefTable table() {
    return table;
  }

  /**
   * Proposes the transaction.
   *
   * @param base manifest to follow
   * @return the next manifest and the verdict
   * @throws OvertakenException if it must be prepared anew, because others changed or folded refs
   * @throws UnknownOutcomeException if an upload is listed: the store has applied a request and
   *     refused a copy of it, and the trace of the write is pruned
   */
  Proposal<R> propose(Manifest base) throws IOException {
    if (listsUploads(base)) {
      throw new UnknownOutcomeException(
          ObjectNames.snapshotKey(manifest.repositoryId(), made.snapshot().id())
              + ": refs of a large batch, whose commit seemed to be refused, are listed; outcome"
              + " unknown, look at the repository before retrying",
          null);
    }
    Refs before = view.refs();
    if (!before.sameTables(base.refs())) {
      throw new OvertakenException("a table of refs");
    }
    if (!before.symrefs().equals(base.refs().symrefs())) {
      throw new OvertakenException("a symbolic ref");
    }
    RefView now = new RefView(base.refs(), view.table());
    Set<String> foreign = NewSnapshot.differing(before, base.refs());
    for (String name : foreign) {
      if (prepared.concernedBy(name, view, now)) {
        throw new OvertakenException(name);
      }
    }
    return edit(base, made.express(withForeign(foreign, base.refs()), underRefs(foreign)));
  }

  private boolean listsUploads(Manifest base) {
    return base.refs().tableIds().contains(made.snapshot().id())
        || base.log().objects().map(Optional::of).anyMatch(recorded::contains);
  }

  /** The refs that the snapshot does not hold, and those that others changed. */
  private RefView withForeign(Set<String> foreign, Refs base) {
    TreeMap<String, RefValue> overlay = new TreeMap<>(prepared.refs().overlay());
    for (String name : foreign) {
      RefValue value = base.overlay().get(name);
      if (value == null) {
        overlay.remove(name);
      } else {
        overlay.put(name, value);
      }
    }
    return new RefView(base.with(overlay, prepared.refs().symrefs()), view.table());
  }

  private static List<String> underRefs(Set<String> names) {
    return names.stream().filter(PackedRefsTable::holds).toList();
  }

  private Proposal<R> edit(Manifest base, Refs refs) throws IOException {
    List<LogEntry> tail = new ArrayList<>(base.log().tail());
    for (int i = 0; i < recorded.size(); i++) {
      Logged record = prepared.outcome().log().get(i);
      tail.add(SharedRefs.entry(base.generation() + 1, record, recorded.get(i)));
    }
    Manifest next = base.withRefs(refs).withLog(new TransactionLog(base.log().segments(), tail));
    SharedRefs.checkDropped(base, () -> prepared.tips(view), seen);
    return Proposal.edit(next, prepared.outcome().verdict());
  }
}
