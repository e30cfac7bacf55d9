// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
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

  /** Least number of templates at which those that are no longer used are removed. */
  private static final int FEW = 64;

  /**
   * Open packs of templates, by the ids of these, as long as a fork uses them or they are counted.
   * Guarded by itself.
   */
  private final Map<String, WeakReference<OpenPacks>> templates = new HashMap<>();

  /** Number of templates at which those that are no longer used are removed; guarded by these. */
  private int many = FEW;

  /** Those whose indexes are counted; changed under the lock of this. */
  private final LruCache<OpenPacks, Held> used;

  /**
   * Open packs of a repository, or of a template and all its forks, by id: handles share one loaded
   * index of each. Safe for use by many threads.
   */
  static final class OpenPacks {
    private final Map<String, DfsPackFile> files = new ConcurrentHashMap<>();
    private final AtomicLong drops = new AtomicLong();

    DfsPackFile get(String id, Function<String, DfsPackFile> create) {
      return files.computeIfAbsent(id, create);
    }

    Set<String> ids() {
      return files.keySet();
    }

    /** Closes a pack that no handle lists any more. */
    void close(String id) {
      files.remove(id);
    }

    /** Closes all, after the last handle. */
    void closeAll() {
      files.clear();
    }

    /** Closes a pack; handles open it anew when they are used next. */
    void drop(String id) {
      files.remove(id);
      drops.incrementAndGet(); // last, so that no handle that sees it finds the pack
    }

    /** Closes all, so that their indexes may be freed; handles open them anew. */
    void dropAll() {
      files.clear();
      drops.incrementAndGet();
    }

    /** Number of times that packs were dropped. When it has grown, handles list theirs again. */
    long drops() {
      return drops.get();
    }
  }

  /** Indexes that are counted; guarded by the budget. */
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

  /** Notes that packs are in use. */
  void use(OpenPacks packs) {
    used.get(packs); // now the most recently used, and so the last
  }

  /**
   * Counts the side files of a pack, unless they are counted already, and makes room for them.
   *
   * @param packs packs that are open with it
   * @param id the pack
   * @param bytes bytes of its side files
   * @param together number of those that are read together: a fork and its template are two
   */
  synchronized void hold(OpenPacks packs, String id, long bytes, int together) {
    Held held = used.get(packs).orElseGet(Held::new);
    if (held.packs.putIfAbsent(id, bytes) == null) {
      held.bytes += bytes;
      used.put(packs, held, held.bytes, together).forEach(OpenPacks::dropAll);
    }
  }

  /** Stops counting a pack. */
  synchronized void release(OpenPacks packs, String id) {
    used.get(packs)
        .filter(held -> held.packs.containsKey(id))
        .ifPresent(
            held -> {
              held.bytes -= held.packs.remove(id);
              used.put(packs, held, held.bytes, Integer.MAX_VALUE); // drops none of others
            });
  }

  /** Open packs of a template, which its forks share while one of them keeps the result. */
  OpenPacks ofTemplate(String templateId) {
    synchronized (templates) {
      WeakReference<OpenPacks> reference = templates.get(templateId);
      OpenPacks known = reference == null ? null : reference.get();
      if (known != null) {
        return known;
      }
      if (templates.size() >= many) {
        templates.values().removeIf(each -> each.get() == null);
        many = Math.max(FEW, 2 * templates.size());
      }
      OpenPacks packs = new OpenPacks();
      templates.put(templateId, new WeakReference<>(packs));
      return packs;
    }
  }

  /** Number of templates that are known. */
  int templates() {
    synchronized (templates) {
      return templates.size();
    }
  }

  /** Forgets packs that are no longer used. */
  synchronized void forget(OpenPacks packs) {
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
