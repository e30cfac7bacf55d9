// SPDX-License-Identifier: Apache-2.0
package org.jgits3.refs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;
import org.jgits3.store.Validator;

/**
 * Lands snapshots in memory: ranges of them are read at the same time into disjoint slices of the
 * arrays that the table keeps, and checked as they arrive. All ranges are of the version that the
 * first one had, so that two versions never mix. Safe for use by many threads.
 *
 * <p>A snapshot of up to 8 MiB is read in one request, a larger one in one of 1 MiB, which tells
 * the version, and then in ranges of about 8 MiB, four at a time. That is a size that the
 * performance guidelines of S3 name; from a server on the same machine, ranges of 2 and 4 MiB were
 * no faster.
 */
final class SnapshotLanding {
  /** Largest array that every virtual machine makes. */
  private static final int LARGEST = Integer.MAX_VALUE - 8;

  private final ObjectStore store;
  private final boolean trustValidators;
  private final Sizes sizes;

  /**
   * How a snapshot is divided.
   *
   * @param oneRequest bytes of the largest snapshot that is read in one request
   * @param first bytes of the first range of a larger one
   * @param range bytes of the others, on the whole
   * @param part bytes of an array of the table, more than the header has
   */
  record Sizes(int oneRequest, int first, int range, int part) {
    static final Sizes DEFAULT = new Sizes(8 << 20, 1 << 20, 8 << 20, RefTable.PART);

    /**
     * Divides what is left evenly, so that there are always as many requests in flight as can be.
     *
     * @param rest bytes to be read
     * @return bytes of a range; the last one may be shorter
     */
    int rangeOf(int rest) {
      long round = (long) Gang.SIZE * range;
      long rounds = Math.max(1, (rest + round / 2) / round);
      return (int) ((rest - 1) / (rounds * Gang.SIZE)) + 1;
    }
  }

  /**
   * Reads snapshots of a store.
   *
   * @param store where they are
   * @param trustValidators whether ranges have to be of one version; false where validators mean
   *     nothing, and only the CRC32C tells
   */
  SnapshotLanding(ObjectStore store, boolean trustValidators) {
    this(store, trustValidators, Sizes.DEFAULT);
  }

  /** Reads snapshots of a store whose validators mean something. */
  SnapshotLanding(ObjectStore store) {
    this(store, true);
  }

  /** Reads snapshots of a store whose validators mean something. */
  SnapshotLanding(ObjectStore store, Sizes sizes) {
    this(store, true, sizes);
  }

  private SnapshotLanding(ObjectStore store, boolean trustValidators, Sizes sizes) {
    this.store = store;
    this.trustValidators = trustValidators;
    this.sizes = sizes;
  }

  /**
   * Reads a snapshot.
   *
   * @param key its key
   * @param snapshot what the manifest says of it
   * @return its table
   * @throws StoreException.Missing if the store does not have it
   * @throws StoreException.Corrupt if it is not what was written
   * @throws StoreException.Changed if it was replaced while it was read; nothing does that but an
   *     administrator who puts a good copy back, so the next look-up will do
   * @throws IOException if it cannot be read
   */
  RefTable land(String key, RefSnapshot snapshot) throws IOException {
    return new Run(key, snapshot).land();
  }

  /** One snapshot being landed. Used by one thread, which others read for. */
  private final class Run {
    private final String key;
    private final RefSnapshot snapshot;
    private final SnapshotLines lines;
    private Optional<Validator> version = Optional.empty();
    private int crc32c;

    Run(String key, RefSnapshot snapshot) throws StoreException.Corrupt {
      this.key = key;
      this.snapshot = snapshot;
      this.lines = new SnapshotLines(key, snapshot.size(), snapshot.count());
    }

    RefTable land() throws IOException {
      byte[] part = new byte[(int) Math.min(snapshot.size(), sizes.part())];
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
          new LineScan(key, offset, part, end, part.length)); // nothing, if the snapshot is good
      RefTable table = lines.end(part);
      if (crc32c != snapshot.crc32c()) {
        throw SnapshotLines.corrupt(
            key,
            snapshot.size(),
            String.format("has CRC32C %08x instead of %08x", crc32c, snapshot.crc32c()));
      }
      return table;
    }

    /** Room for more than what is left of the part before, even if that is one huge line. */
    private int lengthOfPart(long offset, int filled) throws StoreException.Corrupt {
      if (filled == LARGEST) {
        throw SnapshotLines.corrupt(key, offset, "has a line that fits in no array");
      }
      long most = Math.min(LARGEST, Math.max(sizes.part(), 2L * filled));
      return (int) Math.min(most, snapshot.size() - offset);
    }

    /**
     * Fills a part.
     *
     * @param offset where in the snapshot the part begins
     * @param part the part
     * @param filled bytes it holds already
     * @return where the line begins that the part ends within
     */
    private int landPart(long offset, byte[] part, int filled) throws IOException {
      List<SnapshotSlice> slices = new ArrayList<>();
      int at = filled;
      if (version.isEmpty()) {
        int length = snapshot.size() <= sizes.oneRequest() ? part.length : sizes.first();
        at = Math.min(part.length, length);
        SnapshotSlice slice = new SnapshotSlice(key, offset, part, 0, at);
        version = Optional.of(slice.land(store, Optional.empty()));
        slices.add(slice);
      }
      List<SnapshotSlice> others = new ArrayList<>();
      int range = sizes.rangeOf(part.length - at);
      while (at < part.length) {
        int end = at + Math.min(range, part.length - at);
        others.add(new SnapshotSlice(key, offset, part, at, end));
        at = end;
      }
      Optional<Validator> wanted = trustValidators ? version : Optional.empty();
      Gang.forEach(others, slice -> slice.land(store, wanted));
      slices.addAll(others);
      return join(slices, offset == 0 ? lines.skipHeader(part) : 0);
    }

    private int join(List<SnapshotSlice> slices, int start) throws StoreException.Corrupt {
      int at = start;
      for (SnapshotSlice slice : slices) {
        at = slice.addTo(lines, at);
        crc32c = slice.crc32cAfter(crc32c);
      }
      return at;
    }
  }
}
