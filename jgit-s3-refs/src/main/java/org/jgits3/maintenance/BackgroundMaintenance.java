// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.io.Closeable;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import org.jgits3.internal.concurrent.DaemonThreads;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.metrics.CollectionMetrics;

/**
 * Maintenance of the repositories of a process in the background: merges small packs when pushes
 * have left enough of them, and collects when packs are old enough. Safe for use by many threads.
 */
public final class BackgroundMaintenance implements CollectionMetrics, Closeable {
  /** Number of packs from which each opening of a repository checks whether they can be merged. */
  private static final int MANY_PACKS = 100;

  private final ExecutorService compactor =
      DaemonThreads.pool("jgit-s3-maintenance", BackgroundCompaction.THREADS);

  private final ExecutorService collector = DaemonThreads.pool("jgit-s3-collection", 1);
  private final BackgroundCompaction compaction;
  private final Optional<BackgroundGc> collection;

  /**
   * Creates a scheduler without scheduled work.
   *
   * @param collectAfter how old a pack gets before it is collected, more than 0; empty for no
   *     collections
   * @param repositories opens a repository when its turn comes
   */
  public BackgroundMaintenance(Optional<Duration> collectAfter, RepositoryOpener repositories) {
    this.compaction = new BackgroundCompaction(host(compactor, repositories));
    BackgroundSteps.Host collecting = host(collector, repositories);
    long heap = Runtime.getRuntime().maxMemory();
    this.collection = collectAfter.map(age -> new BackgroundGc(age, collecting, heap));
  }

  private static BackgroundSteps.Host host(ExecutorService threads, RepositoryOpener repositories) {
    return new BackgroundSteps.Host(threads, threads::isShutdown, repositories, Maintenance::now);
  }

  /**
   * Schedules what a manifest makes due. Quick, without a request, and never throws.
   *
   * @param name name of a repository
   * @param newest its newest manifest
   */
  public void consider(RepositoryName name, Manifest newest) {
    compaction.consider(name, newest);
    collection.ifPresent(each -> each.consider(name, newest));
  }

  /**
   * Schedules what has become due since the manifest was considered. Packs are collected once they
   * are old enough. Merging is considered again if there are many packs, because a manifest that is
   * full of packs no longer changes. Quick, without a request, and never throws.
   *
   * @param name name of a repository that is opened
   * @param newest its newest manifest known
   */
  public void opened(RepositoryName name, Manifest newest) {
    if (newest.packs().size() >= MANY_PACKS) {
      compaction.consider(name, newest);
    }
    collection.ifPresent(each -> each.consider(name, newest));
  }

  /**
   * Number of repositories with a step of compaction waiting or under way.
   *
   * @return the number
   */
  public int compactionBacklog() {
    return compaction.waiting();
  }

  @Override
  public long collections() {
    return collection.map(BackgroundGc::collections).orElse(0L);
  }

  @Override
  public long failures() {
    return collection.map(BackgroundGc::failures).orElse(0L);
  }

  @Override
  public Optional<Instant> last() {
    return collection.flatMap(BackgroundGc::last);
  }

  /** Stops all maintenance without waiting for it. It begins again later, or in another process. */
  @Override
  public void close() {
    compactor.shutdownNow();
    collector.shutdownNow();
  }
}
