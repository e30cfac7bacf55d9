// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.eclipse.jgit.internal.storage.dfs.DfsObjDatabase.PackSource;
import org.eclipse.jgit.lib.EmptyProgressMonitor;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.UnknownOutcomeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects one repository in the background when packs that no collection has made are old enough,
 * and large enough for it to pay: at least a tenth of what a collection has packed, so that each
 * byte that was pushed makes at most some ten be copied. Clocks only say when. Safe for use by many
 * threads.
 */
public final class AutoCollection {
  private static final Logger LOG = LoggerFactory.getLogger(AutoCollection.class);

  /**
   * Heap that a collection takes for an object, however small: the walk over what refs lead to,
   * what JGit's writer knows of it, its indexes and bitmaps. Collecting 12 packs of blobs of some
   * 15 bytes and trees of 100 entries took at least 13 MiB for 12,132 objects and 180 MiB for
   * 606,012 (JGit 7.8, serial collector, to 8 MiB), 295 bytes for each; the rest is margin, since
   * commits take more than blobs.
   */
  static final int BYTES_PER_OBJECT = 400;

  /** Part of the heap that a collection in a server may take. */
  private static final int HEAP_SHARE = 4;

  /** Part of the bytes of collections that other packs must have. */
  private static final int PAYING_SHARE = 10;

  private static final Set<String> COLLECTED =
      Set.of(PackSource.GC.name(), PackSource.GC_REST.name());

  private static final long NEVER = Long.MAX_VALUE;

  /** How long after a failure the next collection is tried; each doubles it. */
  private static final Duration AFTER_FAILURE = Duration.ofMinutes(2);

  /** A repository that cannot be collected stays so; it is tried every 34 hours then. */
  private static final int MOST_FAILURES = 10;

  private final Maintenance maintenance;
  private final Host host;
  private final AtomicBoolean scheduled = new AtomicBoolean();

  /** When the newest manifest is due, in milliseconds since the epoch. Written by one at a time. */
  private volatile long due = NEVER;

  /** Nothing is begun before, in milliseconds since the epoch. Written by the step scheduled. */
  private volatile long notBefore = Long.MIN_VALUE;

  /** Failures in a row, at most {@value #MOST_FAILURES}. Used by the step that is scheduled. */
  private volatile int failures;

  /** What the collections of all repositories of a process share. Safe for use by many threads. */
  public static final class Host {
    private final Duration age;
    private final Executor background;
    private final BooleanSupplier ending;
    private final Supplier<Instant> clock;
    private final long heap;

    /** Lives of repositories of which it was said that they are too large. */
    private final Set<String> refused = ConcurrentHashMap.newKeySet();

    /**
     * Where and when repositories are collected.
     *
     * @param age how old a pack gets before it is collected, more than 0
     * @param background runs collections, one at a time
     * @param ending whether a collection under way is to end at once, unfinished
     */
    public Host(Duration age, Executor background, BooleanSupplier ending) {
      this(age, background, ending, Instant::now, Runtime.getRuntime().maxMemory());
    }

    /** A host with a time and a heap of the test's own. */
    Host(
        Duration age,
        Executor background,
        BooleanSupplier ending,
        Supplier<Instant> clock,
        long heap) {
      this.age = age;
      this.background = background;
      this.ending = ending;
      this.clock = clock;
      this.heap = heap;
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
  }

  /** Ends a collection at its next step forward. */
  private static final class Ending extends EmptyProgressMonitor {
    private final BooleanSupplier ending;

    Ending(BooleanSupplier ending) {
      this.ending = ending;
    }

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
  }

  /**
   * Collection of a repository, which begins with the next call of {@link #consider}.
   *
   * @param maintenance maintenance of the repository
   * @param host where and when
   */
  public AutoCollection(Maintenance maintenance, Host host) {
    this.maintenance = maintenance;
    this.host = host;
  }

  /**
   * Takes note of a manifest, and schedules a collection if it is due. Quick, and never throws.
   *
   * @param newest newest manifest; not called by two at once
   */
  public void consider(Manifest newest) {
    due = dueAt(newest, host.age.toMillis());
    look();
  }

  /**
   * Schedules a collection if the newest manifest has become due. Quick, without a request, and
   * never throws.
   */
  public void look() {
    if (due == NEVER) {
      return;
    }
    long now = now();
    if (now < due || now < notBefore || !scheduled.compareAndSet(false, true)) {
      return;
    }
    try {
      host.background.execute(this::step);
    } catch (RejectedExecutionException | OutOfMemoryError e) { // or no thread can be had
      scheduled.set(false);
      LOG.debug("nothing is collected while there is no thread for it", e);
    }
  }

  /**
   * When a repository is due.
   *
   * @param manifest its manifest
   * @param age how old a pack gets, in milliseconds
   * @return milliseconds since the epoch; {@link #NEVER} as long as it would not pay
   */
  static long dueAt(Manifest manifest, long age) {
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
    return pays ? plus(oldest, age) : NEVER;
  }

  private static long plus(long time, long duration) {
    return time > NEVER - duration ? NEVER : time + duration;
  }

  private long now() {
    return host.clock.get().toEpochMilli();
  }

  private boolean isDue(Manifest manifest) {
    return dueAt(manifest, host.age.toMillis()) <= now();
  }

  private void step() {
    try {
      collect();
    } catch (UnknownOutcomeException e) {
      pause(Lease.TERM);
      LOG.warn("it is not known whether a repository was collected: {}", e.getMessage());
    } catch (IOException | RuntimeException | Error e) {
      failed(e);
    } finally {
      scheduled.set(false);
    }
  }

  private void collect() throws IOException {
    Optional<Manifest> newest = maintenance.newest();
    if (newest.isPresent() && !host.hasRoomFor(newest.get(), maintenance.name())) {
      pause(host.age);
      return;
    }
    Optional<GarbageCollection.Report> report =
        maintenance.collectIfFree(this::isDue, new Ending(host.ending));
    if (report.isEmpty()) {
      pause(Lease.TERM); // another process is at it
      return;
    }
    failures = 0;
    if (!report.get().skipped()) {
      pause(host.age); // whatever times the packs that came meanwhile have
      LOG.info(
          "collected {}: {} packs of {}",
          maintenance.name(),
          report.get().packsAfter(),
          report.get().packsBefore());
    }
  }

  private void failed(Throwable e) {
    if (host.ending.getAsBoolean()) {
      LOG.debug("a collection was given up while background work is being stopped", e);
      return;
    }
    pause(AFTER_FAILURE.multipliedBy(1L << failures));
    failures = Math.min(MOST_FAILURES, failures + 1);
    if (e instanceof IOException) {
      LOG.info("{} was not collected, a later try follows: {}", maintenance.name(), e.getMessage());
    } else {
      LOG.error("{} was not collected, a later try follows", maintenance.name(), e);
    }
  }

  private void pause(Duration time) {
    notBefore = plus(now(), time.toMillis());
  }
}
