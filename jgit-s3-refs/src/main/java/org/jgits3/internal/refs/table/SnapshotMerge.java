// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import org.eclipse.jgit.lib.Constants;

/**
 * Table with changes folded in. Every process makes the same snapshot of the same two, byte for
 * byte. Its size is known before a byte is written; unchanged refs are copied in runs, without
 * parsing them. Immutable.
 */
public final class SnapshotMerge {
  private static final byte[] HEADER = PackedRefsTable.HEADER.getBytes(US_ASCII);

  /** Bytes of changed lines that are passed on at once. */
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
    for (int i = 0; i < found.length; i++) {
      int at = table.find(names.bytes(), names.start(i), names.end(i));
      found[i] = at;
      if (at >= 0) {
        bytes -= table.lineBytes(at, at + 1);
        refs--;
      }
      if (changes.id(i) != null) {
        changed += PackedRefsLine.length(names.length(i), changes.peeled(i));
        refs++;
      }
    }
    this.size = bytes + changed;
    this.count = refs;
  }

  /** Tests whether a snapshot can hold a ref; others stay in the overlay. */
  public static boolean holds(String name) {
    return name.startsWith(Constants.R_REFS);
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
  public void writeTo(PackedRefsSink out) throws IOException {
    out.accept(HEADER, 0, HEADER.length);
    Chunks chunks = new Chunks(out);
    walk(chunks);
    chunks.flush();
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
    PackedRefsTable.Builder builder = new PackedRefsTable.Builder(size, count);
    appendTo(builder);
    return builder.build();
  }

  /** Adds the refs of the snapshot to a table. */
  void appendTo(PackedRefsTable.Builder builder) {
    try {
      walk(
          new Output() {
            @Override
            public void unchanged(int from, int to) {
              builder.append(table, from, to);
            }

            @Override
            public void changed(int i) {
              builder.append(changes, i);
            }
          });
    } catch (IOException e) {
      throw new IllegalStateException("memory does not fail", e);
    }
  }

  private interface Output {
    /** Takes refs of the table, by their indexes there. */
    void unchanged(int from, int to) throws IOException;

    /** Takes a changed ref that was not deleted, by its index among the changes. */
    void changed(int i) throws IOException;
  }

  /** Passes on runs of the table as they are, and changed lines in chunks. */
  private final class Chunks implements Output {
    private final PackedRefsSink out;
    private byte[] chunk = new byte[CHUNK];
    private int filled;

    Chunks(PackedRefsSink out) {
      this.out = out;
    }

    @Override
    public void unchanged(int from, int to) throws IOException {
      flush();
      table.copy(from, to, out);
    }

    @Override
    public void changed(int i) throws IOException {
      int length = PackedRefsLine.length(changes.names().length(i), changes.peeled(i));
      if (filled + length > chunk.length) {
        flush();
        chunk = length > chunk.length ? new byte[length] : chunk;
      }
      filled =
          PackedRefsLine.write(changes.names(), i, changes.id(i), changes.peeled(i), chunk, filled);
    }

    void flush() throws IOException {
      if (filled > 0) {
        out.accept(chunk, 0, filled);
        filled = 0;
      }
    }
  }

  private void walk(Output out) throws IOException {
    int next = 0;
    for (int i = 0; i < found.length; i++) {
      int at = found[i] >= 0 ? found[i] : -(found[i] + 1);
      if (at > next) {
        out.unchanged(next, at);
      }
      next = found[i] >= 0 ? at + 1 : at;
      if (changes.id(i) != null) {
        out.changed(i);
      }
    }
    if (next < table.size()) {
      out.unchanged(next, table.size());
    }
  }
}
