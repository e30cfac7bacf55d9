// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
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

  /** Packs that were opened by one that drops them when it is told to. */
  interface Owner {
    /** Forgets all packs, so that their indexes may be freed. */
    void dropIndexes();
  }

  /** Open packs of templates, by the ids of these. */
  private final Map<String, SharedPacks.OfTemplate> templates = new ConcurrentHashMap<>();

  /** Repositories whose packs were opened; changed under the lock of this. */
  private final LruCache<Owner, Held> used;

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
  void use(Owner packs) {
    used.get(packs); // now the most recently used, and so the last
  }

  /**
   * Counts the side files of a pack, unless they count already, and makes room for them.
   *
   * @param packs packs of the repository
   * @param id the pack
   * @param bytes bytes of its side files
   */
  void hold(Owner packs, String id, long bytes) {
    // Dropped without the lock: a repository that drops its packs has a lock of its own, under
    // which it comes here.
    count(packs, id, bytes).forEach(Owner::dropIndexes);
  }

  private synchronized List<Owner> count(Owner packs, String id, long bytes) {
    Held held = used.get(packs).orElseGet(Held::new);
    if (held.packs.putIfAbsent(id, bytes) != null) {
      return List.of();
    }
    held.bytes += bytes;
    return used.put(packs, held, held.bytes);
  }

  /** Stops counting a pack. */
  synchronized void release(Owner packs, String id) {
    used.get(packs)
        .filter(held -> held.packs.containsKey(id))
        .ifPresent(
            held -> {
              held.bytes -= held.packs.remove(id);
              used.put(packs, held, held.bytes);
            });
  }

  /**
   * Returns the open packs of a template for a repository that uses them.
   *
   * @param templateId id of the template
   * @param user packs of the repository
   * @return packs that all users share, until each has {@linkplain #leave left}
   */
  SharedPacks.OfTemplate join(String templateId, SharedPacks user) {
    return templates.compute(
        templateId,
        (id, known) -> (known == null ? new SharedPacks.OfTemplate() : known).and(user));
  }

  /** Notes that a repository does not use the packs of a template any more. */
  void leave(String templateId, SharedPacks user) {
    templates.computeIfPresent(
        templateId,
        (id, known) -> {
          if (!known.isUnusedWithout(user)) {
            return known;
          }
          forget(known);
          return null;
        });
  }

  /** Templates whose packs are open, for tests. */
  int templates() {
    return templates.size();
  }

  /** Forgets packs that are no longer used. */
  synchronized void forget(Owner packs) {
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
