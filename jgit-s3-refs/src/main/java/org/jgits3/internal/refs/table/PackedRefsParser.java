// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jgits3.store.StoreException;

/**
 * Finds the refs in whole lines of packed-refs, and checks that each line follows the format and
 * that names ascend. Used by one thread, once.
 *
 * <p>Reads eight bytes at a time: this is most of the cost of opening a repository with many refs.
 */
public final class PackedRefsParser {
  private static final byte[] HEADER = PackedRefsTable.HEADER.getBytes(US_ASCII);
  private static final int HEX = 40;

  /** Line of a peeled value: {@code ^}, the id and a line feed. */
  private static final int PEELED = HEX + 2;

  /** Shortest line of a ref: the id, a space, one byte of a name and a line feed. */
  private static final int SHORTEST = HEX + 3;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long ONES = 0x0101010101010101L;
  private static final long HIGH = 0x8080808080808080L;
  private static final long LINE_FEEDS = '\n' * ONES;

  private final String key;
  private final byte[] bytes;
  private final int to;

  private PackedRefsParser(String key, byte[] bytes, int to) {
    this.key = key;
    this.bytes = bytes;
    this.to = to;
  }

  /**
   * Refuses a number of refs that a snapshot cannot hold, before memory is taken for them.
   *
   * @param key key of the snapshot, for messages
   * @param size its length in bytes
   * @param count number of refs the manifest says it has
   * @throws StoreException.Corrupt if it cannot hold so many
   */
  public static void checkCount(String key, long size, long count) throws StoreException.Corrupt {
    if (size < HEADER.length || count < 0 || count > size / SHORTEST) {
      throw corrupt(key, 0, "is too short for " + count + " refs");
    }
  }

  /**
   * Parses a snapshot.
   *
   * @param key its key, for messages
   * @param bytes the snapshot; kept
   * @param count number of refs it has; {@link #checkCount} has accepted it
   * @return its table
   * @throws StoreException.Corrupt if it does not follow the format, or has another number of refs
   */
  public static PackedRefsTable parse(String key, byte[] bytes, long count)
      throws StoreException.Corrupt {
    if (!Arrays.equals(bytes, 0, HEADER.length, HEADER, 0, HEADER.length)) {
      throw corrupt(key, 0, "does not begin with '" + PackedRefsTable.HEADER.strip() + "'");
    }
    int[] lines = new int[(int) count];
    int n = new PackedRefsParser(key, bytes, bytes.length).scan(HEADER.length, lines);
    if (n != count) {
      throw corrupt(key, bytes.length, "has " + n + " refs instead of " + count);
    }
    return new PackedRefsTable(bytes, bytes.length, lines);
  }

  /** Parses some whole lines of a file. */
  static PackedRefsTable parse(String file, byte[] bytes, int from, int to)
      throws StoreException.Corrupt {
    int[] lines = new int[(to - from) / SHORTEST];
    int n = new PackedRefsParser(file, bytes, to).scan(from, lines);
    return new PackedRefsTable(bytes, to, Arrays.copyOf(lines, n));
  }

  /** Creates an error that names the snapshot and the offset of the wrong byte. */
  public static StoreException.Corrupt corrupt(String key, long at, String what) {
    return new StoreException.Corrupt(
        key, "refs snapshot " + key + " " + what + " (byte " + at + "); restore it", null);
  }

  /** Finds the starts of the lines of refs, and returns their number. */
  private int scan(int from, int[] lines) throws StoreException.Corrupt {
    int n = 0;
    int name = 0; // of the ref before
    int nameEnd = 0;
    boolean peeled = true; // so that the first line is that of a ref
    for (int at = from; at < to; ) {
      if (bytes[at] == '^') {
        checkPeeled(at, peeled);
        peeled = true;
        at += PEELED;
        continue;
      }
      checkId(at);
      int next = at + HEX + 1;
      int end = lineFeed(next);
      if (end == to) {
        throw corrupt(key, at, "ends within a line");
      }
      if (n > 0 && Arrays.compareUnsigned(bytes, name, nameEnd, bytes, next, end) >= 0) {
        throw corrupt(key, at, "is not sorted");
      }
      if (n == lines.length) {
        throw corrupt(key, at, "has more than " + n + " refs");
      }
      lines[n++] = at;
      peeled = false;
      name = next;
      nameEnd = end;
      at = end + 1;
    }
    return n;
  }

  private void checkPeeled(int at, boolean afterPeeled) throws StoreException.Corrupt {
    if (afterPeeled || to - at < PEELED || bytes[at + HEX + 1] != '\n' || !isHex(at + 1)) {
      throw corrupt(key, at, "has a peeled line that belongs to no ref");
    }
  }

  /** Checks the line of a ref as far as its name, and that it has one. */
  private void checkId(int at) throws StoreException.Corrupt {
    if (to - at < SHORTEST || bytes[at + HEX] != ' ' || bytes[at + HEX + 1] == '\n' || !isHex(at)) {
      throw corrupt(key, at, "has a line that is no ref");
    }
  }

  /** Position of the next line feed; the end of the region if there is none. */
  private int lineFeed(int start) {
    int at = start;
    for (; at <= to - Long.BYTES; at += Long.BYTES) {
      long x = (long) LONG.get(bytes, at) ^ LINE_FEEDS;
      long ends = (x - ONES) & ~x & HIGH; // the lowest bit is that of the first line feed
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
}
