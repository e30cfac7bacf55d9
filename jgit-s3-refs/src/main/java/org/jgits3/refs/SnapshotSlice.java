// SPDX-License-Identifier: Apache-2.0
package org.jgits3.refs;

import java.util.zip.CRC32C;
import org.eclipse.jgit.annotations.Nullable;
import org.jgits3.store.StoreException;

/**
 * A range of a snapshot that was read, and is looked through, by one thread, while others do the
 * same with other ranges. What it found is asked for when all are done.
 */
final class SnapshotSlice {
  private final String key;
  private final long offset;
  private final byte[] part;
  private final int from;
  private final int to;
  private final int crc32c;

  /** Where the lines that are whole begin and end; both at the end if there is no line feed. */
  private int first;

  private int last;
  @Nullable private LineScan scan;
  @Nullable private StoreException.Corrupt corrupt;

  /**
   * Looks a range through; what is wrong with it is reported later.
   *
   * @param key key of the snapshot
   * @param offset where in the snapshot {@code part} begins
   * @param part array that holds the range
   * @param from where in the array the range begins
   * @param to where in the array it ends
   */
  SnapshotSlice(String key, long offset, byte[] part, int from, int to) {
    this.key = key;
    this.offset = offset;
    this.part = part;
    this.from = from;
    this.to = to;
    CRC32C crc = new CRC32C();
    crc.update(part, from, to - from);
    crc32c = (int) crc.getValue();
    findLines();
    try {
      scan = new LineScan(key, offset, part, first, last);
    } catch (StoreException.Corrupt e) {
      corrupt = e; // perhaps not the first in the snapshot
    }
  }

  private void findLines() {
    first = from;
    while (first < to && part[first] != '\n') {
      first++;
    }
    if (first == to) {
      last = to;
      return;
    }
    first++;
    last = to;
    while (part[last - 1] != '\n') {
      last--;
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
  int addTo(SnapshotLines lines, int start) throws StoreException.Corrupt {
    if (part[first - 1] != '\n') {
      return start;
    }
    lines.add(new LineScan(key, offset, part, start, first));
    if (corrupt != null) {
      throw corrupt;
    }
    lines.add(scan);
    return last;
  }

  /** CRC32C of this range and all before it, given that of those. */
  int crc32cAfter(int before) {
    return CrcSum.append(before, crc32c, to - from);
  }
}
