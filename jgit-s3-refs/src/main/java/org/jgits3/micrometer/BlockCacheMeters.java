// SPDX-License-Identifier: Apache-2.0
package org.jgits3.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Arrays;
import java.util.function.Function;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;

/**
 * Look-ups in JGit's cache of pack blocks by result, and its size. Fetches the cache for each
 * value, because a reconfiguration replaces it.
 */
public final class BlockCacheMeters implements MeterBinder {
  @Override
  public void bindTo(MeterRegistry registry) {
    lookUps(registry, "hit", DfsBlockCache::getHitCount);
    lookUps(registry, "miss", DfsBlockCache::getMissCount);
    Gauge.builder("jgits3.blockcache.size", () -> sum(DfsBlockCache::getCurrentSize))
        .description("Pack data in the block cache")
        .baseUnit("bytes")
        .register(registry);
  }

  private static void lookUps(
      MeterRegistry registry, String result, Function<DfsBlockCache, long[]> count) {
    FunctionCounter.builder("jgits3.blockcache.lookups", count, BlockCacheMeters::sum)
        .description("Look-ups in the block cache by result")
        .tag("result", result)
        .register(registry);
  }

  /** Sums the counts, which the cache keeps by kind of file. */
  private static double sum(Function<DfsBlockCache, long[]> count) {
    return (double) Arrays.stream(count.apply(DfsBlockCache.getInstance())).sum();
  }
}
