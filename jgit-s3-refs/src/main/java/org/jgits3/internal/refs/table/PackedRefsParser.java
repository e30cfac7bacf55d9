// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.eclipse.jgit.annotations.Nullable;
import org.jgits3.store.StoreException;

/**
 * Finds the refs in some whole lines of a snapshot, and checks that each line follows the format
 * and that names ascend. Regions of a snapshot can be scanned at the same time, each by its own
 * thread.
 *
 * <p>Reads eight bytes at a time: this is most of the cost of opening a repository with many refs.
 */
public final class PackedRefsParser {
  private static final int HEX = 40;

  /** Line of a peeled value: {@code ^}, the id and a line feed. */
  private static final int PEELED = HEX + 2;

  /** Shortest line of a ref: the id, a space, one byte of a name and a line feed. */
  static final int SHORTEST = HEX + 3;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long ONES = 0x0101010101010101L;
  private static final long HIGH = 0x8080808080808080L;
  private static final long LINE_FEEDS = '\n' * ONES;

  private static final String BELONGS_TO_NONE = "has a peeled line that belongs to no ref";
  private static final String NOT_SORTED = "is not sorted";

  private final String key;
  private final long offset;
  private final byte[] bytes;
  private final int from;
  private int to;
  private final int[] starts;
  private int count;
  private boolean endsPeeled;

  /** End of the name of the last ref. */
  private int lastNameEnd;

  /**
   * Creates a scan that has scanned nothing yet.
   *
   * @param key key of the snapshot, for messages
   * @param offset offset of {@code bytes} in the snapshot, for messages
   * @param bytes array that holds the region
   * @param from start of the first line of the region
   * @param limit upper bound of the end of its last line
   */
  PackedRefsParser(String key, long offset, byte[] bytes, int from, int limit) {
    this.key = key;
    this.offset = offset;
    this.bytes = bytes;
    this.from = from;
    this.to = from;
    this.starts = new int[(limit - from) / SHORTEST];
  }

  /** Scans a region. */
  public static PackedRefsParser of(String key, long offset, byte[] bytes, int from, int to)
      throws StoreException.Corrupt {
    PackedRefsParser scan = new PackedRefsParser(key, offset, bytes, from, to);
    scan.extend(to);
    return scan;
  }

  /**
   * Scans more of the region.
   *
   * @param whole end of the last line that has arrived
   * @throws StoreException.Corrupt if it does not follow the format; the scan cannot be used
   *     afterwards
   */
  void extend(int whole) throws StoreException.Corrupt {
    int at = to;
    to = whole;
    int n = count;
    int name = n > 0 ? lastName() : 0; // of the ref before
    int nameEnd = lastNameEnd;
    boolean peeled = endsPeeled;
    while (at < whole) {
      if (bytes[at] == '^') {
        checkPeeled(at, peeled);
        peeled = true;
        at += PEELED;
      } else {
        checkId(at);
        int next = at + HEX + 1;
        int end = n > 0 ? endIfGreater(next, name, nameEnd) : lineFeed(next);
        if (end < 0) {
          throw corrupt(at, NOT_SORTED);
        }
        if (end == to) {
          throw corrupt(at, "ends within a line");
        }
        starts[n++] = at;
        peeled = false;
        name = next;
        nameEnd = end;
        at = end + 1;
      }
    }
    count = n;
    lastNameEnd = nameEnd;
    endsPeeled = peeled;
  }

  private void checkPeeled(int at, boolean afterPeeled) throws StoreException.Corrupt {
    if (afterPeeled || to - at < PEELED || bytes[at + HEX + 1] != '\n' || !isHex(at + 1)) {
      throw corrupt(at, BELONGS_TO_NONE);
    }
  }

  /** Checks the line of a ref as far as its name, and that it has one. */
  private void checkId(int at) throws StoreException.Corrupt {
    if (to - at < SHORTEST || bytes[at + HEX] != ' ' || bytes[at + HEX + 1] == '\n' || !isHex(at)) {
      throw corrupt(at, "has a line that is no ref");
    }
  }

  /**
   * Finds the end of a name and compares it with the one before, each byte read once: of names that
   * follow each other most bytes are the same.
   *
   * @param name start of the name
   * @param before start of the name before
   * @param beforeEnd end of the name before
   * @return end of the name; the end of the region if it does not end there; negative if it is not
   *     greater
   */
  private int endIfGreater(int name, int before, int beforeEnd) {
    int at = name;
    int back = name - before;
    int most = name + Math.min(beforeEnd - before, to - name) - Long.BYTES;
    while (at <= most && (long) LONG.get(bytes, at) == (long) LONG.get(bytes, at - back)) {
      at += Long.BYTES; // no line feed, since there is none in the name before
    }
    if (at <= to - Long.BYTES) {
      long x = (long) LONG.get(bytes, at);
      long ends = lineFeeds(x);
      int length = Long.numberOfTrailingZeros(ends) >>> 3; // 8 if it does not end here
      int same = Long.numberOfTrailingZeros(x ^ (long) LONG.get(bytes, at - back)) >>> 3;
      if (same < Long.BYTES) {
        boolean greater = same <= length && isGreater(bytes[at + same], bytes[at + same - back]);
        return greater ? ends != 0 ? at + length : lineFeed(at + Long.BYTES) : -1;
      }
    }
    int end = lineFeed(at);
    return end == to || ascends(bytes, before, beforeEnd, bytes, name, end) ? end : -1;
  }

