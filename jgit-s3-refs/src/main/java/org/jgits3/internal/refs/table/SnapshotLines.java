// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.eclipse.jgit.annotations.Nullable;
import org.jgits3.store.StoreException;

/**
 * Joins the scanned regions of a snapshot, given in order, into its table. Used by one thread.
 *
 * <p>Regions are given part by part. The last ref of a part that is not the last one belongs to the
 * next part, since its peeled value may follow there.
 */
public final class SnapshotLines {
  private static final byte[] HEADER = PackedRefsTable.HEADER.getBytes(US_ASCII);

  private final String key;
  private final int[] lines;
  private final List<PackedRefsTable.Part> parts = new ArrayList<>();
  private int n;

  /** Index of the first ref of the part. */
  private int first;

  /** Nearest region of the part that has refs. */
  @Nullable private PackedRefsParser refs;

  private boolean afterPeeled;

  /**
   * Begins a table.
   *
   * @param key its key, for messages
   * @param size its length in bytes
   * @param count number of refs the manifest says it has
   * @throws StoreException.Corrupt if a snapshot of that size cannot hold so many
   */
  public SnapshotLines(String key, long size, long count) throws StoreException.Corrupt {
    this.key = key;
    long most = Math.min(Integer.MAX_VALUE - 8, size / PackedRefsParser.SHORTEST);
    if (size < HEADER.length || count < 0 || count > most) {
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
   * Adds the next region of a part.
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
   * Ends a part that others follow.
   *
   * @param bytes the part; kept if it has refs or is the first one
   * @return offset in the part of the first ref of the next part
   */
  public int cut(byte[] bytes) {
    int cut = parts.isEmpty() ? HEADER.length : 0;
    if (n > first) {
      cut = lines[--n];
    }
    if (cut > 0) {
      parts.add(new PackedRefsTable.Part(bytes, cut, first));
    }
    first = n;
    refs = null;
    afterPeeled = false;
    return cut;
  }

  /**
   * Ends the last part.
   *
   * @param bytes the part; kept
   * @return the table
   * @throws StoreException.Corrupt if the number of refs differs from that in the manifest
   */
  public PackedRefsTable end(byte[] bytes) throws StoreException.Corrupt {
    if (n != lines.length) {
      throw corrupt(key, size(bytes), "has " + n + " refs instead of " + lines.length);
    }
    parts.add(new PackedRefsTable.Part(bytes, bytes.length, first));
    return new PackedRefsTable(parts, lines);
  }

  private long size(byte[] last) {
    return last.length + parts.stream().mapToLong(PackedRefsTable.Part::end).sum();
  }
}
