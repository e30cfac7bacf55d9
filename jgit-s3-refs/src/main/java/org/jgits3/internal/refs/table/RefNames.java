// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.Predicate;

/**
 * Names of refs in UTF-8, one after the other in one array, in the order of packed-refs. Large
 * batches compare, search and write names; a {@link String} for each would cost a cache miss at
 * every access. Immutable.
 */
public final class RefNames {
  /**
   * Most bytes of a name of a ref: those of a path, as for Git, whose refs are files. Each name so
   * fits into a packet.
   */
  private static final int LONGEST = 4096;

  /**
   * Most bytes of a part of a name between two slashes. Git and JGit create {@code PART.lock} for a
   * ref in a file, and file names have at most 255 bytes: a client with a longer part fails in
   * every fetch. Directories, which need no lock, have the same bound.
   */
  private static final int WIDEST = 250;

  /** Most directories of a name of a ref: each is looked up before the ref is created. */
  private static final int DEEPEST = 100;

  /** Says why no ref can have a name that is not {@link #storable}. */
  public static final String BOUNDS =
      "the name has more than "
          + LONGEST
          + " bytes, "
          + WIDEST
          + " bytes between two slashes or "
          + DEEPEST
          + " directories, or no UTF-8 form; give the ref another one";

  /** Estimated bytes of a name; few names are longer. */
  private static final int USUAL = 32;

  /**
   * Number of names whose lengths are read before they are copied. The strings of a large batch are
   * scattered in memory; the processor loads those of a block at the same time, and each would be a
   * cache miss of its own later.
   */
  private static final int BLOCK = 256;

  private final byte[] bytes;
  private final int[] ends;
  private final int size;
  private final boolean storable;

  private RefNames(Builder from) {
    this.bytes = from.bytes;
    this.ends = from.ends;
    this.size = from.size;
    this.storable = from.storable;
  }

  /**
   * Creates names that are given in ascending order.
   *
   * @param count number of names
   * @param name function from index to full name
   * @return the names; empty if one of them is not greater than the one before
   */
  public static Optional<RefNames> ascending(int count, IntFunction<String> name) {
    Builder all = new Builder(count);
    for (int i = 0; i < count; i++) {
      if (i % BLOCK == 0) {
        all.reserve(totalLength(i, Math.min(count, i + BLOCK), name));
      }
      all.add(name.apply(i));
      if (!all.ascends()) {
        return Optional.empty();
      }
    }
    return Optional.of(all.build());
  }

  private static int totalLength(int from, int to, IntFunction<String> name) {
    int length = 0;
    for (int i = from; i < to; i++) {
      length += name.apply(i).length();
    }
    return length;
  }

  /**
   * Tests whether a ref can have a name: it is neither too long nor too deep, no part of it is too
   * long, every character has a UTF-8 form, and none ends a line or a word of packed-refs.
   *
   * @param name full name
   * @return false if its ref cannot be created
   */
  public static boolean storable(String name) {
    return of(name).storable();
  }

  /** Tests whether refs can have all names. */
  public boolean storable() {
    return storable;
  }

  private static RefNames of(String name) {
    Builder one = new Builder(1);
    one.add(name);
    return one.build();
  }

  /** The nearest directory of a name that may be a ref and passes a test. */
  public static Optional<String> directory(String name, Predicate<String> test) {
    for (int slash = deepest(name); slash > 0; slash = name.lastIndexOf('/', slash - 1)) {
      String directory = name.substring(0, slash);
      if (test.test(directory)) {
        return Optional.of(directory);
      }
    }
    return Optional.empty();
  }

  /** End of the last directory of a name that may be a ref; negative if there is none. */
  private static int deepest(String name) {
    int end = -1;
    for (int i = 0; i <= DEEPEST; i++) {
      int next = name.indexOf('/', end + 1);
      if (next < 0 || next > LONGEST) {
        break;
      }
      end = next;
    }
    return end;
  }

  public int size() {
    return size;
  }

  /** Array that holds all names; not to be changed. */
  public byte[] bytes() {
    return bytes;
  }

  /** Start of a name in {@link #bytes}. */
  public int start(int i) {
    return i == 0 ? 0 : ends[i - 1];
  }

  /** End of a name in {@link #bytes}. */
  public int end(int i) {
    return ends[i];
  }

  /** Bytes of a name. */
  public int length(int i) {
    return end(i) - start(i);
  }

  public String get(int i) {
    return new String(bytes, start(i), length(i), UTF_8);
  }

  /**
   * Finds a name.
   *
   * @param name UTF-8 bytes of the name
   * @return its index, or {@code -(insertion point) - 1}
   */
  int find(byte[] name) {
    int low = 0;
    int high = size - 1;
    while (low <= high) {
      int mid = (low + high) >>> 1;
      int order = Arrays.compareUnsigned(bytes, start(mid), end(mid), name, 0, name.length);
      if (order == 0) {
        return mid;
      }
      low = order < 0 ? mid + 1 : low;
      high = order < 0 ? high : mid - 1;
    }
    return -(low + 1);
  }