  /** Compares the first bytes in which two names differ, of which one may be a line feed. */
  private static boolean isGreater(byte b, byte before) {
    return before == '\n' || (b != '\n' && (b & 0xff) > (before & 0xff));
  }

  /**
   * Marks the line feeds in eight bytes: zero if there is none; else the lowest bit is that of the
   * first one.
   */
  private static long lineFeeds(long bytes) {
    long x = bytes ^ LINE_FEEDS;
    return (x - ONES) & ~x & HIGH;
  }

  /** Position of the next line feed; the end of the region if there is none. */
  private int lineFeed(int start) {
    int at = start;
    for (; at <= to - Long.BYTES; at += Long.BYTES) {
      long ends = lineFeeds((long) LONG.get(bytes, at));
      if (ends != 0) {
        return at + (Long.numberOfTrailingZeros(ends) >>> 3);
      }
    }
    while (at < to && bytes[at] != '\n') {
      at++;
    }
    return at;
  }

  private boolean isHex(int at) {
    long a = (long) LONG.get(bytes, at);
    long b = (long) LONG.get(bytes, at + Long.BYTES);
    long c = (long) LONG.get(bytes, at + 2 * Long.BYTES);
    long d = (long) LONG.get(bytes, at + 3 * Long.BYTES);
    long e = (long) LONG.get(bytes, at + 4 * Long.BYTES);
    long good = hexDigits(a) & hexDigits(b) & hexDigits(c) & hexDigits(d) & hexDigits(e);
    return (good & HIGH) == HIGH && ((a | b | c | d | e) & HIGH) == 0;
  }

  /** Sets the high bit of each byte that is a lower-case hex digit, if no byte is above 0x7f. */
  private static long hexDigits(long x) {
    long digit = (x + (0x80 - '0') * ONES) & ~(x + (0x80 - '9' - 1) * ONES);
    long letter = (x + (0x80 - 'a') * ONES) & ~(x + (0x80 - 'f' - 1) * ONES);
    return digit | letter;
  }

  /** Tests whether the second of two names is greater; both are followed by a line feed. */
  private static boolean ascends(byte[] a, int nameA, int endA, byte[] b, int nameB, int endB) {
    int i = Arrays.mismatch(a, nameA, endA + 1, b, nameB, endB + 1);
    if (i < 0 || nameB + i == endB) {
      return false;
    }
    return nameA + i == endA || (a[nameA + i] & 0xff) < (b[nameB + i] & 0xff);
  }

  /**
   * Checks that this region can follow others of the snapshot.
   *
   * @param refs the nearest region before that has refs; null if none has
   * @param afterPeeled true if the line before this region is that of a peeled value
   * @throws StoreException.Corrupt if it cannot
   */
  void checkFollows(@Nullable PackedRefsParser refs, boolean afterPeeled)
      throws StoreException.Corrupt {
    if (startsPeeled() && (refs == null || afterPeeled)) {
      throw corrupt(from, BELONGS_TO_NONE);
    }
    if (refs != null && count > 0) {
      int name = starts[0] + HEX + 1;
      if (!ascends(refs.bytes, refs.lastName(), refs.lastNameEnd, bytes, name, lineFeed(name))) {
        throw corrupt(starts[0], NOT_SORTED);
      }
    }
  }

  private boolean startsPeeled() {
    return from < to && bytes[from] == '^';
  }

  /** Tests whether the last line is that of a peeled value. */
  boolean endsPeeled() {
    return endsPeeled;
  }

  boolean isEmpty() {
    return from == to;
  }

  private int lastName() {
    return starts[count - 1] + HEX + 1;
  }

  /** Number of refs whose lines begin in the region. */
  int count() {
    return count;
  }

  /** Start of the line of a ref. */
  int start(int index) {
    return starts[index];
  }

  /** Bytes of the name of a ref. */
  byte[] name(int index) {
    int name = starts[index] + HEX + 1;
    return Arrays.copyOfRange(bytes, name, lineFeed(name));
  }

  /** Copies the starts of the lines. */
  void copyStarts(int[] dst, int at) {
    System.arraycopy(starts, 0, dst, at, count);
  }

  /** Starts of the first so many lines. */
  int[] starts(int refs) {
    return Arrays.copyOf(starts, refs);
  }

  StoreException.Corrupt corrupt(int at, String what) {
    return SnapshotLines.corrupt(key, offset + at, what);
  }
}
