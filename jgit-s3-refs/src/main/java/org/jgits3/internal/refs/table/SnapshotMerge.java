// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Table with changes folded in. From the same table and changes, every process makes the same
 * snapshot, byte for byte. Its size is known before a byte is written; unchanged refs are copied in
 * runs, without parsing them. Immutable.
 */
public final class SnapshotMerge {
  private static final byte[] HEADER = PackedRefsTable.HEADER.getBytes(US_ASCII);

  /** Bytes that are passed on at once; longer runs are passed on as they are. */
  private static final int CHUNK = 64 << 10;

  private final PackedRefsTable table;
  private final RefDelta changes;

  /** Position of each changed ref in the table, as returned by {@link PackedRefsTable#find}. */
  private final int[] found;

  private final long size;
  private final long count;

  /**
   * Finds the positions of the changes in a table.
   *
   * @param table refs before
   * @param changes changes of some of them; all names begin with {@code refs/}
   */
  public SnapshotMerge(PackedRefsTable table, RefDelta changes) {
    this.table = table;
    this.changes = changes;
    this.found = new int[changes.size()];
    long bytes = HEADER.length + table.lineBytes(0, table.size());
    long refs = table.size();
    long changed = 0;
    RefNames names = changes.names();
    int next = 0;
    for (int i = 0; i < found.length; i++) {
      int at = table.findFrom(names.bytes(), names.start(i), names.end(i), next);
      found[i] = at;
      next = at < 0 ? -(at + 1) : at + 1;
      if (at >= 0) {
        bytes -= table.lineBytes(at, at + 1);
        refs--;
      }
      if (changes.id(i) != null) {
        changed += changes.lineBytes(i);
        refs++;
      }
    }
    this.size = bytes + changed;
    this.count = refs;
  }

  /** Length of the snapshot in bytes. */
  public long size() {
    return size;
  }

  /** Number of refs in the snapshot. */
  public long count() {
    return count;
  }

  /**
   * Writes the snapshot.
   *
   * @param out receives whole lines, the header first; must not keep the arrays
   * @throws IOException if {@code out} fails
   */
  public void writeTo(OutputStream out) throws IOException {
    out.write(HEADER, 0, HEADER.length);
    writeLines(out);
  }

  /** Writes the lines, unchanged runs of the table as they are. */
  void writeLines(OutputStream out) throws IOException {
    BufferedOutputStream lines = new BufferedOutputStream(out, (int) Math.min(size, CHUNK));
    byte[] line = {};
    int next = 0;
    for (int i = 0; i < found.length; i++) {
      int at = found[i] >= 0 ? found[i] : -(found[i] + 1);
      table.copy(next, at, lines);
      next = found[i] >= 0 ? at + 1 : at;
      if (changes.id(i) != null) {
        int length = changes.lineBytes(i);
        line = length > line.length ? new byte[length] : line;
        changes.writeLines(i, line, 0);
        lines.write(line, 0, length);
      }
    }
    table.copy(next, table.size(), lines);
    lines.flush();
  }

  /** Bytes of all lines. */
  long lineBytes() {
    return size - HEADER.length;
  }

  /**
   * Builds the table of the snapshot, in arrays of exactly its size.
   *
   * @return the table; the one without changes if there are none
   * @throws IOException if it would be larger than a table can be
   */
  public PackedRefsTable build() throws IOException {
    if (found.length == 0 && table.size() > 0) {
      return table;
    }
    PackedRefsTable.checkSize("refs", size, count);
    Whole bytes = new Whole((int) size);
    writeTo(bytes);
    return PackedRefsParser.parse("refs", bytes.array(), count);
  }

  /** Keeps bytes of which the number is known, in an array of exactly that size. */
  static final class Whole extends ByteArrayOutputStream {
    Whole(int size) {
      super(size);
    }

    byte[] array() {
      return buf;
    }
  }
}