  /** Index of the first name that is not before one. */
  int ceiling(byte[] name) {
    int i = find(name);
    return i < 0 ? -(i + 1) : i;
  }

  /**
   * Tests whether a name begins with a prefix.
   *
   * @param i index of the name
   * @param prefix UTF-8 bytes
   * @return true if it does
   */
  boolean startsWith(int i, byte[] prefix) {
    int start = start(i);
    return length(i) >= prefix.length
        && Arrays.equals(bytes, start, start + prefix.length, prefix, 0, prefix.length);
  }

  /** Tests whether all names begin with a prefix: the first and the last of an order tell. */
  public boolean allBeginWith(String prefix) {
    byte[] utf8 = prefix.getBytes(UTF_8);
    return size == 0 || (startsWith(0, utf8) && startsWith(size - 1, utf8));
  }

  /** Number of leading bytes that a name shares with the one before it. */
  public int common(int i) {
    if (i == 0) {
      return 0;
    }
    int at = Arrays.mismatch(bytes, start(i - 1), end(i - 1), bytes, start(i), end(i));
    return at < 0 ? length(i) : at;
  }

  /** Compares a name with one of others, as packed-refs sorts them. */
  int compare(int i, RefNames other, int j) {
    return Arrays.compareUnsigned(
        bytes, start(i), end(i), other.bytes, other.start(j), other.end(j));
  }

  /** Builds names one after the other. Used by one thread. */
  static final class Builder {
    private byte[] bytes;
    private int[] ends;
    private int size;
    private int filled;
    private boolean storable = true;

    /**
     * Begins without names.
     *
     * @param count maximum number of names
     */
    Builder(int count) {
      this.bytes = new byte[(int) Math.min((long) USUAL * count, PackedRefsTable.LARGEST)];
      this.ends = new int[count];
    }

    /** Adds a name that is greater than those before it. */
    void add(String name) {
      int length = name.length();
      reserve(length);
      for (int i = 0; i < length; i++) {
        char c = name.charAt(i);
        if (c >= 0x80) {
          addNotAscii(name);
          return;
        }
        storable &= isPlain(c);
        bytes[filled + i] = (byte) c;
      }
      storable &= isWithinBounds(bytes, filled, filled + length);
      filled += length;
      ends[size++] = filled;
    }

    private void addNotAscii(String name) {
      byte[] utf8 = name.getBytes(UTF_8);
      for (byte b : utf8) {
        storable &= isPlain(b & 0xff);
      }
      storable &= isWithinBounds(utf8, 0, utf8.length);
      storable &= UTF_8.newEncoder().canEncode(name);
      copy(utf8, 0, utf8.length);
    }

    /** Tests whether a byte of a name is neither a space nor a control character. */
    private static boolean isPlain(int c) {
      return c > ' ' && c != 0x7f;
    }

    /** Tests whether a name is neither too long nor too deep, and no part of it is too long. */
    private static boolean isWithinBounds(byte[] bytes, int start, int end) {
      if (end - start <= DEEPEST) {
        return true; // too short to exceed a bound
      }
      int slashes = 0;
      int part = start;
      for (int i = start; i < end; i++) {
        if (bytes[i] == '/') {
          if (i - part > WIDEST) {
            return false;
          }
          slashes++;
          part = i + 1;
        }
      }
      return end - part <= WIDEST && end - start <= LONGEST && slashes <= DEEPEST;
    }

    /** Adds a name that packed-refs holds, and that is greater than those before it. */
    void add(byte[] from, int start, int end) {
      copy(from, start, end - start);
    }

    /** Adds a name of another list. */
    void add(RefNames from, int i) {
      storable &= from.storable;
      copy(from.bytes, from.start(i), from.length(i));
    }

    private void copy(byte[] src, int offset, int length) {
      reserve(length);
      System.arraycopy(src, offset, bytes, filled, length);
      filled += length;
      ends[size++] = filled;
    }

    private void reserve(int length) {
      if (length > PackedRefsTable.LARGEST - filled) {
        throw new OutOfMemoryError("names of more than 2 GiB in one transaction");
      }
      if (length > bytes.length - filled) {
        long more = Math.min(filled + (long) (filled >> 1), PackedRefsTable.LARGEST);
        bytes = Arrays.copyOf(bytes, Math.max(filled + length, (int) more));
      }
    }

    /** Tests whether the name added last is greater than the one before, if there is one. */
    private boolean ascends() {
      if (size < 2) {
        return true;
      }
      int before = size == 2 ? 0 : ends[size - 3];
      int start = ends[size - 2];
      return Arrays.compareUnsigned(bytes, before, start, bytes, start, filled) < 0;
    }

    RefNames build() {
      return new RefNames(this);
    }
  }
}
