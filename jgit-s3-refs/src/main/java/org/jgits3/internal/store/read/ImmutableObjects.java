// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.read;

import java.io.IOException;
import org.jgits3.store.Crc32c;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;

/**
 * Whole immutable objects that fit in an array: written once, and verified at every load against
 * the checksum in the object that lists them. Safe for use by many threads.
 */
public final class ImmutableObjects {
  private final ObjectStore store;
  private final RangeReader reader;

  /**
   * The immutable objects of a store.
   *
   * @param store store of the objects
   */
  public ImmutableObjects(ObjectStore store) {
    this.store = store;
    this.reader = new RangeReader(store);
  }

  /**
   * Writes an object.
   *
   * @param key name that is used only once
   * @param bytes its content
   * @throws IOException if the store does not answer or refuses
   */
  public void write(String key, byte[] bytes) throws IOException {
    store.put(key, bytes, 0, bytes.length);
  }

  /**
   * Reads an object into an array of exactly its size: in one request if it is small, else in
   * several parallel ones, as {@link RangeReader} does. Bytes with another checksum are read once
   * more, since they may have been damaged in transit.
   *
   * @param key object to read
   * @param size length the manifest gives
   * @param crc32c checksum the manifest gives
   * @return its bytes
   * @throws StoreException.Corrupt if the bytes are not those that were written
   * @throws IOException if they cannot be read
   */
  public byte[] read(String key, long size, int crc32c) throws IOException {
    if (size > Integer.MAX_VALUE - 8) {
      throw new StoreException.Corrupt(
          key, key + " is said to have " + size + " bytes, more than fit in an array", null);
    }
    byte[] bytes = new byte[(int) size];
    int actual = read(key, bytes);
    if (actual != crc32c) {
      actual = read(key, bytes);
    }
    if (actual != crc32c) {
      throw new StoreException.Corrupt(
          key, key + " " + Crc32c.mismatch(actual, crc32c) + "; restore it from a copy", null);
    }
    return bytes;
  }

  private int read(String key, byte[] bytes) throws IOException {
    if (bytes.length > 0) {
      reader.read(key, 0, bytes, 0, bytes.length);
    }
    return Crc32c.of(bytes);
  }
}
