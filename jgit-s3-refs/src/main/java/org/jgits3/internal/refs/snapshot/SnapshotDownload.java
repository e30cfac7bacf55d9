// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.io.IOException;
import org.jgits3.internal.refs.table.PackedRefsParser;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.store.read.RangeReader;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.store.Crc32c;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;

/**
 * Downloads snapshots: ranges are read at the same time into disjoint slices of the array that the
 * table keeps, which is checked when it is complete. All ranges must have the version of the first
 * one, so that two versions never mix. Safe for use by many threads.
 *
 * <p>{@link RangeReader} decides on the division into requests.
 */
public final class SnapshotDownload {
  private final RangeReader reader;

  /**
   * Creates a reader of the snapshots of a store.
   *
   * @param store store of the snapshots
   * @param trustVersions true if all ranges have to be of one version; false if versions are not
   *     reliable, so that only the CRC32C can tell
   * @param sizes sizes of requests
   */
  public SnapshotDownload(ObjectStore store, boolean trustVersions, RangeReader.Sizes sizes) {
    this.reader = new RangeReader(store, sizes, trustVersions);
  }

  /**
   * Reads a snapshot.
   *
   * @param key its key
   * @param snapshot its entry in the manifest
   * @return its table
   * @throws StoreException.Missing if the store does not have it
   * @throws StoreException.Corrupt if its bytes are not those that were written
   * @throws StoreException.Changed if it was replaced while it was read; only an administrator who
   *     puts a good copy back does that, so repeat the look-up
   * @throws IOException if it cannot be read, or is larger than a table can be
   */
  public PackedRefsTable land(String key, RefSnapshot snapshot) throws IOException {
    PackedRefsTable.checkSize("refs snapshot " + key, snapshot.size(), snapshot.count());
    PackedRefsParser.checkCount(key, snapshot.size(), snapshot.count());
    byte[] bytes = new byte[(int) snapshot.size()];
    reader.read(key, 0, bytes, 0, bytes.length);
    PackedRefsTable table = PackedRefsParser.parse(key, bytes, snapshot.count());
    int crc32c = Crc32c.of(bytes);
    if (crc32c != snapshot.crc32c()) {
      throw PackedRefsParser.corrupt(
          key, snapshot.size(), Crc32c.mismatch(crc32c, snapshot.crc32c()));
    }
    return table;
  }
}
