// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import java.util.zip.CRC32C;
import org.eclipse.jgit.annotations.Nullable;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.ReadListener;
import org.jgits3.store.StoreException;

/**
 * Range of a snapshot, scanned by one thread as it arrives, while other threads do the same with
 * other ranges. Its results are read when all ranges are complete.
 */
public final class SnapshotSlice implements ReadListener {
  private final String key;
  private final byte[] bytes;
  private final int from;
  private final int to;
  private final CRC32C crc = new CRC32C();

  /** End of the scanned bytes. */
  private int seen;

  /** Start and end of the whole lines; both are the end of the range if there is no line feed. */
  private int first;

  private int last;
  @Nullable private PackedRefsParser scan;
  @Nullable private StoreException.Corrupt corrupt;

  /**
   * Creates a range that will arrive; its errors are reported by {@link #addTo}.
   *
   * @param key key of the snapshot
   * @param bytes array that will hold the snapshot
   * @param from start of the range in the array
   * @param to end of the range in the array
   */
  public SnapshotSlice(String key, byte[] bytes, int from, int to) {
    this.key = key;
    this.bytes = bytes;
    this.from = from;
    this.to = to;
    restart();
  }

  private void restart() {
    crc.reset();
    seen = from;
    first = to;
    last = to;
    scan = null;
    corrupt = null;
  }

  @Override
  public void begins(ObjectVersion version) {
    restart();
  }

  @Override
  public void until(int end) {
    crc.update(bytes, seen, end - seen);
    look(end);
    seen = end;
  }

  private void look(int end) {
    int at = end;
    while (at > seen && bytes[at - 1] != '\n') {
      at--;
    }
    if (at == seen || corrupt != null) {
      return; // no line ends here
    }
    try {
      if (scan == null) {
        first = seen;
        while (bytes[first++] != '\n') {}
        scan = new PackedRefsParser(key, 0, bytes, first, to);
      }
      last = at;
      scan.extend(at);
    } catch (StoreException.Corrupt e) {
      corrupt = e; // perhaps not the first in the snapshot
    }
  }

  /**
   * Adds the lines that end in the range.
   *
   * @param lines lines of the ranges before
   * @param start start of the line that crosses into this range
   * @return start of the line that crosses into the next range
   * @throws StoreException.Corrupt if a line does not follow the format
   */
  public int addTo(SnapshotLines lines, int start) throws StoreException.Corrupt {
    if (bytes[first - 1] != '\n') {
      return start;
    }
    lines.add(PackedRefsParser.of(key, 0, bytes, start, first));
    if (corrupt != null) {
      throw corrupt;
    }
    lines.add(scan);
    return last;
  }

  /** CRC32C of this range and all before it, given the CRC32C of those before. */
  public int crc32cAfter(int before) {
    return CombinedCrc32c.append(before, (int) crc.getValue(), to - from);
  }
}
