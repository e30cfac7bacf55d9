// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.fleet;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.StreamCorruptedException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.ObjectStore;

/**
 * Names of repositories with a value of fixed length each, sorted by the keys of their manifests,
 * in two arrays, so that a million names take only a few objects on the heap. Immutable.
 *
 * <p>A record is the length of its name as two bytes, the name as {@link #stored}, and the value.
 */
public final class NameTable {
  /** End of the keys of manifests. */
  public static final String END = ".git/manifest";

  private static final String MANIFEST = "manifest";
  private static final int LENGTH_BYTES = 2;

  private final byte[] bytes;
  private final int valueBytes;
  private final int[] starts;

  private NameTable(byte[] bytes, int length, int valueBytes) {
    this.bytes = bytes;
    this.valueBytes = valueBytes;
    this.starts =
        IntStream.iterate(0, at -> at < length, at -> endOfName(at) + valueBytes).toArray();
  }

  /**
   * Stored form of a name: the part of its manifest's key between the common prefix and the last
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
    Builder names = new Builder(0, 0);
    byte[] none = new byte[0];
    store.list(
        RepositoryName.PREFIX,
        object -> {
          if (object.key().endsWith(END)) {
            names.add(stored(object.key()), none);
          }
        });
    return names.build();
  }

  /** A name; empty if it is not valid, since others may put objects beside the manifests. */
  public Optional<RepositoryName> repository(int i) {
    String stored = new String(name(i), StandardCharsets.US_ASCII);
    return RepositoryName.fromManifestKey(RepositoryName.PREFIX + stored + MANIFEST);
  }

  public int size() {
    return starts.length;
  }

  /** Bytes of all records. */
  public int length() {
    return size() == 0 ? 0 : end(size() - 1);
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
    int high = size() - 1;
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

  private int compare(int i, int j) {
    return Arrays.compareUnsigned(bytes, nameStart(i), nameEnd(i), bytes, nameStart(j), nameEnd(j));
  }

  private boolean isSorted() {
    return IntStream.range(1, size()).allMatch(i -> compare(i - 1, i) < 0);
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
    out.writeInt(size());
    out.writeInt(length());
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
  public static NameTable read(DataInputStream in, int valueBytes, long most) throws IOException {
    int size = in.readInt();
    int length = in.readInt();
    long least = (long) size * (LENGTH_BYTES + valueBytes);
    if (size < 0 || length < least || length > most) {
      throw new StreamCorruptedException(
          size + " repositories in " + length + " bytes, of which there are " + most + " at most");
    }
    Builder records = new Builder(length, valueBytes);
    byte[] value = new byte[valueBytes];
    for (int i = 0; i < size; i++) {
      byte[] name = new byte[in.readUnsignedShort()];
      in.readFully(name);
      in.readFully(value);
      records.add(name, value);
    }
    NameTable table = records.table();
    if (!table.isSorted() || table.length() != length) {
      throw new StreamCorruptedException("its repositories are not in order, or not as long");
    }
    return table;
  }

  private int nameStart(int i) {
    return starts[i] + LENGTH_BYTES;
  }

  private int nameEnd(int i) {
    return endOfName(starts[i]);
  }

  private int endOfName(int start) {
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
    private int length;

    /**
     * Creates a builder without records.
     *
     * @param expected approximate number of bytes of all records
     * @param valueBytes length of each value
     */
    public Builder(int expected, int valueBytes) {
      this.valueBytes = valueBytes;
      this.bytes = new byte[expected];
    }

    /** Adds a record. */
    public void add(byte[] name, byte[] value) {
      int start = begin(length(name, valueBytes));
      bytes[start] = (byte) (name.length >> 8);
      bytes[start + 1] = (byte) name.length;
      System.arraycopy(name, 0, bytes, start + LENGTH_BYTES, name.length);
      System.arraycopy(value, 0, bytes, start + LENGTH_BYTES + name.length, valueBytes);
    }

    /** Adds a record of another table with values of the same length. */
    public void add(NameTable other, int i) {
      int start = begin(other.end(i) - other.starts[i]);
      System.arraycopy(other.bytes, other.starts[i], bytes, start, length - start);
    }

    private int begin(int record) {
      int start = length;
      length = Math.addExact(start, record);
      if (length > bytes.length) {
        long grown = Math.min(Integer.MAX_VALUE - 8L, start + (start >> 2) + (long) LEAST);
        bytes = Arrays.copyOf(bytes, Math.max(length, (int) grown));
      }
      return start;
    }

    private NameTable table() {
      return new NameTable(bytes, length, valueBytes);
    }

    /** The records, sorted; for a name that was added twice, the last one. */
    public NameTable build() {
      NameTable unsorted = table();
      if (unsorted.isSorted()) {
        return unsorted;
      }
      int[] order =
          IntStream.range(0, unsorted.size())
              .boxed()
              .sorted(unsorted::compare)
              .mapToInt(Integer::intValue)
              .toArray();
      Builder inOrder = new Builder(length, valueBytes);
      for (int k = 0; k < order.length; k++) {
        boolean again = k + 1 < order.length && unsorted.compare(order[k], order[k + 1]) == 0;
        if (!again) {
          inOrder.add(unsorted, order[k]);
        }
      }
      return inOrder.table();
    }
  }
}
