// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.file;

import java.util.Optional;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCacheConfig;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCacheTable.BlockCacheStats;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.ConfigConstants;

/**
 * Configures JGit's {@link DfsBlockCache}, one per process, from {@code [core "dfs"]} of a jgit
 * config, with defaults that suit an object store and the heap.
 */
public final class BlockCache {
  /**
   * Bytes of a block, and so of a ranged request for an object of a pack, unless configured. The
   * reason is in {@code src/site/markdown/benchmarks.md}.
   */
  static final int BLOCK_SIZE = 512 << 10;

  /** Fraction of the heap, as a divisor, for blocks, unless the config sets a limit. */
  private static final int HEAP_SHARE = 4;

  /** The same for a small heap, of which buffers and indexes take a larger part. */
  private static final int SMALL_HEAP_SHARE = 8;

  private static final long SMALL_HEAP = 4L << 30;

  /** Minimum number of blocks: a clone uses some at the same time. */
  private static final int LEAST_BLOCKS = 16;

  /**
   * Number of locks of the cache for blocks, and of those for each kind of index. All repositories
   * of the process share them; JGit picks one by a hash, and holds it during a load. With its
   * default of 32, one unanswered request stalls a 32nd of all loads, and there are fewer locks
   * than connections. With this number it stalls a thousandth, and with a load on each of 64
   * connections one in 16 has to wait for another. The locks take half a MiB.
   */
  static final int LOCKS = 1024;

  /**
   * Cache configured by this class.
   *
   * @param cache the cache
   * @param blockSize bytes of its blocks
   */
  private record Configured(DfsBlockCache cache, int blockSize) {}

  /** Written once, by {@link #configureOnce}. */
  private static volatile Optional<Configured> configured = Optional.empty();

  private BlockCache() {}

  /**
   * Memory that a configuration gives to the cache.
   *
   * @param config configuration of the process
   * @param heap maximum size of the heap in bytes
   * @return bytes
   */
  public static long limit(Config config, long heap) {
    return configuration(config, heap).getBlockLimit();
  }

  /**
   * Reads the configuration of the cache.
   *
   * @param config config with a {@code [core "dfs"]} section, or without one
   * @param heap bytes that the process may use at most
   * @return the configuration of JGit's cache
   * @throws IllegalArgumentException if a value is not valid; the message is JGit's
   */
  public static DfsBlockCacheConfig configuration(Config config, long heap) {
    DfsBlockCacheConfig cache = new DfsBlockCacheConfig().setConcurrencyLevel(LOCKS);
    cache.setBlockSize(
        config.getInt(
            ConfigConstants.CONFIG_CORE_SECTION,
            ConfigConstants.CONFIG_DFS_SECTION,
            ConfigConstants.CONFIG_KEY_BLOCK_SIZE,
            BLOCK_SIZE));
    long share = heap / (heap < SMALL_HEAP ? SMALL_HEAP_SHARE : HEAP_SHARE);
    long blocks = Math.max(LEAST_BLOCKS, share / cache.getBlockSize());
    return cache.setBlockLimit(blocks * cache.getBlockSize()).fromConfig(config);
  }

  /**
   * Configures the cache, unless it was configured in this process before, by this method or by the
   * embedding program. The latter is detected if the cache was configured from a {@code [core
   * "dfs"]} section or is in use. A program that configures the cache in code has to do so after
   * its first call of this method.
   *
   * @param config config to take, as {@link #configuration} does
   * @return true if this call configured it
   * @throws IllegalArgumentException as {@link #configuration}
   */
  public static synchronized boolean configureOnce(Config config) {
    if (configured.isPresent() || isConfiguredOrInUse(DfsBlockCache.getInstance())) {
      return false;
    }
    DfsBlockCacheConfig cache = configuration(config, Runtime.getRuntime().maxMemory());
    DfsBlockCache.reconfigure(cache);
    configured = Optional.of(new Configured(DfsBlockCache.getInstance(), cache.getBlockSize()));
    return true;
  }

  /**
   * Bytes of a block of a pack: whole ranges that have a checksum, as many as fit into a block of
   * the cache. With the header of its array it is no larger than the configured power of 2, if that
   * is 256 KiB or more. G1 places an array of more than half a region in regions of its own, and
   * once part of the heap is in use, each such allocation starts marking. Regions of small heaps
   * have 1 MiB, and receiving a pack creates a block for every half MiB.
   *
   * <p>Depends only on the cache: all readers and writers of a pack must agree on its blocks,
   * because the cache identifies them by their offset.
   *
   * @param cache the cache
   * @return 0 if the program configured it, for blocks of the size it chose
   */
  public static int packBlockSize(DfsBlockCache cache) {
    return configured
        .filter(c -> c.cache() == cache)
        .map(c -> Math.max(1, c.blockSize() / RangeChecksums.RANGE) * RangeChecksums.RANGE)
        .orElse(0);
  }

  private static boolean isConfiguredOrInUse(DfsBlockCache cache) {
    for (BlockCacheStats part : cache.getAllBlockCacheStats()) {
      if (part.getName().equals(ConfigConstants.CONFIG_DFS_SECTION)) {
        return true;
      }
    }
    for (long requests : cache.getTotalRequestCount()) {
      if (requests > 0) {
        return true;
      }
    }
    return false;
  }
}
