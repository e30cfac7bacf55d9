// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jgits3.internal.function.IoConsumer;
import org.jgits3.internal.refs.table.PackedRefsSink;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefFold;
import org.jgits3.internal.refs.table.SnapshotChecksums;
import org.jgits3.internal.refs.table.SnapshotMerge;
import org.jgits3.internal.store.read.ParallelRequests;
import org.jgits3.internal.store.upload.PackUpload;
import org.jgits3.internal.store.upload.PackUploads;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.store.ObjectStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes snapshots for the next generation of a manifest. No reader finds a snapshot before a
 * manifest lists it. Safe for use by many threads.
 */
public final class SnapshotUpload {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotUpload.class);

  /** Maximum bytes of a snapshot that is sent from its array in one request. */
  private static final int ONE_REQUEST = 64 << 20;

  private final ObjectStore store;
  private final PackUploads uploads;

  public SnapshotUpload(ObjectStore store, PackUploads uploads) {
    this.store = store;
    this.uploads = uploads;
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
    return describe(id, fold.merge(), sums);
  }

  /**
   * Deletes a snapshot that this process wrote and that no manifest lists or will ever list. A
   * snapshot that cannot be deleted is left to a sweep.
   *
   * @param manifest manifest that it was written for
   * @param snapshot the snapshot
   */
  public void discard(Manifest manifest, RefSnapshot snapshot) {
    String key = ObjectNames.snapshotKey(manifest.repositoryId(), snapshot.id());
    try {
      store.delete(List.of(key));
    } catch (IOException e) {
      LOG.debug("refs snapshot {} is left to a sweep", key, e);
    }
  }

  private RefSnapshot send(Manifest manifest, RefFold fold, IoConsumer<PackedRefsSink> source)
      throws IOException {
    String id = ObjectNames.mint(manifest);
    String key = ObjectNames.snapshotKey(manifest.repositoryId(), id);
    PackedRefsTable.checkSize("refs snapshot " + key, fold.merge().size(), fold.merge().count());
    PackUpload out = uploads.begin(key);
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
    return describe(id, fold.merge(), sums);
  }

  private static RefSnapshot describe(String id, SnapshotMerge merge, SnapshotChecksums sums) {
    return new RefSnapshot(
        id, merge.size(), merge.count(), sums.crc32c(), sums.sha256(), Optional.empty());
  }
}
