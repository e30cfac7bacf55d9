// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jgits3.internal.refs.table.PackedRefsParser;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.store.read.ParallelRequests;
import org.jgits3.internal.store.read.RangeReader;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.store.Crc32c;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ReadRequest;
import org.jgits3.store.StoreException;

/**
 * Reads snapshots, or compares them with tables in memory. Safe for use by many threads.
 *
 * <p>To read one, ranges are read at the same time into disjoint slices of the array that the table
 * keeps, which is checked when it is complete. {@link RangeReader} decides on the division into
 * requests. All ranges must have the version of the first one, so that two versions never mix.
 *
 * <p>To compare one, ranges are fetched at the same time and each is compared as it arrives; none
 * is kept. They may be of different versions: if each of them equals the table, so does every
 * version they came from.
 */
public final class SnapshotReader {
  /** Approximate bytes of a range that is compared; more if there would be too many ranges. */
  private static final int RANGE = 8 << 20;

  /** Most ranges, so that what requests allocate does not depend on the size. */
  private static final int RANGES = 16;

  private final ObjectStore store;
  private final RangeReader reader;

  /**
   * Creates a reader of the snapshots of a store.
   *
   * @param store store of the snapshots
   * @param trustVersions true if all ranges have to be of one version; false if versions are not
   *     reliable, so that only the CRC32C can tell
   * @param sizes sizes of requests
   */
  public SnapshotReader(ObjectStore store, boolean trustVersions, RangeReader.Sizes sizes) {
    this.store = store;
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
  public PackedRefsTable read(String key, RefSnapshot snapshot) throws IOException {
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

  /**
   * Compares a snapshot with a table.
   *
   * @param key key of the snapshot
   * @param table expected content
   * @return true if the snapshot begins with exactly the bytes of the table
   * @throws org.jgits3.store.StoreException.Missing if the store does not have it
   * @throws IOException if it cannot be read
   */
  boolean same(String key, PackedRefsTable table) throws IOException {
    AtomicBoolean differs = new AtomicBoolean();
    ParallelRequests.forEach(
        ranges(key, table),
        r -> {
          if (!differs.get() && !store.compare(r)) {
            differs.set(true);
          }
        });
    return !differs.get();
  }

  private static List<ReadRequest> ranges(String key, PackedRefsTable table) throws IOException {
    List<ReadRequest> ranges = new ArrayList<>();
    table.writeTo(
        (bytes, from, length) -> {
          int count = Math.min(RANGES, Math.max(1, Math.round((float) length / RANGE)));
          int most = (length - 1) / count + 1;
          for (int done = 0; done < length; ) {
            int n = Math.min(most, length - done);
            ranges.add(new ReadRequest(key, done, bytes, from + done, n, Optional.empty()));
            done += n;
          }
        });
    return ranges;
  }
}
