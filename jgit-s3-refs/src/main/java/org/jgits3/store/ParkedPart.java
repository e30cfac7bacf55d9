// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;
import java.util.Optional;

/**
 * The beginning of a part, too short to be sent as one, put aside in the store because others need
 * the memory.
 *
 * @param key name of the object that holds it, used once
 * @param size its bytes
 * @param crc32c their checksum
 */
record ParkedPart(String key, int size, int crc32c) {
  static ParkedPart write(ObjectStore store, String key, byte[] src, int length)
      throws IOException {
    store.put(key, src, 0, length);
    return new ParkedPart(key, length, PartBody.of(src, 0, length).crc32c());
  }

  /** Reads the bytes back to where a buffer begins. */
  void readInto(ObjectStore store, byte[] dst) throws IOException {
    store.read(key, 0, dst, 0, size, Optional.empty());
    int actual = PartBody.of(dst, 0, size).crc32c();
    if (actual != crc32c) {
      throw new StoreException.Corrupt(
          key,
          String.format("%s has CRC32C %08x instead of %08x; upload again", key, actual, crc32c),
          null);
    }
  }
}
