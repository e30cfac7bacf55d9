// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.transaction;

import java.io.IOException;
import java.util.Optional;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.internal.refs.snapshot.NewSnapshot;
import org.jgits3.internal.refs.snapshot.RefView;
import org.jgits3.internal.refs.snapshot.SnapshotUpload;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefDelta;
import org.jgits3.internal.refs.table.RefsCounters;
import org.jgits3.internal.refs.table.RefsCounters.Event;
import org.jgits3.internal.refs.table.SnapshotChecksums;
import org.jgits3.internal.refs.table.SnapshotMerge;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.manifest.Refs;
import org.jgits3.store.StoreException;

/**
 * Folds the overlay of a manifest into a snapshot.
 *
 * <p>The snapshot is uploaded first, as it is merged, from one pinned manifest. The commit then
 * holds on two conditions: the manifest still names the snapshot it started from, and the new
 * overlay is exactly the entries, deletions included, that differ from the new snapshot. Without
 * the first, of two compactions the slower one would bring back what the faster one folded; without
 * the second, an update made meanwhile would be lost.
 */
final class Compaction {
  /** Overlay entries that make a compaction due. */
  private static final int ENTRIES = 1000;

  /** Bytes of overlay that make a compaction due, if they are less than half of the room. */
  private static final long BYTES = 64 << 10;

  private final SnapshotUpload upload;
  private final ManifestCommitter committer;
  private final RefsCounters metrics;

  Compaction(SnapshotUpload upload, ManifestCommitter committer, RefsCounters metrics) {
    this.upload = upload;
    this.committer = committer;
    this.metrics = metrics;
  }

  /** Size of the overlay as a multiple of the threshold of a compaction; 0 if none is due. */
  static long level(Manifest manifest) {
    Refs refs = manifest.refs();
    long most = Math.min(BYTES, manifest.roomForRefs() / 2);
    return Math.max(refs.overlay().size() / (ENTRIES + 1), refs.overlayBytes() / (most + 1));
  }

  /**
   * Folds the overlay, if there is one.
   *
   * @param manifest manifest validated in this operation
   * @param view its refs
   * @return the new snapshot; empty if nothing was folded, or another process was faster
   * @throws IOException if it failed; nothing is lost
   */
  Optional<NewSnapshot> run(Manifest manifest, RefView view) throws IOException {
    RefDelta folded = view.foldable();
    if (folded.size() == 0) {
      return Optional.empty();
    }
    prove(manifest, view.table());
    SnapshotMerge merge = new SnapshotMerge(view.table(), folded);
    NewSnapshot made = new NewSnapshot(upload.stream(manifest, merge), merge);
    if (committed(manifest, view.table(), made)) {
      return Optional.of(made);
    }
    metrics.count(Event.LOST_FOLD);
    return Optional.empty();
  }

  /** Commits what was written, or deletes it if no manifest lists it nor ever will. */
  private boolean committed(Manifest manifest, PackedRefsTable table, NewSnapshot made)
      throws IOException {
    boolean unlisted = false;
    try {
      boolean listed = commit(manifest.refs(), table, made);
      unlisted = !listed;
      return listed;
    } catch (ManifestException.TooLarge e) {
      unlisted = true;
      throw e;
    } finally {
      if (unlisted) {
        upload.discard(manifest, made.snapshot());
      }
    }
  }

  /**
   * Makes sure that what is built upon is what was written: look-ups check the CRC32C only, and a
   * new snapshot would bury the difference.
   */
  private static void prove(Manifest manifest, PackedRefsTable table)
      throws StoreException.Corrupt {
    if (manifest.refs().snapshot().isEmpty()) {
      return;
    }
    RefSnapshot listed = manifest.refs().snapshot().get();
    String sha256 = SnapshotChecksums.of(table).sha256();
    if (!sha256.equals(listed.sha256())) {
      String key = ObjectNames.snapshotKey(manifest.repositoryId(), listed.id());
      throw new StoreException.Corrupt(
          key,
          String.format(
              "refs snapshot %s has SHA-256 %s instead of %s; it is not compacted, restore it",
              key, sha256, listed.sha256()),
          null);
    }
  }

  /** Commits what was written; false if it was not, because the snapshot is another. */
  private boolean commit(Refs from, PackedRefsTable table, NewSnapshot made) throws IOException {
    return committer.<Boolean>commit(
        base -> {
          if (!NewSnapshot.sameBase(from, base.refs())) {
            return Proposal.noEdit(false);
          }
          var changed = NewSnapshot.differing(from, base.refs());
          changed.removeIf(name -> !SnapshotMerge.holds(name));
          Refs refs = made.express(new RefView(base.refs(), table), changed);
          return Proposal.edit(base.withRefs(refs), true);
        });
  }
}
