// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCacheConfig;
import org.eclipse.jgit.lib.Config;

/** JGit's cache of pack blocks: one per process, set up before the first repository is opened. */
final class BlockCache {
  /** JGit's own default, 32 MiB, is for embedding; here nothing else needs the heap as much. */
  private static final int SHARE_OF_HEAP = 4;

  private BlockCache() {}

  /**
   * Configures the cache.
   *
   * @param config where {@code [core "dfs"]} is; without {@code blockLimit} a quarter of the heap
   * @throws IllegalArgumentException if a value there makes no sense
   */
  static void configure(Config config) {
    DfsBlockCacheConfig cache = new DfsBlockCacheConfig();
    long share = Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP;
    cache.setBlockLimit(share - share % cache.getBlockSize());
    DfsBlockCache.reconfigure(cache.fromConfig(config));
  }
}
