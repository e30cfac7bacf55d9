// SPDX-License-Identifier: Apache-2.0
package org.jgits3.refs;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.Optional;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.manifest.RefValue;

/**
 * A table with changes folded in: the snapshot that every process makes of the same two, byte for
 * byte. Its size is known before a byte is written; what did not change is copied in runs, without
 * a look at it. Immutable.
 */
final class SnapshotMerge {
  private static final byte[] HEADER = RefTable.HEADER.getBytes(US_ASCII);
  private static final int HEX = 40;

  private static final byte[] DIGITS = "0123456789abcdef".getBytes(US_ASCII);

  /** Bytes of changed lines that are handed on at once. */
  private static final int CHUNK = 64 << 10;

  /** Most bytes that a character of a name takes. */
  private static final int PER_CHAR = 3;

  /** Bytes of a deletion in a delta, besides the name. */
  private static final int DELETION = 3;

  private final RefTable table;
  private final ChangedRefs changes;

  /** About the bytes of all changes, deletions included, when they are written by themselves. */
  private final long deltaBytes;

  /** Where each changed ref is in the table, or would be: as {@link RefTable#find} says. */
  private final int[] found;

  private final long size;
  private final long count;

  /**
   * Finds where the changes go.
   *
   * @param table refs before
   * @param changes what became of some of them; all names begin with {@code refs/}
   */
  SnapshotMerge(RefTable table, ChangedRefs changes) {
    this.table = table;
    this.changes = changes;
    this.found = new int[changes.size()];
    long bytes = HEADER.length + table.lineBytes(0, table.size());
    long refs = table.size();
    long changed = 0;
    long deleted = 0;
    for (int i = 0; i < found.length; i++) {
      int at = table.find(changes.name(i));
      found[i] = at;
      if (at >= 0) {
        bytes -= table.lineBytes(at, at + 1);
        refs--;
      }
      if (changes.value(i) instanceof RefValue.Direct d) {
        changed += lineBytes(changes.name(i), d);
        refs++;
      } else {
        deleted += DELETION + changes.name(i).length();
      }
    }
    this.deltaBytes = changed + deleted;
    this.size = bytes + changed;
    this.count = refs;
  }

  /** Whether a snapshot can hold a ref: others stay in the overlay. */
  static boolean holds(String name) {
    return name.startsWith(Constants.R_REFS);
  }

  /** Length of the snapshot in bytes. */
  long size() {
    return size;
  }

  /** Number of refs in the snapshot. */
  long count() {
    return count;
  }

  /** About the bytes of what was folded in, written by itself. */
  long deltaBytes() {
    return deltaBytes;
  }

  /** What was folded in. */
  ChangedRefs changes() {
    return changes;
  }

  /**
   * What the snapshot says of a ref.
   *
   * @param name full name
   * @return its value there
   */
  Optional<RefValue.Direct> value(String name) {
    Optional<RefValue> changed = changes.get(name);
    if (changed.isPresent()) {
      return changed.get() instanceof RefValue.Direct d ? Optional.of(d) : Optional.empty();
    }
    int at = table.find(name);
    return at < 0 ? Optional.empty() : Optional.of(table.value(at));
  }

  /**
   * Writes the snapshot.
   *
   * @param out takes whole lines, the header first; must not keep the arrays
   * @throws IOException if {@code out} fails
   */
  void writeTo(LineSink out) throws IOException {
    out.accept(HEADER, 0, HEADER.length);
    walk(
        new Output() {
          @Override
          public void unchanged(int from, int to) throws IOException {
            table.copy(from, to, out);
          }

          @Override
          public void changed(byte[] lines, int length) throws IOException {
            out.accept(lines, 0, length);
          }
        });
  }

  /**
   * Makes the table of the snapshot, in arrays of exactly its size.
   *
   * @return the table
   */
  RefTable build() {
    RefTable.Builder builder = new RefTable.Builder(size, count);
    try {
      walk(
          new Output() {
            @Override
            public void unchanged(int from, int to) {
              builder.append(table, from, to);
            }

            @Override
            public void changed(byte[] lines, int length) {
              builder.accept(lines, 0, length);
            }
          });
    } catch (IOException e) {
      throw new IllegalStateException("memory does not fail", e);
    }
    return builder.build();
  }

  private interface Output {
    void unchanged(int from, int to) throws IOException;

    void changed(byte[] lines, int length) throws IOException;
  }

  private void walk(Output out) throws IOException {
    byte[] chunk = new byte[CHUNK];
    int filled = 0;
    int next = 0;
    for (int i = 0; i < found.length; i++) {
      int at = found[i] >= 0 ? found[i] : -(found[i] + 1);
      if (at > next) {
        if (filled > 0) {
          out.changed(chunk, filled);
          filled = 0;
        }
        out.unchanged(next, at);
      }
      next = found[i] >= 0 ? at + 1 : at;
      if (changes.value(i) instanceof RefValue.Direct d) {
        String name = changes.name(i);
        int most = 2 * (HEX + 2) + PER_CHAR * name.length();
        if (filled + most > chunk.length) {
          out.changed(chunk, filled);
          filled = 0;
          chunk = most > chunk.length ? new byte[most] : chunk;
        }
        filled = format(name, d, chunk, filled);
      }
    }
    if (filled > 0) {
      out.changed(chunk, filled);
    }
    if (next < table.size()) {
      out.unchanged(next, table.size());
    }
  }

  private static int lineBytes(String name, RefValue.Direct value) {
    return HEX + 2 + utf8Length(name) + (value.peeled().isPresent() ? HEX + 2 : 0);
  }

  private static int utf8Length(String name) {
    for (int i = 0; i < name.length(); i++) {
      if (name.charAt(i) >= 0x80) {
        return name.getBytes(UTF_8).length;
      }
    }
    return name.length();
  }

  /** Writes the line of a ref, and that of its peeled value; returns where they end. */
  private static int format(String name, RefValue.Direct value, byte[] dst, int start) {
    hex(value.id(), dst, start);
    dst[start + HEX] = ' ';
    int at = encode(name, dst, start + HEX + 1);
    dst[at++] = '\n';
    if (value.peeled().isPresent()) {
      dst[at++] = '^';
      hex(value.peeled().get(), dst, at);
      at += HEX;
      dst[at++] = '\n';
    }
    return at;
  }

  /**
   * Writes an id as its digits; {@link ObjectId#copyTo} does it too, but takes most of the time of
   * a large batch.
   */
  private static void hex(ObjectId id, byte[] dst, int start) {
    int raw = start + HEX / 2;
    id.copyRawTo(dst, raw); // each byte is read before a digit takes its place
    for (int i = 0; i < HEX / 2; i++) {
      int b = dst[raw + i];
      dst[start + 2 * i] = DIGITS[b >> 4 & 0xf];
      dst[start + 2 * i + 1] = DIGITS[b & 0xf];
    }
  }

  private static int encode(String name, byte[] dst, int start) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c >= 0x80) {
        byte[] bytes = name.getBytes(UTF_8);
        System.arraycopy(bytes, 0, dst, start, bytes.length);
        return start + bytes.length;
      }
      dst[start + i] = (byte) c;
    }
    return start + name.length();
  }
}
