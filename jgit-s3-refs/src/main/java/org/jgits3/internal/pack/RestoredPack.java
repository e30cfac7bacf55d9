// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.internal.storage.dfs.DfsObjDatabase.PackSource;
import org.eclipse.jgit.internal.storage.dfs.DfsOutputStream;
import org.eclipse.jgit.internal.storage.dfs.ReadableChannel;
import org.eclipse.jgit.internal.storage.pack.PackExt;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.jgits3.internal.pack.file.PackFiles;
import org.jgits3.internal.pack.file.RangeChecksums;
import org.jgits3.internal.pack.file.S3PackDescription;
import org.jgits3.manifest.PackEntry;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;

/**
 * A copy of a pack that a manifest once listed. It has a fresh name: a name that has left the
 * manifest never returns, because a sleeping sweep may be about to delete it.
 */
public final class RestoredPack {
  /** Bytes of a piece: whole ranges with a checksum. */
  private static final int PIECE = 64 * RangeChecksums.RANGE;

  private final S3ObjDatabase database;
  private final PackFiles files;
  private final ByteBuffer piece = ByteBuffer.allocate(PIECE);

  /**
   * Copies packs into a repository.
   *
   * @param database a handle that {@linkplain S3ObjDatabase#deferReceivedPacks defers}
   * @param store store that has the packs
   */
  public RestoredPack(S3ObjDatabase database, ObjectStore store) {
    this.database = database;
    this.files = new PackFiles(store, Optional.empty());
  }

  /**
   * Copies a pack, in pieces of about 4 MiB, and its index, and checks them. The next collection
   * creates the other side files. The handle's next ref update lists the copy; without one, closing
   * the handle deletes it.
   *
   * @param entry entry of the pack in the old manifest
   * @param owner id of the repository under which that manifest has it
   * @param monitor receives the number of bytes copied; may cancel
   * @return bytes copied
   * @throws StoreException.Missing if the store no longer has the pack
   * @throws StoreException.Corrupt if it has other bytes than were written
   * @throws IOException if it could not be copied
   */
  public long copy(PackEntry entry, String owner, ProgressMonitor monitor) throws IOException {
    S3PackDescription pack = database.newPack(PackSource.RECEIVE);
    pack.pushed();
    S3PackDescription old = new S3PackDescription(pack.getRepositoryDescription(), owner, entry);
    try (ReadableChannel index = files.open(old, PackExt.INDEX); // with checksums of the pack
        ReadableChannel objects = files.open(old, PackExt.PACK)) {
      copy(objects, pack, PackExt.PACK, monitor);
      copy(index, pack, PackExt.INDEX, monitor);
      pack.setObjectCount(entry.objects());
      pack.setDeltaCount(entry.deltas());
      database.commitPackImpl(List.of(pack), null);
    } catch (IOException | RuntimeException | Error e) {
      database.rollbackPack(List.of(pack));
      throw e;
    }
    return old.getFileSize(PackExt.PACK) + old.getFileSize(PackExt.INDEX);
  }

  private void copy(
      ReadableChannel from, S3PackDescription pack, PackExt ext, ProgressMonitor monitor)
      throws IOException {
    try (DfsOutputStream out = database.writeWithoutReading(pack, ext)) {
      for (int n = from.read(piece.clear()); n >= 0; n = from.read(piece.clear())) {
        if (monitor.isCancelled()) {
          throw new IOException("cancelled; nothing was restored");
        }
        out.write(piece.array(), 0, n);
      }
    }
    pack.addFileExt(ext);
  }
}
