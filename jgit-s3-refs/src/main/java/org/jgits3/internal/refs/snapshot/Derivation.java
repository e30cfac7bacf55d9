// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jgits3.internal.refs.table.DeltaCodec;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefDelta;
import org.jgits3.internal.refs.table.RefFold;
import org.jgits3.internal.refs.table.RefTable;
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
 * Derives the table that another process wrote from those before it, which saves the download.
 * Applies the overlay that this process saw last, which costs no request, then the delta stored
 * beside the table. A derived table is used only if it has the SHA-256 of the one that was written.
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
   * Derives the refs of a manifest from those held, if they are one fold apart.
   *
   * @param held the refs before
   * @param manifest lists the tables to derive
   * @return the refs; empty if they have to be downloaded
   */
  Optional<RefTable> derive(CachedTable held, Manifest manifest) {
    Refs refs = manifest.refs();
    boolean sameBase = refs.levelIds().get(0).equals(held.ids().get(0));
    if (refs.recent().isPresent() != sameBase) {
      return Optional.empty();
    }
    Function<RefDelta, RefFold> fold =
        changes ->
            sameBase
                ? RefFold.intoRecent(held.table(), changes)
                : RefFold.intoBase(held.table(), changes);
    RefSnapshot wanted = refs.recent().or(refs::snapshot).orElseThrow();
    Optional<RefTable> made = proven(fold.apply(folded(held, refs)), wanted);
    if (made.isEmpty() && wanted.delta().isPresent()) {
      made = fromDelta(manifest, held, fold, wanted);
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

  private Optional<RefTable> fromDelta(
      Manifest manifest, CachedTable held, Function<RefDelta, RefFold> fold, RefSnapshot wanted) {
    StoredObject delta = wanted.delta().orElseThrow();
    String key = ObjectNames.deltaKey(manifest.home(wanted.id()), wanted.id());
    try {
      DeltaCodec.Delta read =
          DeltaCodec.decode(key, objects.read(key, delta.size(), delta.crc32c()));
      if (!read.base().equals(held.newest())) {
        return Optional.empty();
      }
      Optional<RefTable> made = proven(fold.apply(read.changes()), wanted);
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
   * Builds the table that a fold writes if it has the bytes of the one wanted; a different size
   * shows most that have not.
   */
  private static Optional<RefTable> proven(RefFold fold, RefSnapshot wanted) {
    SnapshotMerge merge = fold.merge();
    if (merge.size() != wanted.size() || merge.count() != wanted.count()) {
      return Optional.empty();
    }
    PackedRefsTable made = merge.build();
    SnapshotChecksums sums = SnapshotChecksums.of(made);
    boolean same = sums.crc32c() == wanted.crc32c() && sums.sha256().equals(wanted.sha256());
    return same ? Optional.of(fold.with(made)) : Optional.empty();
  }
}
