// SPDX-License-Identifier: Apache-2.0
package org.jgits3.refs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.eclipse.jgit.lib.Constants;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.LogSegment;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestCommitter;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.Proposal;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.manifest.RefValue;
import org.jgits3.manifest.Refs;
import org.jgits3.manifest.StoredObject;
import org.jgits3.manifest.TransactionLog;
import org.jgits3.store.ImmutableObjects;

/**
 * Moves what grows in a manifest to immutable objects: the overlay into a snapshot, the log's tail
 * into a segment.
 *
 * <p>The objects are uploaded first, from one pinned manifest. The commit then holds on two
 * conditions: the manifest still names the snapshot it started from, and the new overlay is exactly
 * the entries, deletions included, that differ from the new snapshot. Without the first, of two
 * compactions the slower one would bring back what the faster one folded; without the second, an
 * update made meanwhile would be lost.
 */
final class Compaction {
  /** Overlay entries that make a compaction due; about 80 kB of manifest. */
  private static final int OVERLAY = 1000;

  /** Log entries that make a compaction due; about 50 kB of manifest. */
  private static final int TAIL = 250;

  /**
   * Bytes of one transaction's changes above which the log keeps them in an object of their own.
   */
  private static final int EXTERNAL = 16 << 10;

  private final ImmutableObjects objects;
  private final ManifestCommitter committer;

  Compaction(ImmutableObjects objects, ManifestCommitter committer) {
    this.objects = objects;
    this.committer = committer;
  }

  /** A snapshot and its table. */
  record Written(RefSnapshot snapshot, RefTable table) {
    String id() {
      return snapshot.id();
    }
  }

  static boolean due(Manifest manifest) {
    return manifest.refs().overlay().size() > OVERLAY || manifest.log().tail().size() > TAIL;
  }

  /**
   * Folds what is due; both overlay and tail if neither is.
   *
   * @param manifest manifest to start from
   * @param view its refs
   * @return the new snapshot; empty if refs were not folded, or somebody else was faster
   */
  Optional<Written> run(Manifest manifest, RefView view) throws IOException {
    boolean all = !due(manifest);
    int overlay = manifest.refs().overlay().size();
    int tail = manifest.log().tail().size();
    Optional<Written> written = Optional.empty();
    if (overlay > (all ? 0 : OVERLAY / 2)) {
      written = Optional.of(write(manifest, view));
    }
    Optional<LogSegment> segment = Optional.empty();
    if (tail > (all ? 0 : TAIL / 2)) {
      segment = Optional.of(writeSegment(manifest));
    }
    return commit(manifest, view, written, segment) ? written : Optional.empty();
  }

  private Written write(Manifest manifest, RefView view) throws IOException {
    SnapshotWriter writer = new SnapshotWriter();
    view.forEachDirect(Constants.R_REFS, writer::add);
    byte[] bytes = writer.bytes();
    RefSnapshot snapshot = writer.describe(ObjectNames.mint(manifest), bytes);
    String key = ObjectNames.snapshotKey(manifest.repositoryId(), snapshot.id());
    objects.write(key, bytes);
    return new Written(snapshot, RefTable.parse(key, bytes, snapshot.count()));
  }

  private LogSegment writeSegment(Manifest manifest) throws IOException {
    List<LogEntry> tail = manifest.log().tail();
    StoredObject object = writeLog(manifest, LogCodec.encodeSegment(tail));
    return new LogSegment(
        object, tail.get(0).generation(), tail.get(tail.size() - 1).generation(), tail.size());
  }

  private StoredObject writeLog(Manifest manifest, byte[] bytes) throws IOException {
    StoredObject object =
        new StoredObject(ObjectNames.mint(manifest), bytes.length, ImmutableObjects.crc32c(bytes));
    objects.write(ObjectNames.logKey(manifest.repositoryId(), object.id()), bytes);
    return object;
  }

  /** Commits what was written; false if the refs were not, because the snapshot is another. */
  private boolean commit(
      Manifest from, RefView view, Optional<Written> written, Optional<LogSegment> segment)
      throws IOException {
    if (written.isEmpty() && segment.isEmpty()) {
      return false;
    }
    return committer.commit(
        base -> {
          Manifest next = base;
          boolean fold = written.isPresent() && sameSnapshot(from, base);
          if (fold) {
            RefView now = new RefView(base.refs(), view.table());
            next = next.withRefs(onTopOf(written.get(), now, from.refs().overlay().keySet()));
          }
          boolean move = segment.isPresent() && startsWith(base.log(), from.log());
          if (move) {
            next = next.withLog(moved(base.log(), from.log().tail().size(), segment.get()));
          }
          return fold || move ? Proposal.edit(next, fold) : Proposal.noEdit(false);
        });
  }

