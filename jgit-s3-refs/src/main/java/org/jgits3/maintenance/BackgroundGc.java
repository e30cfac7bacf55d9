// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.eclipse.jgit.internal.storage.dfs.DfsObjDatabase.PackSource;
import org.eclipse.jgit.lib.EmptyProgressMonitor;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.RepositoryName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects the repositories of a process in the background when packs that no collection has made
 * are old enough, and large enough to be worth it: at least a tenth of the bytes that a collection
 * has packed, so that a collection copies at most some ten bytes for each byte pushed. Clocks
 * affect only when a collection runs. Safe for use by many threads.
 */
final class BackgroundGc extends BackgroundSteps {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundGc.class);

  /**
   * Heap that a collection takes for an object, however small: the walk over reachable objects, the
   * state of JGit's writer, its indexes and bitmaps. Collecting 12 packs of blobs of some 15 bytes
   * and trees of 100 entries took at least 13 MiB for 12,132 objects and 180 MiB for 606,012 (JGit
   * 7.8, serial collector, to 8 MiB), 295 bytes for each; the rest is margin, since commits take
   * more than blobs.
   */
  static final int BYTES_PER_OBJECT = 400;

  /** Fraction of the heap, as a divisor, that a collection in a server may take. */
  private static final int HEAP_SHARE = 4;

  /** Fraction of the bytes of collections, as a divisor, that other packs must have. */
  private static final int PAYING_SHARE = 10;

  private static final Set<String> COLLECTED =
      Set.of(PackSource.GC.name(), PackSource.GC_REST.name());

  /** Pause after a failure. */
  private static final Duration AFTER_FAILURE = Duration.ofMinutes(2);

  /** Failures in a row that lengthen the pause: it grows to at most 34 hours. */
  private static final int MOST_FAILURES = 10;

  private static final long NEVER = Long.MAX_VALUE;

  private final Duration age;
  private final BooleanSupplier ending;
  private final long heap;

  private final AtomicLong collections = new AtomicLong();
  private volatile Optional<Instant> last = Optional.empty();

  /** Ids of repositories that were logged as too large. */
  private final Set<String> refused = ConcurrentHashMap.newKeySet();

  /**
   * Creates a scheduler for the repositories of a process.
   *
   * @param age how old a pack gets before it is collected, more than 0
   * @param host the process, with one thread; a collection under way is abandoned at once when the
   *     process is ending
   * @param heap bytes of the heap
   */
  BackgroundGc(Duration age, Host host, long heap) {
    super("collected", host, new MaintenancePauses(AFTER_FAILURE, MOST_FAILURES));
    this.age = age;
    this.ending = host.ending();
    this.heap = heap;
  }

  /**
   * Schedules a collection if it is due. Quick, without a request, and never throws.
   *
   * @param name name of a repository
   * @param newest its newest manifest known
   */
  void consider(RepositoryName name, Manifest newest) {
    if (isDue(newest)) {
      add(name);
    }
  }

  /** Number of collections that have repacked a repository. */
  long collections() {
    return collections.get();
  }

  /** End of the last of them. */
  Optional<Instant> last() {
    return last;
  }

  private boolean hasRoomFor(Manifest manifest, RepositoryName name) {
    long objects = manifest.packs().stream().mapToLong(PackEntry::objects).sum();
    if (objects <= heap / HEAP_SHARE / BYTES_PER_OBJECT) {
      return true;
    }
    if (refused.add(manifest.repositoryId())) {
      LOG.warn(
          "{} has {} objects, too many to be collected in a heap of {} MiB beside all else:"
              + " run jgit-s3 gc, or give the server {} MiB",
          name,
          objects,
          heap >> 20,
          ((objects * BYTES_PER_OBJECT * HEAP_SHARE) >> 20) + 1);
    }
    return false;
  }

  /** Monitor that ends a collection at its next report of progress once the process is ending. */
  private ProgressMonitor untilTheEnd() {
    return new EmptyProgressMonitor() {
      @Override
      public boolean isCancelled() {
        return ending.getAsBoolean();
      }

      @Override
      public void update(int completed) { // JGit asks isCancelled() in few places
        if (isCancelled()) {
          throw new CancellationException("the process does no more maintenance");
        }
      }
    };
  }

  /**
   * Computes when a repository is due. Templates never are, nor forks that list packs of one.
   *
   * @param manifest its manifest
   * @param age how old a pack gets, in milliseconds
   * @return milliseconds since the epoch; {@link #NEVER} as long as a collection is not worth it
   */
  static long dueAt(Manifest manifest, long age) {
    if (manifest.sharesPacks()) {
      return NEVER; // a collection of a fork keeps all, and compaction merges its packs
    }
    long collected = 0;
    long others = 0;
    long oldest = NEVER;
    for (PackEntry pack : manifest.packs()) {
      if (COLLECTED.contains(pack.source())) {
        collected += PackCompaction.bytes(pack);
      } else if (PackCompaction.isSmall(pack)) {
        others += PackCompaction.bytes(pack);
        oldest = Math.min(oldest, pack.lastModified());
      }
    }
    boolean pays = oldest != NEVER && others >= collected / PAYING_SHARE;
    return pays ? MaintenancePauses.plus(oldest, Duration.ofMillis(age)) : NEVER;
  }

  private boolean isDue(Manifest manifest) {
    return dueAt(manifest, age.toMillis()) <= now();
  }

  @Override
  boolean step(RepositoryName name, Maintenance maintenance) throws IOException {
    Optional<Manifest> newest = maintenance.newest();
    if (newest.isPresent() && !hasRoomFor(newest.get(), name)) {
      pause(name, age);
      return false;
    }
    Optional<GarbageCollection.Report> report =
        maintenance.collectIfFree(this::isDue, untilTheEnd());
    if (report.isEmpty()) {
      pause(name, Lease.TERM); // another process is maintaining it
      return false;
    }
    succeeded(name);
    if (!report.get().skipped()) {
      pause(name, age); // even if newer packs came meanwhile
      last = Optional.of(Instant.ofEpochMilli(now()));
      collections.incrementAndGet();
      LOG.info(
          "collected {}: {} packs of {}",
          name,
          report.get().packsAfter(),
          report.get().packsBefore());
    }
    return false;
  }
}
