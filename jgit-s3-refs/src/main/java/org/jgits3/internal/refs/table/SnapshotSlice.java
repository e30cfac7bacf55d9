// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import java.util.zip.CRC32C;
import org.eclipse.jgit.annotations.Nullable;
import org.jgits3.store.Arrival;
import org.jgits3.store.StoreException;
import org.jgits3.store.Validator;

/**
 * A range of a snapshot that is read, and looked through as it arrives, by one thread, while others
 * do the same with other ranges. What it found is asked for when all are done.
 */
public final class SnapshotSlice implements Arrival {
  private final String key;
  private final long offset;
  private final byte[] part;
  private final int from;
  private final int to;
  private final CRC32C crc = new CRC32C();

  /** Where the bytes end that were looked through. */
  private int seen;

  /** Where the lines that are whole begin and end; both at the end if there is no line feed. */
  private int first;

  private int last;
  @Nullable private LineScan scan;
  @Nullable private StoreException.Corrupt corrupt;

  /**
   * A range that will arrive; what is wrong with it is reported later.
   *
   * @param key key of the snapshot
   * @param offset where in the snapshot {@code part} begins
   * @param part array that will hold the range
   * @param from where in the array the range begins
   * @param to where in the array it ends
   */
  public SnapshotSlice(String key, long offset, byte[] part, int from, int to) {
    this.key = key;
    this.offset = offset;
    this.part = part;
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
  public void begins(Validator version) {
    restart();
  }

  @Override
  public void until(int end) {
    crc.update(part, seen, end - seen);
    look(end);
    seen = end;
  }

  private void look(int end) {
    int at = end;
    while (at > seen && part[at - 1] != '\n') {
      at--;
    }
    if (at == seen || corrupt != null) {
      return; // no line ends here
    }
    try {
      if (scan == null) {
        first = seen;
        while (part[first++] != '\n') {}
        scan = new LineScan(key, offset, part, first, to);
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
   * @param lines what the ranges before held
   * @param start where the line begins that the range before ends within
   * @return where the line begins that this range ends within
   * @throws StoreException.Corrupt if something does not follow the format
   */
  public int addTo(SnapshotLines lines, int start) throws StoreException.Corrupt {
    if (part[first - 1] != '\n') {
      return start;
    }
    lines.add(LineScan.of(key, offset, part, start, first));
    if (corrupt != null) {
      throw corrupt;
    }
    lines.add(scan);
    return last;
  }

  /** CRC32C of this range and all before it, given that of those. */
  public int crc32cAfter(int before) {
    return CrcSum.append(before, (int) crc.getValue(), to - from);
  }
}
