// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.io.IOException;
import java.util.Collection;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jgits3.internal.refs.table.PackedRefsParser;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.SnapshotLines;
import org.jgits3.internal.refs.table.SnapshotSlice;
import org.jgits3.internal.store.read.RangeReader;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.store.Crc32c;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.ReadRequest;
import org.jgits3.store.StoreException;

/**
 * Downloads snapshots: ranges are read at the same time into disjoint slices of the arrays that the
 * table keeps, and checked as they arrive. All ranges must have the version of the first one, so
 * that two versions never mix. Safe for use by many threads.
 *
 * <p>{@link RangeReader} decides on the division into requests.
 */
public final class SnapshotDownload {
  /** Largest array that every virtual machine makes. */
  private static final int LARGEST = Integer.MAX_VALUE - 8;

  private final RangeReader reader;
  private final int partSize;

  /**
   * Sizes that divide a snapshot.
   *
   * @param requests sizes of requests
   * @param part bytes of an array of the table, more than the header has
   */
  record Sizes(RangeReader.Sizes requests, int part) {
    static final Sizes DEFAULT = new Sizes(RangeReader.Sizes.DEFAULT, PackedRefsTable.PART);
  }

  /** Reads snapshots of a store whose versions mean something. */
  public SnapshotDownload(ObjectStore store) {
    this(store, true, Sizes.DEFAULT);
  }

  /**
   * Creates a reader of the snapshots of a store.
   *
   * @param store store of the snapshots
   * @param trustVersions true if all ranges have to be of one version; false if versions are not
   *     reliable, so that only the CRC32C can tell
   * @param sizes sizes of requests and arrays
   */
  SnapshotDownload(ObjectStore store, boolean trustVersions, Sizes sizes) {
    this.reader = new RangeReader(store, sizes.requests(), trustVersions);
    this.partSize = sizes.part();
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
   * @throws IOException if it cannot be read
   */
  public PackedRefsTable land(String key, RefSnapshot snapshot) throws IOException {
    return new Run(key, snapshot).land();
  }

  /** Download of one snapshot. Used by one thread, for which others read. */
  private final class Run {
    private final String key;
    private final RefSnapshot snapshot;
    private final SnapshotLines lines;
    private Optional<ObjectVersion> version = Optional.empty();
    private int crc32c;

    Run(String key, RefSnapshot snapshot) throws StoreException.Corrupt {
      this.key = key;
      this.snapshot = snapshot;
      this.lines = new SnapshotLines(key, snapshot.size(), snapshot.count());
    }

    PackedRefsTable land() throws IOException {
      byte[] part = new byte[(int) Math.min(snapshot.size(), partSize)];
      long offset = 0;
      int filled = 0;
      while (offset + part.length < snapshot.size()) {
        landPart(offset, part, filled);
        int cut = lines.cut(part);
        filled = part.length - cut;
        offset += cut;
        byte[] next = new byte[lengthOfPart(offset, filled)];
        System.arraycopy(part, cut, next, 0, filled);
        part = next;
      }
      int end = landPart(offset, part, filled);
      lines.add(
          PackedRefsParser.of(
              key, offset, part, end, part.length)); // nothing, if the snapshot is good
      PackedRefsTable table = lines.end(part);
      if (crc32c != snapshot.crc32c()) {
        throw SnapshotLines.corrupt(
            key, snapshot.size(), Crc32c.mismatch(crc32c, snapshot.crc32c()));
      }
      return table;
    }

    /**
     * Length of a part, which leaves room for more than the rest of the part before, even if that
     * is one huge line.
     */
    private int lengthOfPart(long offset, int filled) throws StoreException.Corrupt {
      if (filled == LARGEST) {
        throw SnapshotLines.corrupt(key, offset, "has a line that fits in no array");
      }
      long most = Math.min(LARGEST, Math.max(partSize, 2L * filled));
      return (int) Math.min(most, snapshot.size() - offset);
    }

    /**
     * Fills a part.
     *
     * @param offset offset of the part in the snapshot
     * @param part the part
     * @param filled bytes it holds already
     * @return start of the line that crosses the end of the part
     */
    private int landPart(long offset, byte[] part, int filled) throws IOException {
      SortedMap<Integer, SnapshotSlice> slices = new ConcurrentSkipListMap<>();
      version =
          Optional.of(
              reader.read(
                  new ReadRequest(
                      key, offset + filled, part, filled, part.length - filled, version),
                  (from, to) -> {
                    SnapshotSlice slice = new SnapshotSlice(key, offset, part, from, to);
                    slices.put(from, slice);
                    return slice;
                  }));
      return join(slices.values(), offset == 0 ? lines.skipHeader(part) : 0);
    }

    private int join(Collection<SnapshotSlice> slices, int start) throws StoreException.Corrupt {
      int at = start;
      for (SnapshotSlice slice : slices) {
        at = slice.addTo(lines, at);
        crc32c = slice.crc32cAfter(crc32c);
      }
      return at;
    }
  }
}
