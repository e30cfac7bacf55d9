// SPDX-License-Identifier: Apache-2.0
package org.jgits3.refs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.Proposal;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.manifest.Refs;
import org.jgits3.manifest.StoredObject;
import org.jgits3.manifest.TransactionLog;
import org.jgits3.refs.RefTransaction.Complete;
import org.jgits3.refs.RefTransaction.Logged;
import org.jgits3.refs.RefTransaction.Outcome;
import org.jgits3.store.Gang;

/**
 * A transaction too large for the manifest: what it makes of the refs is uploaded as a snapshot
 * first, and then committed. It keeps what it uploaded across competing commits: their changes go
 * on top, and whatever they may have decided otherwise is decided again.
 *
 * <p>Immutable; proposals have no other effect.
 *
 * @param <R> verdict
 */
final class LargeTransaction<R> {
  private final RefTransaction<R> transaction;

  /** Refs that it was prepared on. */
  private final RefView view;

  private final Prepared<R> prepared;
  private final NewSnapshot made;
  private final RefTable table;
  private final List<Recorded> recorded;

  /**
   * What the transaction makes of the refs it was prepared on.
   *
   * @param changes what becomes of the refs that packed-refs can hold
   * @param refs all refs afterwards, as far as a snapshot cannot hold them
   * @param outcome verdict and log
   * @param complete whether it is a {@link Complete} transaction
   */
  private record Prepared<R>(ChangedRefs changes, Refs refs, Outcome<R> outcome, boolean complete) {
    /** Empty if the transaction changes nothing. */
    static <R> Optional<Prepared<R>> of(RefTransaction<R> transaction, RefView view)
        throws IOException {
      Optional<Complete<R>> complete = transaction.applyAtOnce(view);
      if (complete.isPresent()) {
        Complete<R> c = complete.get();
        return Optional.of(new Prepared<>(c.changes(), view.refs(), c.outcome(), true));
      }
      RefEdits edits = new RefEdits(view);
      Outcome<R> outcome = transaction.apply(edits);
      return edits.isEmpty()
          ? Optional.empty()
          : Optional.of(new Prepared<>(edits.changes(), edits.apply(), outcome, false));
    }
  }

  /** A record of the log whose changes were uploaded. */
  private record Recorded(Logged logged, StoredObject object) {}

  /** What is uploaded before the commit: snapshot and records, each by one thread. */
  private static final class Uploads {
    private NewSnapshot snapshot;
    private RefTable table;
    private final List<Recorded> records = new ArrayList<>();

    void snapshot(Manifest manifest, RefView view, ChangedRefs changes, SnapshotUpload upload)
        throws IOException {
      SnapshotMerge merge = new SnapshotMerge(view.table(), view.foldable().then(changes));
      table = merge.build();
      snapshot = new NewSnapshot(upload.whole(manifest, merge, table), merge);
    }

    void records(Manifest manifest, List<Logged> all, LogObjects log) throws IOException {
      for (Logged l : all) {
        log.writeIfLarge(manifest, l.changes()).ifPresent(o -> records.add(new Recorded(l, o)));
      }
    }
  }

  private LargeTransaction(
      RefTransaction<R> transaction, RefView view, Prepared<R> prepared, Uploads uploads) {
    this.transaction = transaction;
    this.view = view;
    this.prepared = prepared;
    this.made = uploads.snapshot;
    this.table = uploads.table;
    this.recorded = uploads.records;
  }

  /**
   * Uploads what a transaction makes of the refs, and its changes for the log.
   *
   * @param <R> verdict
   * @param manifest manifest validated in this operation
   * @param view its refs
   * @param transaction what to change
   * @param upload takes the snapshot
   * @param log takes the changes
   * @return the transaction, ready to commit; empty if it changes nothing
   * @throws IOException if something cannot be uploaded
   */
  static <R> Optional<LargeTransaction<R>> prepare(
      Manifest manifest,
      RefView view,
      RefTransaction<R> transaction,
      SnapshotUpload upload,
      LogObjects log)
      throws IOException {
    Optional<Prepared<R>> edited = Prepared.of(transaction, view);
    if (edited.isEmpty()) {
      return Optional.empty();
    }
    Prepared<R> prepared = edited.get();
    Uploads uploads = new Uploads();
    Gang.all(
        () -> uploads.snapshot(manifest, view, prepared.changes(), upload),
        () -> uploads.records(manifest, prepared.outcome().log(), log));
    return Optional.of(new LargeTransaction<>(transaction, view, prepared, uploads));
  }

  /** Id of the snapshot that was uploaded. */
  String snapshotId() {
    return made.snapshot().id();
  }

  /** Table of the snapshot that was uploaded. */
  RefTable table() {
    return table;
  }

  /**
   * Proposes the transaction.
   *
   * @param base manifest to follow
   * @return the next manifest and the verdict
   * @throws SnapshotNotLoadedException if the refs were compacted, so that it must be prepared anew
   */
  Proposal<R> propose(Manifest base) throws IOException {
    Refs before = view.refs();
    if (!NewSnapshot.sameBase(before, base.refs())) {
      throw new SnapshotNotLoadedException(base.refs().snapshot().map(RefSnapshot::id).orElse(""));
    }
    Set<String> foreign = NewSnapshot.differing(before, base.refs());
    if (before.symrefs().equals(base.refs().symrefs())) {
      if (foreign.isEmpty()) {
        Refs refs = made.express(new RefView(prepared.refs(), view.table()), Set.of());
        return edit(base, refs, prepared.outcome());
      }
      RefView now = new RefView(base.refs(), view.table());
      if (prepared.complete() && foreign.stream().allMatch(name -> apart(now, name))) {
        return edit(base, made.express(now, underRefs(foreign)), prepared.outcome());
      }
    }
    return decideAgain(base, foreign);
  }

  /** Whether what others made of a ref cannot matter to this transaction. */
  private boolean apart(RefView now, String name) {
    return prepared.changes().get(name).isEmpty()
        && (now.direct(name).isEmpty() || !prepared.changes().conflicting(name));
  }

  private static List<String> underRefs(Set<String> names) {
    return names.stream().filter(SnapshotMerge::holds).toList();
  }

  private Proposal<R> decideAgain(Manifest base, Set<String> foreign) throws IOException {
    RefEdits edits = new RefEdits(new RefView(base.refs(), view.table()));
    Outcome<R> outcome = transaction.apply(edits);
    if (edits.isEmpty()) {
      return Proposal.noEdit(outcome.verdict());
    }
    Set<String> names = new HashSet<>(underRefs(foreign));
    prepared.changes().forEach((name, value) -> names.add(name));
    edits.changes().forEach((name, value) -> names.add(name));
    return edit(base, made.express(new RefView(edits.apply(), view.table()), names), outcome);
  }

  private Proposal<R> edit(Manifest base, Refs refs, Outcome<R> outcome) throws IOException {
    List<LogEntry> tail = new ArrayList<>(base.log().tail());
    for (Logged l : outcome.log()) {
      Optional<StoredObject> uploaded =
          recorded.stream()
              .filter(r -> r.logged().changes().equals(l.changes()))
              .map(Recorded::object)
              .findFirst();
      tail.add(SharedRefs.entry(base.generation() + 1, l, uploaded));
    }
    Manifest next = base.withRefs(refs).withLog(new TransactionLog(base.log().segments(), tail));
    ObjectsDroppedException.check(base, prepared.changes()::tips, transaction.seen());
    return Proposal.edit(next, outcome.verdict());
  }
}
