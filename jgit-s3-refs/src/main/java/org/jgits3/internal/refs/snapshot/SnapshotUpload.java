// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jgits3.internal.function.IoConsumer;
import org.jgits3.internal.refs.table.DeltaCodec;
import org.jgits3.internal.refs.table.PackedRefsSink;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefFold;
import org.jgits3.internal.refs.table.SnapshotChecksums;
import org.jgits3.internal.refs.table.SnapshotMerge;
import org.jgits3.internal.store.read.ImmutableObjects;
import org.jgits3.internal.store.read.ParallelRequests;
import org.jgits3.internal.store.upload.PackUpload;
import org.jgits3.internal.store.upload.PackUploads;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.manifest.Refs;
import org.jgits3.manifest.StoredObject;
import org.jgits3.store.Crc32c;
import org.jgits3.store.ObjectStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes snapshots, and the deltas beside them, for the next generation of a manifest. No reader
 * finds a snapshot before a manifest lists it. Safe for use by many threads.
 */
public final class SnapshotUpload {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotUpload.class);

  /** Minimum ratio of the sizes of snapshot and delta for a delta to be written. */
  private static final int WORTH_A_DELTA = 4;

  /** Bytes of a snapshot that downloads about as fast as a delta. */
  private static final int SMALL = 256 << 10;

  /** Maximum bytes of a snapshot that is sent from its array in one request. */
  private static final int ONE_REQUEST = 64 << 20;

  private final ObjectStore store;
  private final PackUploads uploads;
  private final ImmutableObjects objects;

  public SnapshotUpload(ObjectStore store, PackUploads uploads) {
    this.store = store;
    this.uploads = uploads;
    this.objects = new ImmutableObjects(store);
  }

  /**
   * Writes a table as it is merged, through one bounded buffer.
   *
   * @param manifest manifest validated in this operation
   * @param fold the table
   * @return its entry for the next manifest
   * @throws IOException if the upload fails
   */
  public RefSnapshot stream(Manifest manifest, RefFold fold) throws IOException {
    return send(manifest, fold, fold.merge()::writeTo);
  }

  /**
   * Writes a table that is in memory.
   *
   * @param manifest manifest validated in this operation
   * @param fold its content
   * @param table the table
   * @return its entry for the next manifest
   * @throws IOException if the upload fails
   */
  public RefSnapshot whole(Manifest manifest, RefFold fold, PackedRefsTable table)
      throws IOException {
    if (fold.merge().size() > ONE_REQUEST) {
      return send(manifest, fold, table::writeTo);
    }
    String id = ObjectNames.mint(manifest);
    String key = ObjectNames.snapshotKey(manifest.repositoryId(), id);
    SnapshotChecksums sums = new SnapshotChecksums();
    ParallelRequests.all(
        () -> table.writeTo((bytes, offset, length) -> store.put(key, bytes, offset, length)),
        () -> table.writeTo(sums));
    return describe(manifest, id, fold, sums);
  }

  /**
   * Deletes a snapshot that this process wrote and that no manifest lists or will ever list. A
   * snapshot that cannot be deleted is left to a sweep.
   *
   * @param manifest manifest that it was written for
   * @param snapshot the snapshot
   */
  public void discard(Manifest manifest, RefSnapshot snapshot) {
    List<String> keys = new ArrayList<>();
    keys.add(ObjectNames.snapshotKey(manifest.repositoryId(), snapshot.id()));
    snapshot
        .delta()
        .ifPresent(delta -> keys.add(ObjectNames.deltaKey(manifest.repositoryId(), delta.id())));
    try {
      store.delete(keys);
    } catch (IOException e) {
      LOG.debug("refs snapshot {} is left to a sweep", keys.get(0), e);
    }
  }

  private RefSnapshot send(Manifest manifest, RefFold fold, IoConsumer<PackedRefsSink> source)
      throws IOException {
    String id = ObjectNames.mint(manifest);
    PackUpload out = uploads.begin(ObjectNames.snapshotKey(manifest.repositoryId(), id));
    SnapshotChecksums sums = new SnapshotChecksums();
    try {
      source.accept(
          (bytes, offset, length) -> {
            sums.accept(bytes, offset, length);
            out.write(bytes, offset, length);
          });
    } catch (IOException | RuntimeException | Error e) {
      out.fail(e);
      throw e;
    }
    out.close();
    return describe(manifest, id, fold, sums);
  }

  private RefSnapshot describe(Manifest manifest, String id, RefFold fold, SnapshotChecksums sums)
      throws IOException {
    SnapshotMerge merge = fold.merge();
    return new RefSnapshot(
        id, merge.size(), merge.count(), sums.crc32c(), sums.sha256(), delta(manifest, id, fold));
  }

  /** Writes the delta between the tables before and the new one, if that saves readers anything. */
  private Optional<StoredObject> delta(Manifest manifest, String id, RefFold fold)
      throws IOException {
    Refs refs = manifest.refs();
    Optional<RefSnapshot> before = refs.recent().or(refs::snapshot);
    long size = fold.merge().size();
    if (before.isEmpty() || size <= SMALL || fold.changes().lineBytes() > size / WORTH_A_DELTA) {
      return Optional.empty();
    }
    byte[] bytes = DeltaCodec.encode(new DeltaCodec.Delta(before.get().id(), fold.changes()));
    objects.write(ObjectNames.deltaKey(manifest.repositoryId(), id), bytes);
    return Optional.of(new StoredObject(id, bytes.length, Crc32c.of(bytes)));
  }
}
