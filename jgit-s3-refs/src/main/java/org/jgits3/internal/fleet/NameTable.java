// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.fleet;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.StreamCorruptedException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.ObjectStore;

/**
 * Names of repositories with a value of fixed length each, sorted by the keys of their manifests,
 * in two arrays: so that a million of them are few objects. Immutable.
 *
 * <p>A record is the length of its name as two bytes, the name as {@link #stored}, and the value.
 */
public final class NameTable {
  /** End of the keys of manifests. */
  public static final String END = ".git/manifest";

  private static final String MANIFEST = "manifest";
  private static final int LENGTH_BYTES = 2;

  private final byte[] bytes;
  private final int[] starts;
  private final int size;
  private final int valueBytes;

  private NameTable(byte[] bytes, int[] starts, int size, int valueBytes) {
    this.bytes = bytes;
    this.starts = starts;
    this.size = size;
    this.valueBytes = valueBytes;
  }

  /**
   * Stored form of a name: what the key of its manifest has between the prefix of all and the last
   * segment. It sorts as the key does.
   *
   * @param manifestKey key of a manifest
   * @return the name's bytes
   */
  public static byte[] stored(String manifestKey) {
    return manifestKey
        .substring(RepositoryName.PREFIX.length(), manifestKey.length() - MANIFEST.length())
        .getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Lists all names of a store that were ever used, without values.
   *
   * @param store the store
   * @return the names
   * @throws IOException if the store does not answer
   */
  public static NameTable listed(ObjectStore store) throws IOException {
    Builder names = new Builder(0, 0, 0);
    byte[] none = new byte[0];
    store.list(
        RepositoryName.PREFIX,
        object -> {
          if (object.key().endsWith(END)) {
            names.add(stored(object.key()), none, 0);
          }
        });
    return names.build();
  }

  /** Key of the manifest of a name. */
  public static String manifestKey(byte[] stored) {
    return RepositoryName.PREFIX + new String(stored, StandardCharsets.US_ASCII) + MANIFEST;
  }

  public int size() {
    return size;
  }

  /** Bytes of all records. */
  public int length() {
    return size == 0 ? 0 : end(size - 1);
  }

  public byte[] name(int i) {
    return Arrays.copyOfRange(bytes, nameStart(i), nameEnd(i));
  }

  /** Array that holds the value of a record, from {@link #value}. */
  public byte[] array() {
    return bytes;
  }

  /** Index in {@link #array} of the value of a record. */
  public int value(int i) {
    return nameEnd(i);
  }

  /** Index of a name; negative if it is not there. */
  public int find(byte[] name) {
    int low = 0;
    int high = size - 1;
    while (low <= high) {
      int mid = (low + high) >>> 1;
      int compared = compare(mid, name);
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

  /** Compares a name with another one. */
  public int compare(int i, byte[] name) {
    return Arrays.compareUnsigned(bytes, nameStart(i), nameEnd(i), name, 0, name.length);
  }

  /** Compares a name with one of another table. */
  public int compare(int i, NameTable other, int j) {
    return Arrays.compareUnsigned(
        bytes, nameStart(i), nameEnd(i), other.bytes, other.nameStart(j), other.nameEnd(j));
  }

  /** Bytes of a record. */
  public static int length(byte[] name, int valueBytes) {
    return LENGTH_BYTES + name.length + valueBytes;
  }

  /**
   * Writes all records, in their order.
   *
   * @param out receives them
   * @throws IOException as the stream
   */
  public void write(DataOutputStream out) throws IOException {
    out.writeInt(size);
    out.writeInt(length());
    for (int i = 0; i < size; i++) {
      out.write(bytes, starts[i], end(i) - starts[i]);
    }
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @param in has the records
   * @param valueBytes length of each value
   * @param most bytes that the records can have at most, so that there is memory for them
   * @return the table
   * @throws IOException if the stream has something else
   */
  public static NameTable read(DataInputStream in, int valueBytes, long most) throws IOException {
    int size = in.readInt();
    int length = in.readInt();
    long least = (long) size * (LENGTH_BYTES + valueBytes);
    if (size < 0 || length < least || length > most) {
      throw new StreamCorruptedException(
          size + " repositories in " + length + " bytes, of which there are " + most + " at most");
    }
    Builder table = new Builder(size, length, valueBytes);
    byte[] value = new byte[valueBytes];
    for (int i = 0; i < size; i++) {
      byte[] name = new byte[in.readUnsignedShort()];
      in.readFully(name);
      in.readFully(value);
      table.add(name, value, 0);
    }
    if (!table.sorted || table.length != length) {
      throw new StreamCorruptedException("its repositories are not in order, or not as long");
    }
    return table.build();
  }

  private int nameStart(int i) {
    return starts[i] + LENGTH_BYTES;
  }

  private int nameEnd(int i) {
    int start = starts[i];
    return start + LENGTH_BYTES + (((bytes[start] & 0xff) << 8) | (bytes[start + 1] & 0xff));
  }

  private int end(int i) {
    return nameEnd(i) + valueBytes;
  }

  /** Collects records in any order. Used by one thread. */
  public static final class Builder {
    private static final int LEAST = 1 << 10;

    private final int valueBytes;
    private byte[] bytes;
    private int[] starts;
    private int size;
    private int length;
    private boolean sorted = true;

    /**
     * Expects about as many records as a table has.
     *
     * @param like the table
     * @param valueBytes length of each value
     */
    public Builder(NameTable like, int valueBytes) {
      this.valueBytes = valueBytes;
      this.starts = new int[like.size + LEAST];
      this.bytes = new byte[like.length() - like.size * (like.valueBytes - valueBytes) + LEAST];
    }

    /**
     * Expects so many records.
     *
     * @param records how many
     * @param bytes bytes of all of them
     * @param valueBytes length of each value
     */
    public Builder(int records, int bytes, int valueBytes) {
      this.valueBytes = valueBytes;
      this.starts = new int[records];
      this.bytes = new byte[bytes];
    }

    /** Adds a record. */
    public void add(byte[] name, byte[] value, int offset) {
      int start = begin(name.length);
      bytes[start] = (byte) (name.length >> 8);
      bytes[start + 1] = (byte) name.length;
      System.arraycopy(name, 0, bytes, start + LENGTH_BYTES, name.length);
      System.arraycopy(value, offset, bytes, start + LENGTH_BYTES + name.length, valueBytes);
      noteOrder();
    }

    private void noteOrder() {
      NameTable table = table();
      sorted = sorted && (size == 1 || table.compare(size - 2, table, size - 1) < 0);
    }

    /** Adds a record of another table with values of the same length. */
    public void add(NameTable other, int i) {
      int start = begin(other.nameEnd(i) - other.nameStart(i));
      System.arraycopy(other.bytes, other.starts[i], bytes, start, length - start);
      noteOrder();
    }

    private int begin(int nameLength) {
      int start = length;
      length = Math.addExact(start, LENGTH_BYTES + nameLength + valueBytes);
      if (length > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(length, grown(bytes.length)));
      }
      if (size == starts.length) {
        starts = Arrays.copyOf(starts, grown(size));
      }
      starts[size++] = start;
      return start;
    }

    private static int grown(int before) {
      return (int) Math.min(Integer.MAX_VALUE - 8L, before + (before >> 2) + (long) LEAST);
    }

    private NameTable table() {
      return new NameTable(bytes, starts, size, valueBytes);
    }

    /** The records, sorted; of a name that was added twice the last one. */
    public NameTable build() {
      NameTable unsorted = table();
      if (sorted) {
        return unsorted;
      }
      int[] order =
          IntStream.range(0, size)
              .boxed()
              .sorted((i, j) -> unsorted.compare(i, unsorted, j))
              .mapToInt(Integer::intValue)
              .toArray();
      Builder inOrder = new Builder(size, length, valueBytes);
      for (int k = 0; k < size; k++) {
        boolean again = k + 1 < size && unsorted.compare(order[k], unsorted, order[k + 1]) == 0;
        if (!again) {
          inOrder.add(unsorted, order[k]);
        }
      }
      return inOrder.table();
    }
  }
}
