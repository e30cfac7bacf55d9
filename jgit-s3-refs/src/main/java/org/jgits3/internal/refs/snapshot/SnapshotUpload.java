// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.io.IOException;
import java.io.OutputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import org.jgits3.internal.digest.Sha256;
import org.jgits3.internal.function.IoConsumer;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefFold;
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
      return send(manifest, fold, out -> table.writeTo(out::write));
    }
    String id = ObjectNames.mint(manifest);
    String key = ObjectNames.snapshotKey(manifest.repositoryId(), id);
    String[] sha256 = new String[1];
    ParallelRequests.all(
        () -> table.writeTo((bytes, offset, length) -> store.put(key, bytes, offset, length)),
        () -> sha256[0] = table.sha256());
    return describe(id, fold.merge(), table.crc32c(), sha256[0]);
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

  private RefSnapshot send(Manifest manifest, RefFold fold, IoConsumer<OutputStream> source)
      throws IOException {
    String id = ObjectNames.mint(manifest);
    String key = ObjectNames.snapshotKey(manifest.repositoryId(), id);
    PackedRefsTable.checkSize("refs snapshot " + key, fold.merge().size(), fold.merge().count());
    MessageDigest sha256 = Sha256.begin();
    PackUpload out =
        uploads.write(
            key,
            upload ->
                source.accept(
                    new DigestOutputStream(upload, sha256) {
                      @Override
                      public void flush() {} // what fits in one part is one PUT
                    }));
    String hex = HexFormat.of().formatHex(sha256.digest());
    return describe(id, fold.merge(), out.crc32c(), hex);
  }

  private static RefSnapshot describe(String id, SnapshotMerge merge, int crc32c, String sha256) {
    return new RefSnapshot(id, merge.size(), merge.count(), crc32c, sha256);
  }
}
