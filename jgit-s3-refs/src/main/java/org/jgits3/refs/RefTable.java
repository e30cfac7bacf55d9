// SPDX-License-Identifier: Apache-2.0
package org.jgits3.refs;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.Optional;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.manifest.RefValue;
import org.jgits3.store.StoreException;

/**
 * A snapshot of refs in Git's packed-refs format, searched where it lies: the bytes as they came
 * from the store, and where each ref's line begins. No object is made for a ref until somebody asks
 * for it.
 *
 * <p>Refs are sorted by the UTF-8 bytes of their names and fully peeled. Immutable.
 */
final class RefTable {
  /** First line of every snapshot: what C git writes and understands. */
  static final String HEADER = "# pack-refs with: peeled fully-peeled sorted \n";

  /** The table without refs. */
  static final RefTable EMPTY = new RefTable(new byte[0], new int[0]);

  private static final int HEX = 40;

  private final byte[] bytes;
  private final int[] lines;

  private RefTable(byte[] bytes, int[] lines) {
    this.bytes = bytes;
    this.lines = lines;
  }

  /**
   * Finds the lines of a snapshot and checks that they follow the format.
   *
   * @param key key of the snapshot, for messages
   * @param bytes the snapshot; kept, not copied
   * @param count number of refs the manifest says it has
   * @return the table
   * @throws StoreException.Corrupt if the bytes are no such snapshot
   */
  static RefTable parse(String key, byte[] bytes, long count) throws StoreException.Corrupt {
    byte[] header = HEADER.getBytes(UTF_8);
    if (bytes.length < header.length
        || Arrays.mismatch(bytes, 0, header.length, header, 0, header.length) >= 0) {
      throw corrupt(key, 0, "does not begin with '" + HEADER.strip() + "'");
    }
    if (count > bytes.length / (HEX + 2)) {
      throw corrupt(key, 0, "is too short for " + count + " refs");
    }
    int[] lines = new int[(int) count];
    int n = 0;
    int at = header.length;
    while (at < bytes.length) {
      int end = endOfLine(key, bytes, at);
      if (bytes[at] == '^') {
        checkPeeled(key, bytes, at, end, n);
      } else {
        if (n == count) {
          throw corrupt(key, at, "has more than " + count + " refs");
        }
        checkRef(key, bytes, at, end);
        if (n > 0 && compareNames(bytes, lines[n - 1] + HEX + 1, bytes, at + HEX + 1) >= 0) {
          throw corrupt(key, at, "is not sorted");
        }
        lines[n++] = at;
      }
      at = end + 1;
    }
    if (n != count) {
      throw corrupt(key, at, "has " + n + " refs instead of " + count);
    }
    return new RefTable(bytes, lines);
  }

  private static int endOfLine(String key, byte[] b, int at) throws StoreException.Corrupt {
    for (int i = at; i < b.length; i++) {
      if (b[i] == '\n') {
        return i;
      }
    }
    throw corrupt(key, at, "ends within a line");
  }

  private static void checkRef(String key, byte[] b, int at, int end)
      throws StoreException.Corrupt {
    if (end - at < HEX + 2 || b[at + HEX] != ' ' || !isHex(b, at)) {
      throw corrupt(key, at, "has a line that is no ref");
    }
  }

  private static void checkPeeled(String key, byte[] b, int at, int end, int refs)
      throws StoreException.Corrupt {
    boolean follows = refs > 0 && b[at - 1] == '\n' && (at < HEX + 2 || b[at - HEX - 2] != '^');
    if (end - at != HEX + 1 || !isHex(b, at + 1) || !follows) {
      throw corrupt(key, at, "has a peeled line that belongs to no ref");
    }
  }

  private static boolean isHex(byte[] b, int at) {
    for (int i = at; i < at + HEX; i++) {
      if (!(b[i] >= '0' && b[i] <= '9') && !(b[i] >= 'a' && b[i] <= 'f')) {
        return false;
      }
    }
    return true;
  }

  private static StoreException.Corrupt corrupt(String key, int at, String what) {
    return new StoreException.Corrupt(
        key, "refs snapshot " + key + " " + what + " (byte " + at + "); restore it", null);
  }

  /**
   * Compares two names that each end at a line feed; a name sorts before what it is a prefix of.
   */
  private static int compareNames(byte[] a, int ai, byte[] b, int bi) {
    for (; ; ai++, bi++) {
      boolean aEnds = a[ai] == '\n';
      boolean bEnds = b[bi] == '\n';
      if (aEnds || bEnds) {
        return Boolean.compare(bEnds, aEnds);
      }
      if (a[ai] != b[bi]) {
        return Integer.compare(a[ai] & 0xff, b[bi] & 0xff);
      }
    }
  }

  int size() {
    return lines.length;
  }

  /**
   * Finds a ref.
   *
   * @param name UTF-8 bytes of its name
   * @return its index, or {@code -(insertion point) - 1}
   */
  int find(byte[] name) {
    int low = 0;
    int high = lines.length - 1;
    while (low <= high) {
      int mid = (low + high) >>> 1;
      int cmp = compare(mid, name);
      if (cmp < 0) {
        low = mid + 1;
      } else if (cmp > 0) {
        high = mid - 1;
      } else {
        return mid;
      }
    }
    return -(low + 1);
  }

  /**
   * First ref at or after a name.
   *
   * @param name UTF-8 bytes
   * @return index from 0 to {@link #size}
   */
  int ceiling(byte[] name) {
    int i = find(name);
    return i < 0 ? -(i + 1) : i;
  }

  /**
   * Whether a ref's name begins with a prefix.
   *
   * @param index index of the ref
   * @param prefix UTF-8 bytes
   * @return true if it does
   */
  boolean startsWith(int index, byte[] prefix) {
    int at = lines[index] + HEX + 1;
    for (int i = 0; i < prefix.length; i++) {
      if (bytes[at + i] != prefix[i]) {
        return false; // a line feed is no byte of a name, so the line's end differs too
      }
    }
    return true;
  }

  private int compare(int index, byte[] name) {
    int at = lines[index] + HEX + 1;
    for (int i = 0; ; i++) {
      boolean lineEnds = bytes[at + i] == '\n';
      boolean nameEnds = i == name.length;
      if (lineEnds || nameEnds) {
        return Boolean.compare(nameEnds, lineEnds);
      }
      if (bytes[at + i] != name[i]) {
        return Integer.compare(bytes[at + i] & 0xff, name[i] & 0xff);
      }
    }
  }

  String name(int index) {
    int at = lines[index] + HEX + 1;
    return new String(bytes, at, endOfName(at) - at, UTF_8);
  }

  /**
   * What a ref points to.
   *
   * @param index index of the ref
   * @return its value
   */
  RefValue.Direct value(int index) {
    int at = lines[index];
    int next = endOfName(at + HEX + 1) + 1;
    boolean tag = next < bytes.length && bytes[next] == '^';
    return new RefValue.Direct(
        ObjectId.fromString(bytes, at),
        tag ? Optional.of(ObjectId.fromString(bytes, next + 1)) : Optional.empty());
  }

  private int endOfName(int at) {
    int end = at;
    while (bytes[end] != '\n') {
      end++;
    }
    return end;
  }
}
