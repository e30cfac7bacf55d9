// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jgits3.internal.refs.table.DeltaCodec;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefDelta;
import org.jgits3.internal.refs.table.RefsCounters;
import org.jgits3.internal.refs.table.RefsCounters.Event;
import org.jgits3.internal.refs.table.SnapshotChecksums;
import org.jgits3.internal.refs.table.SnapshotMerge;
import org.jgits3.internal.store.read.ImmutableObjects;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.manifest.RefValue;
import org.jgits3.manifest.Refs;
import org.jgits3.manifest.StoredObject;
import org.jgits3.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Derives the table of a snapshot that another process wrote from the table before it, which saves
 * the download. Applies the overlay that this process saw last, which costs no request, then the
 * delta stored beside the snapshot. A derived table is used only if it has the SHA-256 of the
 * snapshot.
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
   * @param held the table before
   * @param manifest lists the snapshot to derive
   * @return the table; empty if it has to be downloaded
   */
  Optional<PackedRefsTable> derive(CachedTable held, Manifest manifest) {
    RefSnapshot wanted = manifest.refs().snapshot().orElseThrow();
    Optional<PackedRefsTable> made =
        proven(new SnapshotMerge(held.table(), folded(held, manifest.refs())), wanted);
    if (made.isEmpty() && wanted.delta().isPresent()) {
      made = fromDelta(manifest.repositoryId(), held, wanted, wanted.delta().get());
    }
    if (made.isPresent()) {
      metrics.count(Event.DERIVATION);
    }
    return made;
  }

  /**
   * Estimates what a compaction has folded into the table: the overlay seen last, without the refs
   * changed since.
   */
  private static RefDelta folded(CachedTable held, Refs now) {
    Map<String, RefValue> changes = new HashMap<>(held.lastOverlay());
    changes.keySet().removeAll(now.overlay().keySet());
    return RefDelta.foldable(changes);
  }

  private Optional<PackedRefsTable> fromDelta(
      String repositoryId, CachedTable held, RefSnapshot wanted, StoredObject delta) {
    String key = ObjectNames.deltaKey(repositoryId, wanted.id());
    try {
      DeltaCodec.Delta read =
          DeltaCodec.decode(key, objects.read(key, delta.size(), delta.crc32c()));
      if (!read.base().equals(held.id())) {
        return Optional.empty();
      }
      Optional<PackedRefsTable> made =
          proven(new SnapshotMerge(held.table(), read.changes()), wanted);
      if (made.isEmpty()) {
        metrics.count(Event.MISMATCH);
        LOG.warn("refs delta {} does not give its snapshot, which is downloaded instead", key);
      }
      return made;
    } catch (StoreException.Missing e) {
      LOG.debug("{} was swept already", key, e);
      return Optional.empty();
    } catch (IOException e) {
      metrics.count(Event.MISMATCH);
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
