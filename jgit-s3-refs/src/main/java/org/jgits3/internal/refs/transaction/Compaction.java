// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.transaction;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.Replacement;
import org.jgits3.internal.refs.snapshot.NewSnapshot;
import org.jgits3.internal.refs.snapshot.RefView;
import org.jgits3.internal.refs.snapshot.SnapshotUpload;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefDelta;
import org.jgits3.internal.refs.table.RefFold;
import org.jgits3.internal.refs.table.RefTable;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.manifest.Refs;
import org.jgits3.metrics.Count;
import org.jgits3.metrics.Counters;
import org.jgits3.store.StoreException;

/**
 * Folds the overlay of a manifest into a table of refs.
 *
 * <p>The table is uploaded first, as it is merged, from one manifest. The commit then depends on
 * two conditions: the manifest still names the tables that the compaction started from, and the new
 * overlay is exactly the entries, deletions included, that differ from the new tables. Without the
 * first, the slower of two compactions would bring back what the faster one folded; without the
 * second, an update made meanwhile would be lost.
 */
final class Compaction {
  private final SnapshotUpload upload;
  private final ManifestCommitter committer;
  private final Counters counters;

  Compaction(SnapshotUpload upload, ManifestCommitter committer, Counters counters) {
    this.upload = upload;
    this.committer = committer;
    this.counters = counters;
  }

  /**
   * Folds the overlay, unless there is nothing to fold.
   *
   * @param manifest manifest validated in this operation
   * @param view its refs
   * @param levels makes the table to write: {@link RefFold#of} or {@link RefFold#intoBase}
   * @return the new table; empty if there was nothing to fold
   * @throws OvertakenException if another process has folded meanwhile; nothing is lost
   * @throws IOException if it failed; nothing is lost
   */
  Optional<NewSnapshot> run(
      Manifest manifest, RefView view, BiFunction<RefTable, RefDelta, RefFold> levels)
      throws IOException {
    RefFold fold = levels.apply(view.table(), view.foldable());
    boolean ends = manifest.refs().hasRecent(); // one without refs, say
    boolean copies = !areOwn(manifest);
    if (fold.isEmpty() && !(fold.isBase() && (ends || copies))) {
      return Optional.empty();
    }
    prove(manifest, view.table(), fold);
    NewSnapshot made = new NewSnapshot(upload.stream(manifest, fold), fold);
    if (commit(manifest, view.table(), made)) {
      return Optional.of(made);
    }
    counters.add(Count.FOLDS_LOST);
    throw new OvertakenException("a table of refs");
  }

  /** Tests whether no table is one of a template. */
  private static boolean areOwn(Manifest manifest) {
    return manifest.refs().tableIds().stream().allMatch(manifest::isOwn);
  }

  /**
   * Verifies the SHA-256 of the tables that a fold builds upon: look-ups check the CRC32C only, and
   * a new snapshot would hide a difference for good.
   *
   * @param manifest lists the tables that a fold builds upon
   * @param table these tables
   * @param fold the fold
   * @throws StoreException.Corrupt if one has another SHA-256 than the manifest says
   */
  static void prove(Manifest manifest, RefTable table, RefFold fold) throws StoreException.Corrupt {
    List<RefSnapshot> levels = manifest.refs().tables();
    for (int i = fold.isBase() ? 0 : 1; i < levels.size(); i++) {
      RefSnapshot listed = levels.get(i);
      String sha256 = table.level(i).sha256();
      if (!sha256.equals(listed.sha256())) {
        String key = ObjectNames.snapshotKey(manifest.owner(listed.id()), listed.id());
        throw new StoreException.Corrupt(
            key,
            String.format(
                "refs snapshot %s has SHA-256 %s instead of %s; it is not compacted, restore it",
                key, sha256, listed.sha256()),
            null);
      }
    }
  }

  /**
   * Commits the table that was written; false if the manifest lists other tables by now, and not
   * this one.
   */
  private boolean commit(Manifest from, RefTable table, NewSnapshot made) throws IOException {
    return Replacement.commit(
        committer,
        base -> {
          if (!from.refs().sameTables(base.refs())) {
            return Optional.empty();
          }
          var changed = NewSnapshot.differing(from.refs(), base.refs());
          changed.removeIf(name -> !PackedRefsTable.holds(name));
          Refs refs = made.express(new RefView(base.refs(), table), changed);
          return Optional.of(base.withRefs(refs));
        },
        base -> base.refs().tableIds().contains(made.snapshot().id()),
        () -> upload.discard(from, made.snapshot()));
  }
}