  private static boolean sameSnapshot(Manifest a, Manifest b) {
    return a.refs()
        .snapshot()
        .map(RefSnapshot::id)
        .equals(b.refs().snapshot().map(RefSnapshot::id));
  }

  /**
   * Refs as they are, expressed on a new snapshot.
   *
   * @param written the new snapshot
   * @param now refs as they are
   * @param folded names, besides those in the overlay, in which the snapshots may differ
   */
  private static Refs onTopOf(Written written, RefView now, Set<String> folded) {
    RefView fresh = new RefView(Refs.NONE, written.table());
    Map<String, RefValue> overlay = new TreeMap<>();
    Set<String> names = new HashSet<>(folded);
    names.addAll(now.refs().overlay().keySet());
    for (String name : names) {
      RefValue value = now.direct(name).map(RefValue.class::cast).orElse(RefValue.DELETED);
      RefEdits.setOrClear(overlay, name, value, fresh.inSnapshot(name));
    }
    return new Refs(Optional.of(written.snapshot()), new TreeMap<>(overlay), now.refs().symrefs());
  }

  private static boolean startsWith(TransactionLog log, TransactionLog start) {
    int n = start.tail().size();
    return log.segments().equals(start.segments())
        && log.tail().size() >= n
        && log.tail().subList(0, n).equals(start.tail());
  }

  private static TransactionLog moved(TransactionLog log, int entries, LogSegment segment) {
    List<LogSegment> segments = new ArrayList<>(log.segments());
    segments.add(segment);
    return new TransactionLog(segments, log.tail().subList(entries, log.tail().size()));
  }

  /**
   * Uploads what a large transaction makes of the refs.
   *
   * @param manifest manifest to start from
   * @param view its refs
   * @param transaction what to change
   * @return the transaction, ready to commit
   */
  <R> Large<R> prepare(Manifest manifest, RefView view, RefTransaction<R> transaction)
      throws IOException {
    RefEdits edits = new RefEdits(view);
    RefTransaction.Outcome<R> outcome = transaction.apply(edits);
    if (edits.isEmpty()) {
      return new Large<>(manifest, view, transaction, Optional.empty(), Set.of(), List.of());
    }
    Written written = write(manifest, new RefView(edits.apply(), view.table()));
    Set<String> folded = new HashSet<>(edits.values().keySet());
    folded.addAll(manifest.refs().overlay().keySet());
    List<Recorded> recorded = new ArrayList<>();
    for (RefTransaction.Logged l : outcome.log()) {
      byte[] bytes = LogCodec.encodeChanges(l.changes());
      if (bytes.length > EXTERNAL) {
        recorded.add(new Recorded(l, writeLog(manifest, bytes)));
      }
    }
    return new Large<>(manifest, view, transaction, Optional.of(written), folded, recorded);
  }

  /** A record of the log whose changes were uploaded. */
  private record Recorded(RefTransaction.Logged logged, StoredObject object) {}

  /**
   * A large transaction whose objects are uploaded. It keeps them across competing commits: foreign
   * changes go on top.
   */
  record Large<R>(
      Manifest from,
      RefView view,
      RefTransaction<R> transaction,
      Optional<Written> written,
      Set<String> folded,
      List<Recorded> recorded) {
    boolean unchanged() {
      return written.isEmpty();
    }

    Optional<RefTable> table() {
      return written.map(Written::table);
    }

    String snapshotId() {
      return written.orElseThrow().id();
    }

    Proposal<R> propose(Manifest base) throws IOException {
      if (!sameSnapshot(from, base)) {
        throw new SnapshotNotLoadedException(
            base.refs().snapshot().map(RefSnapshot::id).orElse(""));
      }
      RefEdits edits = new RefEdits(new RefView(base.refs(), view.table()));
      RefTransaction.Outcome<R> outcome = transaction.apply(edits);
      if (edits.isEmpty()) {
        return Proposal.noEdit(outcome.verdict());
      }
      Set<String> names = folded;
      if (!folded.containsAll(edits.values().keySet())) {
        names = new HashSet<>(folded);
        names.addAll(edits.values().keySet());
      }
      Refs refs = onTopOf(written.orElseThrow(), new RefView(edits.apply(), view.table()), names);
      Manifest next = base.withRefs(refs).withLog(logged(base, outcome.log()));
      return Proposal.edit(next, outcome.verdict());
    }

    private TransactionLog logged(Manifest base, List<RefTransaction.Logged> records) {
      List<LogEntry> tail = new ArrayList<>(base.log().tail());
      for (RefTransaction.Logged record : records) {
        Optional<StoredObject> uploaded =
            recorded.stream()
                .filter(r -> r.logged().changes().equals(record.changes()))
                .map(Recorded::object)
                .findFirst();
        tail.add(SharedRefs.entry(base.generation() + 1, record, uploaded));
      }
      return new TransactionLog(base.log().segments(), tail);
    }
  }
}
