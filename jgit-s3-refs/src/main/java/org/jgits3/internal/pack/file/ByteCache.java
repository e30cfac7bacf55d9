// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.file;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Cache of immutable bytes by the key of their object, up to a limit; evicts the least recently
 * used first. Safe for use by many threads.
 */
final class ByteCache {
  private final long limit;

  /** Least recently used first; guarded by this, as is {@link #kept}. */
  private final Map<String, byte[]> byKey = new LinkedHashMap<>(16, 0.75f, true);

  private long kept;

  /**
   * Creates an empty cache.
   *
   * @param limit maximum bytes to keep
   */
  ByteCache(long limit) {
    this.limit = limit;
  }

  synchronized Optional<byte[]> get(String key) {
    return Optional.ofNullable(byKey.get(key));
  }

  synchronized void keep(String key, byte[] bytes) {
    forget(key);
    byKey.put(key, bytes);
    kept += bytes.length;
    Iterator<byte[]> oldest = byKey.values().iterator();
    while (kept > limit) {
      kept -= oldest.next().length;
      oldest.remove();
    }
  }

  synchronized void forget(String key) {
    byte[] known = byKey.remove(key);
    if (known != null) {
      kept -= known.length;
    }
  }
}
