// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.eclipse.jgit.internal.storage.dfs.DfsPackFile;
import org.jgits3.internal.store.cache.LruCache;
import org.jgits3.metrics.MemoryUse;

/**
 * Bounds the memory of the pack indexes that all repositories of a process keep. JGit's block cache
 * counts indexes too, but an open pack holds its indexes even when the cache evicts them. This
 * class therefore drops open packs, those of the least recently used repository first.
 *
 * <p>A pack counts from the moment its indexes are needed until it is dropped here, is not listed
 * any more, or its repository is forgotten. Counting a pack takes constant time.
 *
 * <p>The repository that is being read keeps its indexes even if they are larger than the limit: it
 * could not be read otherwise. A handle that is open drops its packs when it is used next.
 *
 * <p>Safe for use by many threads.
 */
public final class IndexBudget implements MemoryUse {
  private final long limit;

  /** Opener of packs, which drops them on request. */
  interface Owner {
    /** Forgets all packs, so that their indexes may be freed. */
    void dropIndexes();

    /** Number of owners whose packs are read together: a fork and its template are two. */
    int readTogether();
  }

  /** Open packs of templates, by the ids of these, until they are dropped. */
  private final Map<String, OfTemplate> templates = new ConcurrentHashMap<>();

  private final AtomicLong templatesDropped = new AtomicLong();

  /**
   * Open packs of a template, which it shares with all its forks: one loaded index of each. Safe
   * for use by many threads.
   */
  final class OfTemplate implements Owner {
    private final String id;
    private final Map<String, DfsPackFile> packFiles = new ConcurrentHashMap<>();

    private OfTemplate(String id) {
      this.id = id;
    }

    DfsPackFile packFile(String pack, Function<String, DfsPackFile> create) {
      return packFiles.computeIfAbsent(pack, create);
    }

    @Override
    public void dropIndexes() {
      templates.remove(id, this);
      templatesDropped.incrementAndGet();
    }

    @Override
    public int readTogether() {
      return 2;
    }
  }

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
   * Counts the side files of a pack, unless they are counted already, and makes room for them.
   *
   * @param packs packs of the repository
   * @param id the pack
   * @param bytes bytes of its side files
   */
  void hold(Owner packs, String id, long bytes) {
    // Drops them without the lock of this: a repository drops its packs under a lock of its own,
    // and may hold that lock while it calls this class.
    count(packs, id, bytes).forEach(Owner::dropIndexes);
  }

  private synchronized List<Owner> count(Owner packs, String id, long bytes) {
    Held held = used.get(packs).orElseGet(Held::new);
    if (held.packs.putIfAbsent(id, bytes) != null) {
      return List.of();
    }
    held.bytes += bytes;
    return used.put(packs, held, held.bytes, packs.readTogether());
  }

  /** Stops counting a pack. */
  synchronized void release(Owner packs, String id) {
    used.get(packs)
        .filter(held -> held.packs.containsKey(id))
        .ifPresent(
            held -> {
              held.bytes -= held.packs.remove(id);
              used.put(packs, held, held.bytes, Integer.MAX_VALUE); // drops none of others
            });
  }

  /** Open packs of a template. */
  OfTemplate ofTemplate(String templateId) {
    return templates.computeIfAbsent(templateId, OfTemplate::new);
  }

  /**
   * Number of times that packs of any template were dropped. When it has grown, templates and their
   * forks list their packs again.
   */
  long templatesDropped() {
    return templatesDropped.get();
  }

  /** Drops packs, whether or not there is room for them. */
  void drop(Owner packs) {
    forget(packs);
    packs.dropIndexes();
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
