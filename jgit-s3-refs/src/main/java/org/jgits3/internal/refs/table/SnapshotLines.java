// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Arrays;
import org.eclipse.jgit.annotations.Nullable;
import org.jgits3.store.StoreException;

/** Joins the scanned regions of a snapshot, given in order, into its table. Used by one thread. */
public final class SnapshotLines {
  private static final byte[] HEADER = PackedRefsTable.HEADER.getBytes(US_ASCII);

  private final String key;
  private final int[] lines;
  private int n;

  /** Nearest region that has refs. */
  @Nullable private PackedRefsParser refs;

  private boolean afterPeeled;

  /**
   * Begins a table.
   *
   * @param key its key, for messages
   * @param size its length in bytes, at most that of an array
   * @param count number of refs the manifest says it has
   * @throws StoreException.Corrupt if a snapshot of that size cannot hold so many
   */
  public SnapshotLines(String key, long size, long count) throws StoreException.Corrupt {
    this.key = key;
    if (size < HEADER.length || count < 0 || count > size / PackedRefsParser.SHORTEST) {
      throw corrupt(key, 0, "is too short for " + count + " refs");
    }
    this.lines = new int[(int) count];
  }

  /** Creates an error that names the snapshot and the offset of the wrong byte. */
  public static StoreException.Corrupt corrupt(String key, long at, String what) {
    return new StoreException.Corrupt(
        key, "refs snapshot " + key + " " + what + " (byte " + at + "); restore it", null);
  }

  /**
   * Checks the header of a snapshot.
   *
   * @param bytes beginning of the snapshot
   * @return start of the first line after the header
   * @throws StoreException.Corrupt if it has another header
   */
  public int skipHeader(byte[] bytes) throws StoreException.Corrupt {
    int length = Math.min(bytes.length, HEADER.length);
    if (!Arrays.equals(bytes, 0, length, HEADER, 0, HEADER.length)) {
      throw corrupt(key, 0, "does not begin with '" + PackedRefsTable.HEADER.strip() + "'");
    }
    return HEADER.length;
  }

  /**
   * Adds the next region.
   *
   * @param scan scan of the region
   * @throws StoreException.Corrupt if it cannot follow the regions before
   */
  public void add(PackedRefsParser scan) throws StoreException.Corrupt {
    if (scan.isEmpty()) {
      return;
    }
    scan.checkFollows(refs, afterPeeled);
    if (scan.count() > lines.length - n) {
      throw scan.corrupt(scan.start(lines.length - n), "has more than " + lines.length + " refs");
    }
    scan.copyStarts(lines, n);
    n += scan.count();
    refs = scan.count() > 0 ? scan : refs;
    afterPeeled = scan.endsPeeled();
  }

  /**
   * Ends the snapshot.
   *
   * @param bytes the snapshot; kept
   * @return the table
   * @throws StoreException.Corrupt if the number of refs differs from that in the manifest
   */
  public PackedRefsTable end(byte[] bytes) throws StoreException.Corrupt {
    if (n != lines.length) {
      throw corrupt(key, bytes.length, "has " + n + " refs instead of " + lines.length);
    }
    return new PackedRefsTable(bytes, bytes.length, lines);
  }
}
