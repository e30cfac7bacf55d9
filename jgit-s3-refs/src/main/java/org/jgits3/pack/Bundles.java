// SPDX-License-Identifier: Apache-2.0
package org.jgits3.pack;

import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jgits3.manifest.PackFileEntry;
import org.jgits3.store.ImmutableObjects;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;

/**
 * Bundles as readers find them: one request lands a bundle whole, and it is kept a while, since
 * whoever reads the index of a small pack is about to read the pack.
 *
 * <p>Keeps as many bytes as it was told, the least recently used go first. Safe for use by many
 * threads.
 */
public final class Bundles {
  private final ObjectStore store;
  private final long limit;

  /** Least recently used first; guarded by itself, as is {@link #bytesKept}. */
  private final Map<String, byte[]> kept = new LinkedHashMap<>(16, 0.75f, true);

  private long bytesKept;

  /**
   * Keeps nothing yet.
   *
   * @param store where bundles are
   * @param limit most bytes to keep
   */
  public Bundles(ObjectStore store, long limit) {
    this.store = store;
    this.limit = limit;
  }

  /**
   * One file of a bundle.
   *
   * @param key key of the bundle
   * @param bundleSize length of the bundle that the manifest gives
   * @param file where in it the file is, and its checksum
   * @return bytes of the file
   * @throws StoreException.Corrupt if they are not those that were written
   * @throws IOException if the bundle cannot be read
   */
  byte[] read(String key, long bundleSize, PackFileEntry file) throws IOException {
    if (bundleSize > Integer.MAX_VALUE - 8) {
      throw new StoreException.Corrupt(
          key, key + " is said to have " + bundleSize + " bytes, more than fit in an array", null);
    }
    byte[] bytes = new byte[(int) file.size()];
    System.arraycopy(bundle(key, (int) bundleSize), (int) file.offset(), bytes, 0, bytes.length);
    int actual = ImmutableObjects.crc32c(bytes);
    if (actual != file.crc32c()) {
      forget(key);
      throw new StoreException.Corrupt(
          key,
          String.format(
              "%s has CRC32C %08x instead of %08x from byte %d on; restore it from a copy",
              key, actual, file.crc32c(), file.offset()),
          null);
    }
    return bytes;
  }

  private byte[] bundle(String key, int size) throws IOException {
    synchronized (kept) {
      byte[] known = kept.get(key);
      if (known != null && known.length == size) {
        return known;
      }
    }
    byte[] bytes = new byte[size];
    if (size > 0) {
      store.read(key, 0, bytes, 0, size, Optional.empty());
    }
    keep(key, bytes);
    return bytes;
  }

  private void keep(String key, byte[] bytes) {
    synchronized (kept) {
      forget(key);
      kept.put(key, bytes);
      bytesKept += bytes.length;
      Iterator<byte[]> oldest = kept.values().iterator();
      while (bytesKept > limit) {
        bytesKept -= oldest.next().length;
        oldest.remove();
      }
    }
  }

  private void forget(String key) {
    synchronized (kept) {
      byte[] known = kept.remove(key);
      if (known != null) {
        bytesKept -= known.length;
      }
    }
  }
}
