// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jgit.internal.storage.dfs.DfsPackFile;
import org.eclipse.jgit.internal.storage.dfs.DfsReader;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.transport.PackedObjectInfo;
import org.jgits3.internal.pack.file.S3PackDescription;

/**
 * Tells blobs from other objects. An index of a pack does not: for packs that a handle has parsed,
 * this keeps one bit for each object; of an object of another pack the header is read, or if it is
 * a delta the object. Safe for use by many threads.
 */
final class Blobs {
  /** Positions of the blobs in the index of a pack, by its id. */
  private final Map<String, BitSet> positions = new ConcurrentHashMap<>();

  private final long most;

  /**
   * Knows no object.
   *
   * @param most bytes of an object that may be read; a larger one counts as a blob
   */
  Blobs(long most) {
    this.most = most;
  }

  /**
   * Notes the objects of a pack.
   *
   * @param pack the pack
   * @param sorted all its objects with their types, sorted by id
   */
  void note(S3PackDescription pack, List<PackedObjectInfo> sorted) {
    BitSet blobs = new BitSet(sorted.size());
    for (int i = 0; i < sorted.size(); i++) {
      blobs.set(i, sorted.get(i).getType() == Constants.OBJ_BLOB);
    }
    positions.put(pack.id(), blobs);
  }

  /**
   * Tests whether an object is a blob.
   *
   * @param id the object
   * @param packs packs to look into first
   * @param reader reads it if none of them was noted with it
   * @throws org.eclipse.jgit.errors.MissingObjectException if there is no such object
   * @throws IOException if it cannot be read
   */
  boolean has(AnyObjectId id, DfsPackFile[] packs, DfsReader reader) throws IOException {
    for (DfsPackFile pack : packs) {
      BitSet blobs = positions.get(((S3PackDescription) pack.getPackDescription()).id());
      int position = blobs == null ? -1 : pack.getPackIndex(reader).findPosition(id);
      if (position >= 0) {
        return blobs.get(position);
      }
    }
    return reader.getObjectSize(id, ObjectReader.OBJ_ANY) > most
        || typeOf(id, reader) == Constants.OBJ_BLOB;
  }

  /** Type of an object. Of one that is not a delta, reads the header only. */
  private static int typeOf(AnyObjectId id, DfsReader reader) throws IOException {
    int threshold = reader.getStreamFileThreshold();
    reader.setStreamFileThreshold(0);
    try {
      return reader.open(id, ObjectReader.OBJ_ANY).getType();
    } finally {
      reader.setStreamFileThreshold(threshold);
    }
  }
}
