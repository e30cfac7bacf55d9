// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.eclipse.jgit.internal.storage.dfs.DfsObjDatabase.PackSource;
import org.eclipse.jgit.internal.storage.dfs.DfsOutputStream;
import org.eclipse.jgit.internal.storage.pack.PackExt;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.jgits3.internal.pack.file.RangeChecksums;
import org.jgits3.internal.pack.file.S3PackDescription;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.PackFileEntry;
import org.jgits3.store.Crc32c;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;

/**
 * A copy of a pack that a manifest once listed. It has a fresh name: a name that has left the
 * manifest never returns, because a sleeping sweep may be about to delete it.
 */
public final class RestoredPack {
  private static final int BUFFER = 4 << 20;

  private final S3ObjDatabase database;
  private final ObjectStore store;
  private final byte[] buffer = new byte[BUFFER];

  /**
   * Copies packs into a repository.
   *
   * @param database a handle that {@linkplain S3ObjDatabase#deferReceivedPacks defers}
   * @param store store that has the packs
   */
  public RestoredPack(S3ObjDatabase database, ObjectStore store) {
    this.database = database;
    this.store = store;
  }

  /**
   * Copies a pack and its index, in pieces of {@value #BUFFER} bytes, and checks them. Other side
   * files are left to the next collection. The copy is listed with the handle's next ref update;
   * without one it is deleted when the handle is closed.
   *
   * @param entry entry of the pack in the old manifest
   * @param home id of the repository under which that manifest has it
   * @param monitor told of the bytes; may cancel
   * @return bytes copied
   * @throws StoreException.Missing if the store no longer has the pack
   * @throws StoreException.Corrupt if it has other bytes than were written
   * @throws IOException if it could not be copied
   */
  public long copy(PackEntry entry, String home, ProgressMonitor monitor) throws IOException {
    S3PackDescription pack = database.newPack(PackSource.RECEIVE);
    pack.pushed();
    long bytes = 0;
    try {
      for (PackExt ext : List.of(PackExt.PACK, PackExt.INDEX)) {
        bytes += copy(entry, home, pack, ext, monitor);
      }
      pack.setObjectCount(entry.objects());
      pack.setDeltaCount(entry.deltas());
      pack.setIndexVersion(entry.indexVersion());
      database.commitPackImpl(List.of(pack), null);
    } catch (IOException | RuntimeException | Error e) {
      database.rollbackPack(List.of(pack));
      throw e;
    }
    return bytes;
  }

  private long copy(
      PackEntry entry, String home, S3PackDescription pack, PackExt ext, ProgressMonitor monitor)
      throws IOException {
    PackFileEntry file = entry.files().get(ext.getExtension());
    if (file == null) {
      throw new IOException("pack " + entry.id() + " is listed without its " + ext.getExtension());
    }
    String extension = file.bundled() ? ObjectNames.BUNDLE : ext.getExtension();
    String key = ObjectNames.packKey(home, entry.id(), extension);
    long from = Math.max(0, file.offset());
    long length = file.size() - (ext == PackExt.INDEX ? checksums(entry) : 0);
    CRC32C crc = new CRC32C();
    try (DfsOutputStream out = database.writeWithoutReading(pack, ext)) {
      for (long at = 0; at < file.size(); ) {
        if (monitor.isCancelled()) {
          throw new IOException("cancelled; nothing was restored");
        }
        int n = (int) Math.min(BUFFER, file.size() - at);
        store.read(key, from + at, buffer, 0, n, Optional.empty());
        crc.update(buffer, 0, n);
        out.write(buffer, 0, (int) Math.max(0, Math.min(n, length - at)));
        at += n;
      }
    }
    if ((int) crc.getValue() != file.crc32c()) {
      throw new StoreException.Corrupt(
          key,
          key
              + " "
              + Crc32c.mismatch((int) crc.getValue(), file.crc32c())
              + "; nothing was restored",
          null);
    }
    pack.addFileExt(ext);
    return file.size();
  }

  /** Bytes behind the index of a pack, which are written anew for the copy. */
  private static int checksums(PackEntry entry) {
    PackFileEntry pack = entry.files().get(PackExt.PACK.getExtension());
    return RangeChecksums.length(pack.size(), pack.range());
  }
}
