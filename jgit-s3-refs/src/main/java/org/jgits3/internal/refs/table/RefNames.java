// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * Names of refs in UTF-8, one after the other in one array, in the order of packed-refs. Very many
 * of them are compared, searched and written from there: a {@link String} each would have to be
 * fetched from all over the memory, once for each of these. Immutable.
 */
public final class RefNames {
  /** Bytes that most names do not have. */
  private static final int USUAL = 32;

  /** Largest array that every virtual machine makes. */
  private static final int LARGEST = Integer.MAX_VALUE - 8;

  /** First byte of the UTF-8 of a character beyond the basic plane, at least. */
  private static final int SUPPLEMENTARY = 0xf0;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long ONES = 0x0101010101010101L;
  private static final long HIGH = 0x8080808080808080L;

  private final byte[] bytes;
  private final int[] ends;
  private final int size;
  private final boolean supplementary;

  /** Whether each name is what its bytes are decoded to. */
  private final boolean encoded;

  private RefNames(Builder from) {
    this.bytes = from.bytes;
    this.ends = from.ends;
    this.size = from.size;
    this.supplementary = from.supplementary;
    this.encoded = from.encoded;
  }

  /**
   * Names in the order they are given in.
   *
   * @param count how many
   * @param name full name by its number
   * @return the names; empty if one of them is not greater than the one before
   */
  public static Optional<RefNames> ascending(int count, IntFunction<String> name) {
    Builder all = new Builder(count);
    for (int i = 0; i < count; i++) {
      all.add(name.apply(i));
      if (!all.ascends()) {
        return Optional.empty();
      }
    }
    return Optional.of(all.build());
  }

  /**
   * Whether packed-refs can hold a name: no character of it ends a line or a word, nor has no
   * UTF-8.
   *
   * @param name full name
   * @return false if its ref cannot be created
   */
  public static boolean storable(String name) {
    return of(name).storable();
  }

  /** Whether packed-refs can hold all names. */
  public boolean storable() {
    int end = size == 0 ? 0 : ends[size - 1];
    int at = 0;
    for (; at <= end - Long.BYTES; at += Long.BYTES) {
      if (anyRefused((long) LONG.get(bytes, at))) {
        return false;
      }
    }
    for (; at < end; at++) {
      if (anyRefused((bytes[at] & 0xff) | ('x' * (ONES - 1)))) {
        return false;
      }
    }
    return encoded;
  }

  /** Whether any of eight bytes is a space, a control character or 0x7f. */
  private static boolean anyRefused(long x) {
    long delete = x ^ 0x7f * ONES;
    long low = (x - (' ' + 1) * ONES) & ~x;
    return ((low | ((delete - ONES) & ~delete)) & HIGH) != 0;
  }

  private static RefNames of(String name) {
    Builder one = new Builder(1);
    one.add(name);
    return one.build();
  }

  public int size() {
    return size;
  }

  /** Array that holds all names; not to be changed. */
  public byte[] bytes() {
    return bytes;
  }

  /** Where a name begins in {@link #bytes}. */
  public int start(int i) {
    return i == 0 ? 0 : ends[i - 1];
  }

  /** Where a name ends in {@link #bytes}. */
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

  /** Whether {@link String#compareTo} puts the names in the same order. */
  public boolean inOrderOfStrings() {
    return !supplementary;
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

  /**
   * Whether a name begins with others.
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

  /** Bytes that a name and the one before it have in common at their beginning. */
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

  /** Takes names one after the other. Used by one thread. */
  static final class Builder {
    private byte[] bytes;
    private int[] ends;
    private int size;
    private int filled;
    private boolean supplementary;
    private boolean encoded = true;

    /**
     * No names yet.
     *
     * @param count how many there will be, at most
     */
    Builder(int count) {
      this.bytes = new byte[(int) Math.min((long) USUAL * count, LARGEST)];
      this.ends = new int[count];
    }

    /** Adds a name, after those before it in order. */
    void add(String name) {
      int length = name.length();
      reserve(length);
      for (int i = 0; i < length; i++) {
        char c = name.charAt(i);
        if (c >= 0x80) {
          addNotAscii(name);
          return;
        }
        bytes[filled + i] = (byte) c;
      }
      filled += length;
      ends[size++] = filled;
    }

    private void addNotAscii(String name) {
      byte[] utf8 = name.getBytes(UTF_8);
      for (byte b : utf8) {
        supplementary |= (b & 0xff) >= SUPPLEMENTARY;
      }
      encoded &= UTF_8.newEncoder().canEncode(name);
      add(utf8, 0, utf8.length);
    }

    /** Adds a name of others. */
    void add(RefNames from, int i) {
      supplementary |= from.supplementary;
      encoded &= from.encoded;
      add(from.bytes, from.start(i), from.length(i));
    }

    private void add(byte[] src, int offset, int length) {
      reserve(length);
      System.arraycopy(src, offset, bytes, filled, length);
      filled += length;
      ends[size++] = filled;
    }

    private void reserve(int length) {
      if (length > LARGEST - filled) {
        throw new OutOfMemoryError("names of more than 2 GiB in one transaction");
      }
      if (length > bytes.length - filled) {
        long more = Math.min(filled + (long) (filled >> 1), LARGEST);
        bytes = Arrays.copyOf(bytes, Math.max(filled + length, (int) more));
      }
    }

    /** Whether the name that was added last is greater than the one before, if there is one. */
    private boolean ascends() {
      if (size < 2) {
        return true;
      }
      int before = size == 2 ? 0 : ends[size - 3];
      int start = ends[size - 2];
      return Arrays.compareUnsigned(bytes, before, start, bytes, start, filled) < 0;
    }

    /** The names. */
    RefNames build() {
      return new RefNames(this);
    }
  }
}
