// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jgits3.internal.store.cache.LruCache;
import org.jgits3.metrics.MemoryUse;

/**
 * Bounds the memory of the pack indexes that all repositories of a process keep. JGit's block cache
 * counts indexes too, but a pack that is open holds its own whatever the cache evicts; so packs are
 * dropped here, those of the repository used least recently first.
 *
 * <p>A pack counts from the moment its indexes are needed until it is dropped here, is not listed
 * any more, or its repository is forgotten. Counting a pack takes the same time however many there
 * are.
 *
 * <p>The repository that is being read keeps its indexes even if they are larger than the limit: it
 * could not be read otherwise. A handle that is open drops its packs when it is used next.
 *
 * <p>Safe for use by many threads.
 */
public final class IndexBudget implements MemoryUse {
  private final long limit;

  /** Repositories whose packs were opened; changed under the lock of this. */
  private final LruCache<SharedPacks, Held> used;

  /** Indexes held for one repository; guarded by the budget. */
  private static final class Held {
    private final Map<String, Long> packs = new HashMap<>();
    private long bytes;
  }

  /**
   * Bounds nothing yet.
   *
   * @param limit most bytes of side files (indexes, bitmaps, commit graphs ...) of open packs
   */
  public IndexBudget(long limit) {
    this.limit = limit;
    this.used = new LruCache<>(limit);
  }

  /** Tests whether indexes of so many bytes may be loaded before they are known to be needed. */
  boolean hasRoomFor(long bytes) {
    return bytes <= limit;
  }

  /** Notes that a repository is in use. */
  void use(SharedPacks packs) {
    used.get(packs); // now the most recently used, and so the last
  }

  /**
   * Counts the side files of a pack, unless they count already, and makes room for them.
   *
   * @param packs packs of the repository
   * @param id the pack
   * @param bytes bytes of its side files
   */
  void hold(SharedPacks packs, String id, long bytes) {
    // Dropped without the lock: a repository that drops its packs has a lock of its own, under
    // which it comes here.
    count(packs, id, bytes).forEach(SharedPacks::dropIndexes);
  }

  private synchronized List<SharedPacks> count(SharedPacks packs, String id, long bytes) {
    Held held = used.get(packs).orElseGet(Held::new);
    if (held.packs.putIfAbsent(id, bytes) != null) {
      return List.of();
    }
    held.bytes += bytes;
    return used.put(packs, held, held.bytes);
  }

  /** Stops counting a pack. */
  synchronized void release(SharedPacks packs, String id) {
    used.get(packs)
        .filter(held -> held.packs.containsKey(id))
        .ifPresent(
            held -> {
              held.bytes -= held.packs.remove(id);
              used.put(packs, held, held.bytes);
            });
  }

  /** Forgets packs that are no longer used. */
  synchronized void forget(SharedPacks packs) {
    used.remove(packs);
  }

  /** Bytes of side files of open packs. */
  @Override
  public long held() {
    return used.weight();
  }

  @Override
  public long limit() {
    return limit;
  }
}
