// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.fleet;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.StreamCorruptedException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.IntStream;

/**
 * Ids of repositories with a value of fixed length each, sorted by id, in one array, so that a
 * million of them take one object on the heap. The ids do not change; values can be written in
 * place.
 */
public final class IdTable {
  private static final int ID_BYTES = 16;

  private final byte[] bytes;
  private final int stride;
  private final int size;

  private IdTable(byte[] bytes, int size, int valueBytes) {
    this.bytes = bytes;
    this.stride = ID_BYTES + valueBytes;
    this.size = size;
  }

  /**
   * An empty table.
   *
   * @param valueBytes length of each value
   * @return the table
   */
  public static IdTable empty(int valueBytes) {
    return new IdTable(new byte[0], 0, valueBytes);
  }

  public int size() {
    return size;
  }

  /** Bytes of all records. */
  public int length() {
    return size * stride;
  }

  /** The id at an index. */
  public String id(int i) {
    return HexFormat.of().formatHex(bytes, i * stride, i * stride + ID_BYTES);
  }

  /** Array that holds the value of a record, from {@link #value}. */
  public byte[] array() {
    return bytes;
  }

  /** Index in {@link #array} of the value of a record. */
  public int value(int i) {
    return i * stride + ID_BYTES;
  }

  /** Index of an id; negative if it is not there. */
  public int find(String id) {
    byte[] sought = HexFormat.of().parseHex(id);
    int low = 0;
    int high = size - 1;
    while (low <= high) {
      int mid = (low + high) >>> 1;
      int at = mid * stride;
      int compared = Arrays.compareUnsigned(bytes, at, at + ID_BYTES, sought, 0, ID_BYTES);
      if (compared == 0) {
        return mid;
      } else if (compared < 0) {
        low = mid + 1;
      } else {
        high = mid - 1;
      }
    }
    return -1;
  }

  private int compare(int i, int j) {
    int one = i * stride;
    int other = j * stride;
    return Arrays.compareUnsigned(bytes, one, one + ID_BYTES, bytes, other, other + ID_BYTES);
  }

  private boolean isSorted() {
    return IntStream.range(1, size).allMatch(i -> compare(i - 1, i) < 0);
  }

  /**
   * Writes all records, in their order.
   *
   * @param out receives them
   * @throws IOException as the stream
   */
  public void write(DataOutputStream out) throws IOException {
    out.writeInt(size);
    out.write(bytes, 0, length());
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @param in has the records
   * @param valueBytes length of each value
   * @param most most bytes that the records can have, which bounds the memory
   * @return the table
   * @throws IOException if the stream contains something else
   */
  public static IdTable read(DataInputStream in, int valueBytes, long most) throws IOException {
    int size = in.readInt();
    long length = (long) size * (ID_BYTES + valueBytes);
    if (size < 0 || length > Math.min(most, Integer.MAX_VALUE)) {
      throw new StreamCorruptedException(size + " repositories in " + most + " bytes at most");
    }
    byte[] bytes = new byte[(int) length];
    in.readFully(bytes);
    IdTable table = new IdTable(bytes, size, valueBytes);
    if (!table.isSorted()) {
      throw new StreamCorruptedException("its repositories are not in order");
    }
    return table;
  }

  /** Collects records in any order. Used by one thread. */
  public static final class Builder {
    private static final int LEAST = 1 << 10;

    private final int valueBytes;
    private byte[] bytes;
    private int size;

    /**
     * Creates a builder without records.
     *
     * @param expected approximate number of records
     * @param valueBytes length of each value
     */
    public Builder(int expected, int valueBytes) {
      this.valueBytes = valueBytes;
      this.bytes = new byte[Math.multiplyExact(expected, ID_BYTES + valueBytes)];
    }

    /** Adds a record. */
    public void add(String id, byte[] value) {
      int at = next();
      System.arraycopy(HexFormat.of().parseHex(id), 0, bytes, at, ID_BYTES);
      System.arraycopy(value, 0, bytes, at + ID_BYTES, valueBytes);
    }

    /** Adds a record of another table with values of the same length. */
    public void add(IdTable other, int i) {
      int at = next(); // may replace the array
      System.arraycopy(other.bytes, i * other.stride, bytes, at, other.stride);
    }

    private int next() {
      int stride = ID_BYTES + valueBytes;
      int at = Math.multiplyExact(size++, stride);
      if (at + stride > bytes.length) {
        long grown = Math.min(Integer.MAX_VALUE - 8L, at + (at >> 2) + (long) LEAST);
        bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(at, stride), (int) grown));
      }
      return at;
    }

    /** The records, sorted; for an id that was added twice, the last one. */
    public IdTable build() {
      IdTable unsorted = new IdTable(bytes, size, valueBytes);
      if (unsorted.isSorted()) {
        return unsorted;
      }
      int[] order =
          IntStream.range(0, size)
              .boxed()
              .sorted(unsorted::compare)
              .mapToInt(Integer::intValue)
              .toArray();
      Builder inOrder = new Builder(size, valueBytes);
      for (int k = 0; k < order.length; k++) {
        boolean again = k + 1 < order.length && unsorted.compare(order[k], order[k + 1]) == 0;
        if (!again) {
          inOrder.add(unsorted, order[k]);
        }
      }
      return new IdTable(inOrder.bytes, inOrder.size, valueBytes);
    }
  }
}
