// SPDX-License-Identifier: Apache-2.0
package org.jgits3.pack;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Bounds the memory of the pack indexes that all repositories of a process keep. JGit's block cache
 * counts indexes too, but a pack that is open holds its own whatever the cache evicts; so packs are
 * dropped here, those of the repository used least recently first.
 *
 * <p>The repository that is being read keeps its indexes even if they are larger than the limit: it
 * could not be read otherwise. A handle that is open drops its packs when it is used next.
 *
 * <p>Safe for use by many threads.
 */
public final class IndexBudget {
  private final long limit;

  /** Repositories whose packs were opened, least recently used first; guarded by this. */
  private final Map<SharedPacks, Boolean> used = new LinkedHashMap<>(16, 0.75f, true);

  /**
   * Bounds nothing yet.
   *
   * @param limit most bytes of side files (indexes, bitmaps, commit graphs ...) of open packs
   */
  public IndexBudget(long limit) {
    this.limit = limit;
  }

  /** Whether indexes of so many bytes may be loaded before they are known to be needed. */
  boolean hasRoomFor(long bytes) {
    return bytes <= limit;
  }

  /** Notes that a repository is in use. */
  synchronized void use(SharedPacks packs) {
    used.replace(packs, true); // now the most recently used, and so the last
  }

  /** Makes room before a side file of a repository is loaded. */
  synchronized void load(SharedPacks packs, long bytes) {
    used.put(packs, true);
    long held = bytes;
    for (SharedPacks each : used.keySet()) {
      held += each.indexBytes();
    }
    for (Iterator<SharedPacks> oldest = used.keySet().iterator(); oldest.hasNext(); ) {
      SharedPacks each = oldest.next();
      long dropped = each.indexBytes();
      if (each == packs || (held <= limit && dropped > 0)) {
        break;
      }
      each.dropIndexes();
      held -= dropped;
      oldest.remove();
    }
  }

  /** Forgets packs that nobody will use any more. */
  synchronized void forget(SharedPacks packs) {
    used.remove(packs);
  }

  /**
   * What is held now.
   *
   * @return bytes of side files of open packs
   */
  public synchronized long held() {
    return used.keySet().stream().mapToLong(SharedPacks::indexBytes).sum();
  }
}
