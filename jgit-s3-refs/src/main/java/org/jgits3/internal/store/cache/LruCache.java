// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.cache;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Cache in memory, up to a total weight; evicts the least recently used entry first. The entry put
 * last stays even if it is heavier than the limit, because its caller needs it next. Caffeine may
 * evict just that one: it prefers what was used often. Safe for use by many threads.
 *
 * @param <K> type of the keys
 * @param <V> type of the values
 */
public final class LruCache<K, V> {
  private final long limit;

  /** Least recently used first; guarded by this, as is {@link #weight}. */
  private final Map<K, Entry<V>> entries = new LinkedHashMap<>(16, 0.75f, true);

  private long weight;

  private record Entry<V>(V value, long weight) {}

  /**
   * Creates an empty cache.
   *
   * @param limit maximum weight of all entries
   */
  public LruCache(long limit) {
    this.limit = limit;
  }

  /** Returns the value of a key, which counts as a use. */
  public synchronized Optional<V> get(K key) {
    return Optional.ofNullable(entries.get(key)).map(Entry::value);
  }

  /**
   * Adds or replaces an entry, and makes room for it.
   *
   * @param key its key
   * @param value its value
   * @param size its weight
   * @return keys of evicted entries
   */
  public List<K> put(K key, V value, long size) {
    return put(key, value, size, 1);
  }

  /**
   * Adds or replaces an entry, and makes room for it.
   *
   * @param key its key
   * @param value its value
   * @param size its weight
   * @param kept number of most recently used entries that stay whatever their weight
   * @return keys of evicted entries
   */
  public synchronized List<K> put(K key, V value, long size, int kept) {
    remove(key);
    entries.put(key, new Entry<>(value, size));
    weight += size;
    List<K> evicted = new ArrayList<>();
    Iterator<Map.Entry<K, Entry<V>>> oldest = entries.entrySet().iterator();
    while (weight > limit && entries.size() > kept) {
      Map.Entry<K, Entry<V>> each = oldest.next();
      evicted.add(each.getKey());
      weight -= each.getValue().weight();
      oldest.remove();
    }
    return evicted;
  }

  /** Removes an entry, if there is one. */
  public synchronized void remove(K key) {
    Entry<V> known = entries.remove(key);
    weight -= known == null ? 0 : known.weight();
  }

  /** Returns the total weight of all entries. */
  public synchronized long weight() {
    return weight;
  }

  /** Returns the keys, least recently used first. */
  public synchronized List<K> keys() {
    return List.copyOf(entries.keySet());
  }
}
