// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

  /** Repositories whose packs were opened, least recently used first; guarded by this. */
  private final Map<SharedPacks, Held> used = new LinkedHashMap<>(16, 0.75f, true);

  private long total; // bytes of all of them; guarded by this

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
  }

  /** Tests whether indexes of so many bytes may be loaded before they are known to be needed. */
  boolean hasRoomFor(long bytes) {
    return bytes <= limit;
  }

  /** Notes that a repository is in use. */
  synchronized void use(SharedPacks packs) {
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
    Held held = used.computeIfAbsent(packs, p -> new Held());
    if (held.packs.putIfAbsent(id, bytes) != null) {
      return List.of();
    }
    held.bytes += bytes;
    total += bytes;
    List<SharedPacks> dropped = new ArrayList<>();
    Iterator<Map.Entry<SharedPacks, Held>> oldest = used.entrySet().iterator();
    while (total > limit) {
      Map.Entry<SharedPacks, Held> each = oldest.next();
      if (each.getKey() == packs) {
        break; // the last
      }
      total -= each.getValue().bytes;
      dropped.add(each.getKey());
      oldest.remove();
    }
    return dropped;
  }

  /** Stops counting a pack. */
  synchronized void release(SharedPacks packs, String id) {
    Held held = used.get(packs);
    Long bytes = held == null ? null : held.packs.remove(id);
    if (bytes != null) {
      held.bytes -= bytes;
      total -= bytes;
    }
  }

  /** Forgets packs that are no longer used. */
  synchronized void forget(SharedPacks packs) {
    Held held = used.remove(packs);
    if (held != null) {
      total -= held.bytes;
    }
  }

  /** Bytes of side files of open packs. */
  @Override
  public synchronized long held() {
    return total;
  }

  @Override
  public long limit() {
    return limit;
  }
}
