// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.file;

import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import org.jgits3.internal.store.cache.LruCache;
import org.jgits3.internal.store.read.RangeReader;
import org.jgits3.manifest.PackFileEntry;
import org.jgits3.store.Crc32c;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;

/**
 * Reads files of packs that fit in an array, and verifies each against the checksum in the
 * manifest. Bundles are kept for a while: a reader of the index of a small pack reads the pack
 * next.
 *
 * <p>Keeps a bounded number of bytes, and evicts the least recently used first. Safe for use by
 * many threads.
 */
public final class Bundles {
  private final RangeReader reader;
  private final LruCache<String, byte[]> kept;

  /**
   * Creates an empty cache.
   *
   * @param store store of the packs
   * @param limit maximum bytes to keep
   */
  public Bundles(ObjectStore store, long limit) {
    this.reader = new RangeReader(store);
    this.kept = new LruCache<>(limit);
  }

  /**
   * Reads a file. If the checksum does not match, reads it once more, because it may have been
   * damaged in transit only.
   *
   * @param key key of its object: of the bundle, or of the file alone
   * @param size length of the object that the manifest gives
   * @param file place of the file in a bundle, and its checksum
   * @return bytes of the file
   * @throws StoreException.Corrupt if they are not those that were written
   * @throws IOException if the object cannot be read
   */
  byte[] read(String key, long size, PackFileEntry file) throws IOException {
    if (size > Integer.MAX_VALUE - 8) {
      throw new StoreException.Corrupt(
          key, key + " is said to have " + size + " bytes, more than fit in an array", null);
    }
    int from = (int) Math.max(0, file.offset());
    for (int attempt = 1; ; attempt++) {
      byte[] bytes =
          file.bundled()
              ? Arrays.copyOfRange(bundle(key, (int) size), from, from + (int) file.size())
              : whole(key, (int) size);
      int actual = Crc32c.of(bytes);
      if (actual == file.crc32c()) {
        return bytes;
      }
      kept.remove(key); // damaged in transit only, perhaps
      if (attempt == 2) {
        String damage = Crc32c.mismatch(actual, file.crc32c());
        throw new StoreException.Corrupt(
            key, key + " " + damage + " from byte " + from + " on; restore it from a copy", null);
      }
    }
  }

  private byte[] bundle(String key, int size) throws IOException {
    Optional<byte[]> known = kept.get(key).filter(bytes -> bytes.length == size);
    if (known.isPresent()) {
      return known.get();
    }
    byte[] bytes = whole(key, size);
    kept.put(key, bytes, size);
    return bytes;
  }

  private byte[] whole(String key, int size) throws IOException {
    byte[] bytes = new byte[size];
    if (size > 0) {
      reader.read(key, 0, bytes, 0, size);
    }
    return bytes;
  }
}
