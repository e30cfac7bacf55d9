// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.io.IOException;
import java.util.Optional;
import org.jgits3.internal.refs.table.DeltaCodec;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefsCounters;
import org.jgits3.internal.refs.table.SnapshotChecksums;
import org.jgits3.internal.refs.table.SnapshotMerge;
import org.jgits3.internal.store.read.ImmutableObjects;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.manifest.StoredObject;
import org.jgits3.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Derives the table of a snapshot that another process wrote from the table before it, which saves
 * the download: applies the delta stored beside the snapshot. A derived table is used only if it
 * has the SHA-256 of the snapshot.
 */
final class Derivation {
  private static final Logger LOG = LoggerFactory.getLogger(Derivation.class);

  private final ImmutableObjects objects;
  private final RefsCounters metrics;

  Derivation(ImmutableObjects objects, RefsCounters metrics) {
    this.objects = objects;
    this.metrics = metrics;
  }

  /**
   * Derives a table.
   *
   * @param repositoryId id of the repository
   * @param held id of the snapshot before
   * @param table its table
   * @param wanted the snapshot to derive
   * @return the table; empty if it has to be downloaded
   */
  Optional<PackedRefsTable> derive(
      String repositoryId, String held, PackedRefsTable table, RefSnapshot wanted) {
    if (wanted.delta().isEmpty()) {
      return Optional.empty();
    }
    StoredObject delta = wanted.delta().get();
    String key = ObjectNames.deltaKey(repositoryId, wanted.id());
    try {
      DeltaCodec.Delta read =
          DeltaCodec.decode(key, objects.read(key, delta.size(), delta.crc32c()));
      if (!read.base().equals(held)) {
        return Optional.empty();
      }
      Optional<PackedRefsTable> made = proven(new SnapshotMerge(table, read.changes()), wanted);
      if (made.isPresent()) {
        metrics.derived();
      } else {
        metrics.mismatched();
        LOG.warn("refs delta {} does not give its snapshot, which is downloaded instead", key);
      }
      return made;
    } catch (StoreException.Missing e) {
      LOG.debug("{} was swept already", key, e);
      return Optional.empty();
    } catch (IOException e) {
      metrics.mismatched();
      LOG.warn("{}; the snapshot is downloaded instead", e.getMessage());
      return Optional.empty();
    }
  }

  /**
   * Builds the table of a merge if it has the bytes of the snapshot; a different size shows most
   * that have not.
   */
  private static Optional<PackedRefsTable> proven(SnapshotMerge merge, RefSnapshot wanted) {
    if (merge.size() != wanted.size() || merge.count() != wanted.count()) {
      return Optional.empty();
    }
    PackedRefsTable made = merge.build();
    SnapshotChecksums sums = SnapshotChecksums.of(made);
    boolean same = sums.crc32c() == wanted.crc32c() && sums.sha256().equals(wanted.sha256());
    return same ? Optional.of(made) : Optional.empty();
  }
}
