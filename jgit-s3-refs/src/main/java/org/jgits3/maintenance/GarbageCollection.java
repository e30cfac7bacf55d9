// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.io.IOException;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.eclipse.jgit.internal.storage.dfs.DfsGarbageCollector;
import org.eclipse.jgit.internal.storage.dfs.DfsObjDatabase.PackSource;
import org.eclipse.jgit.internal.storage.pack.PackExt;
import org.eclipse.jgit.lib.BitmapIndex;
import org.eclipse.jgit.lib.ConfigConstants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.revwalk.BitmapWalker;
import org.eclipse.jgit.revwalk.ObjectWalk;
import org.eclipse.jgit.storage.pack.PackConfig;
import org.jgits3.internal.pack.GarbageExpiry;
import org.jgits3.internal.version.MaintenanceTarget;
import org.jgits3.internal.version.RepositoryVersion;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.PackFileEntry;
import org.jgits3.manifest.VersionedManifest;

/**
 * Full collection of one repository by JGit's collector. It writes objects reachable from branches
 * and tags to one pack with bitmaps and a commit graph, objects reachable only from other refs to a
 * second, and unreachable objects to a third, which is left out once it is older than {@code
 * gc.pruneExpire}.
 *
 * <p>A fork has the packs of its template as Git has those of an alternate: they stay, with their
 * bitmaps, and the packs of the fork are merged into one.
 *
 * <p>Refs and packs are those of one manifest. Pushes go on meanwhile; their packs stay as they
 * are. The lease of maintenance keeps compactions from replacing packs that are being collected,
 * which would make the collection fail at its commit. Nothing else depends on it.
 */
public final class GarbageCollection {
  private static final List<String> ONE_PACK = List.of(PackSource.GC.name());
  private static final List<String> TWO_PACKS =
      List.of(PackSource.GC.name(), PackSource.GC_REST.name());
  private static final String GARBAGE = PackSource.UNREACHABLE_GARBAGE.name();

  /** Sources of packs that collections make. */
  private static final Set<String> MADE =
      Set.of(PackSource.GC.name(), PackSource.GC_REST.name(), GARBAGE);

  private static final Set<String> INDEXES =
      Set.of(
          PackExt.INDEX.getExtension(),
          PackExt.BITMAP_INDEX.getExtension(),
          PackExt.COMMIT_GRAPH.getExtension());

  private final MaintenanceTarget repository;
  private final LeaseKeeper.Pause pause;

  /**
   * Threads that search for deltas; 0 for the number in the configuration. A server searches on the
   * thread of the collection, so that the next report of progress can end the search.
   */
  private int threads;

  /**
   * Result of a collection.
   *
   * @param packsBefore packs at its beginning
   * @param bytesBefore bytes of their files
   * @param packsAfter packs listed when it ended, those pushed meanwhile included
   * @param bytesAfter bytes of their files
   * @param garbageKept true if old garbage stayed because a ref may lead into it by now
   * @param skipped true if nothing was done, because the packs were those of a collection and held
   *     exactly the reachable objects
   * @param upToDate manifest that leaves a collection nothing to do; empty if the repository
   *     changed meanwhile
   */
  public record Report(
      int packsBefore,
      long bytesBefore,
      int packsAfter,
      long bytesAfter,
      boolean garbageKept,
      boolean skipped,
      Optional<UpToDate> upToDate) {
    private static Report skipped(Manifest manifest, Optional<UpToDate> upToDate) {
      int packs = manifest.packs().size();
      long bytes = bytes(manifest);
      return new Report(packs, bytes, packs, bytes, false, true, upToDate);
    }

    private static Report collected(VersionedManifest manifest) {
      return skipped(manifest.manifest(), Optional.of(UpToDate.forGood(manifest)));
    }
  }

  /**
   * Plans what a collection would do now.
   *
   * @param packs packs that it would replace; 0 if it would do nothing
   * @param bytes bytes of their files
   * @param expired objects of garbage that has expired; the collection keeps those to which refs
   *     lead again
   */
  public record Plan(int packs, long bytes, long expired) {}

  /**
   * Creates a collection.
   *
   * @param repository the repository
   * @param pause waits while another process maintains the repository
   */
  GarbageCollection(MaintenanceTarget repository, LeaseKeeper.Pause pause) {
    this.repository = repository;
    this.pause = pause;
  }

  /**
   * Collects, unless there is nothing to gain.
   *
   * @param monitor receives progress; may cancel
   * @return the result
   * @throws IOException as {@link #run}
   */
  Report runIfUseful(ProgressMonitor monitor) throws IOException {
    VersionedManifest newest = newest();
    Manifest manifest = newest.manifest();
    if (manifest.sharesPacks()) {
      return merge(newest, monitor);
    }
    if (isCollected(manifest, monitor)) {
      return Report.collected(newest);
    }
    try (LeaseKeeper lease =
        LeaseKeeper.await(new Lease(repository.store(), manifest.repositoryId()), monitor, pause)) {
      VersionedManifest now = newest(); // the holder of the lease may have changed the packs
      boolean same = now.manifest().packs().equals(manifest.packs());
      return !same && isCollected(now.manifest(), monitor)
          ? Report.collected(now)
          : run(now.manifest(), lease, monitor);
    }
  }

  /**
   * Finds what {@link #runIfUseful} would do. Writes nothing.
   *
   * @param monitor receives progress; may cancel
   * @return the plan
   * @throws IOException if the store does not answer
   */
  Plan plan(ProgressMonitor monitor) throws IOException {
    Manifest manifest = newest().manifest();
    if (manifest.sharesPacks()) {
      List<PackEntry> own = manifest.ownPacks();
      return isMerged(manifest) ? new Plan(0, 0, 0) : new Plan(own.size(), bytes(own.stream()), 0);
    }
    if (isCollected(manifest, monitor)) {
      return new Plan(0, 0, 0);
    }
    GarbageExpiry expiry = GarbageExpiry.of(repository.config().get(), repository.name());
    long expired =
        garbage(manifest)
            .filter(pack -> expiry.isOver(pack.lastModified()))
            .mapToLong(PackEntry::objects)
            .sum();
    return new Plan(manifest.packs().size(), bytes(manifest), expired);
  }

  /**
   * Collects in the background of a process with other work: on the calling thread only, and not if
   * another process maintains the repository.
   *
   * @param due tests whether the collection is still due, given a manifest read while holding the
   *     lease
   * @param monitor receives progress; may end the collection by throwing
   * @return the result; empty if another process has the lease
   * @throws IOException as {@link #run}
   */
  Optional<Report> runIfFree(Predicate<Manifest> due, ProgressMonitor monitor) throws IOException {
    Lease lease = new Lease(repository.store(), newest().manifest().repositoryId());
    if (!lease.acquire()) {
      return Optional.empty();
    }
    threads = 1;
    try (LeaseKeeper keeper = LeaseKeeper.of(lease)) {
      Manifest now = newest().manifest();
      return Optional.of(
          due.test(now) ? run(now, keeper, monitor) : Report.skipped(now, Optional.empty()));
    }
  }

  private VersionedManifest newest() throws IOException {
    return repository.committer().validate();
  }

  /**
   * Tests whether the packs are those of a collection: all reachable objects, and no others, are in
   * one pack with bitmaps and a commit graph and one more for objects not reachable from branches
   * and tags. True also if there are neither objects nor packs.
   */
  private boolean isCollected(Manifest manifest, ProgressMonitor monitor) throws IOException {
    if (manifest.packs().isEmpty()) {
      return true;
    }
    List<String> sources = manifest.packs().stream().map(PackEntry::source).sorted().toList();
    if (!sources.equals(ONE_PACK) && !sources.equals(TWO_PACKS)) {
      return false;
    }
    boolean indexed =
        manifest.packs().stream()
            .filter(pack -> pack.source().equals(PackSource.GC.name()))
            .allMatch(pack -> pack.files().keySet().containsAll(INDEXES));
    return indexed && reachable(manifest, monitor) == objects(manifest);
  }

  private static long objects(Manifest manifest) {
    return manifest.packs().stream().mapToLong(PackEntry::objects).sum();
  }

  /** Number of reachable objects, counted by bitmaps. */
  private long reachable(Manifest manifest, ProgressMonitor monitor) throws IOException {
    try (RepositoryVersion version = new RepositoryVersion(repository, manifest);
        ObjectReader reader = version.newObjectReader();
        ObjectWalk walk = new ObjectWalk(reader)) {
      BitmapIndex bitmaps = reader.getBitmapIndex();
      if (bitmaps == null) {
        return -1;
      }
      Set<ObjectId> tips = new HashSet<>();
      for (Ref ref : version.getRefDatabase().getRefs()) {
        if (ref.getObjectId() != null) {
          tips.add(ref.getObjectId());
        }
      }
      return new BitmapWalker(walk, bitmaps, monitor).findObjects(tips, null, false).cardinality();
    }
  }

  /**
   * Collects.
   *
   * @param monitor receives progress; may cancel
   * @return the result
   * @throws IOException if the collection failed, or its outcome is unknown; the repository is as
   *     it was, or collected
   */
  Report run(ProgressMonitor monitor) throws IOException {
    VersionedManifest manifest = newest();
    return manifest.manifest().sharesPacks() ? merge(manifest, monitor) : repack(manifest, monitor);
  }

  private Report repack(VersionedManifest manifest, ProgressMonitor monitor) throws IOException {
    if (manifest.manifest().packs().isEmpty()) {
      return Report.collected(manifest);
    }
    try (LeaseKeeper lease =
        LeaseKeeper.await(
            new Lease(repository.store(), manifest.manifest().repositoryId()), monitor, pause)) {
      return run(newest().manifest(), lease, monitor);
    }
  }

  /**
   * Collects a fork with the packs of its template, so that it lists none of them afterwards.
   *
   * @param monitor receives progress; may cancel
   * @return the result
   * @throws IOException as {@link #run(ProgressMonitor)}
   */
  Report detach(ProgressMonitor monitor) throws IOException {
    VersionedManifest manifest = newest();
    return manifest.manifest().sharesPacks() && !manifest.manifest().isTemplate()
        ? repack(manifest, monitor)
        : Report.collected(manifest);
  }

  /**
   * Merges the packs of a fork that are its own into one. Those of its template stay, as do
   * unreachable objects. A template has nothing to merge.
   */
  private Report merge(VersionedManifest versioned, ProgressMonitor monitor) throws IOException {
    Manifest manifest = versioned.manifest();
    if (isMerged(manifest)) {
      return Report.collected(versioned);
    }
    try (LeaseKeeper lease =
        LeaseKeeper.await(new Lease(repository.store(), manifest.repositoryId()), monitor, pause)) {
      versioned = newest();
      manifest = versioned.manifest();
      if (!manifest.sharesPacks() || manifest.ownPacks().size() < 2) {
        return Report.skipped(manifest, Optional.empty()); // another process was faster
      }
      lease.collects(manifest.generation());
      new PackCompaction(repository).merge(manifest, manifest.ownPacks(), monitor);
    }
    VersionedManifest now = repository.committer().cached().orElseThrow();
    boolean merged = now.manifest().ownPacks().size() < 2;
    return new Report(
        manifest.packs().size(),
        bytes(manifest),
        now.manifest().packs().size(),
        bytes(now.manifest()),
        false,
        false,
        merged ? Optional.of(UpToDate.forGood(now)) : Optional.empty());
  }

  /** Tests whether a repository that shares packs has nothing to merge. */
  private static boolean isMerged(Manifest manifest) {
    return manifest.isTemplate() || manifest.ownPacks().size() < 2;
  }

  private Report run(Manifest manifest, LeaseKeeper lease, ProgressMonitor monitor)
      throws IOException {
    lease.collects(manifest.generation());
    GarbageExpiry expiry;
    try (RepositoryVersion version = new RepositoryVersion(repository, manifest)) {
      expiry = GarbageExpiry.of(version.getConfig(), repository.name());
      DfsGarbageCollector collector =
          new DfsGarbageCollector(version)
              .setWriteCommitGraph(true)
              .setWriteBloomFilter(writesChangedPaths(version))
              .setGarbageTtl(expiry.ttlMillis(), TimeUnit.MILLISECONDS);
      if (threads > 0) {
        bound(collector.getPackConfig());
      }
      collector.pack(monitor);
    }
    VersionedManifest newest = repository.committer().cached().orElseThrow();
    Manifest now = newest.manifest();
    return new Report(
        manifest.packs().size(),
        bytes(manifest),
        now.packs().size(),
        bytes(now),
        garbageKept(manifest, now, expiry),
        false,
        isCollectionOf(manifest, now)
            ? Optional.of(new UpToDate(newest, firstEnd(now, expiry)))
            : Optional.empty());
  }

  /**
   * Bounds a collection beside other work: the configuration of the repository, which an import may
   * have brought along, cannot raise JGit's own limits.
   */
  private void bound(PackConfig own) {
    PackConfig most = new PackConfig();
    own.setThreads(threads);
    own.setDeltaSearchWindowSize(
        Math.min(own.getDeltaSearchWindowSize(), most.getDeltaSearchWindowSize()));
    own.setMaxDeltaDepth(Math.min(own.getMaxDeltaDepth(), most.getMaxDeltaDepth()));
    own.setBigFileThreshold(Math.min(own.getBigFileThreshold(), most.getBigFileThreshold()));
    boolean limited = own.getDeltaCacheSize() > 0;
    own.setDeltaCacheSize(
        limited
            ? Math.min(own.getDeltaCacheSize(), most.getDeltaCacheSize())
            : most.getDeltaCacheSize());
    own.setReuseDeltas(true);
    own.setReuseObjects(true);
  }

  /**
   * Tests whether a later manifest is the result of a collection of the earlier one: nothing else
   * that a collection depends on has changed.
   */
  private static boolean isCollectionOf(Manifest before, Manifest now) {
    return now.refs().equals(before.refs())
        && now.settings().equals(before.settings())
        && now.packs().stream().map(PackEntry::source).allMatch(MADE::contains);
  }

  /** Finds when garbage expires first. */
  private static Instant firstEnd(Manifest manifest, GarbageExpiry expiry) {
    return garbage(manifest)
        .map(pack -> expiry.end(pack.lastModified()))
        .min(Comparator.naturalOrder())
        .orElse(Instant.MAX);
  }

  private static Stream<PackEntry> garbage(Manifest manifest) {
    return manifest.packs().stream().filter(pack -> pack.source().equals(GARBAGE));
  }

  /** Tests whether expired garbage is still listed. */
  private static boolean garbageKept(Manifest before, Manifest now, GarbageExpiry expiry) {
    return garbage(now)
        .filter(pack -> expiry.isOver(pack.lastModified()))
        .anyMatch(before.packs()::contains);
  }

  /** Tests whether the commit graph gets Bloom filters of the paths that each commit changed. */
  private static boolean writesChangedPaths(RepositoryVersion version) {
    return version
        .getConfig()
        .getBoolean(
            ConfigConstants.CONFIG_GC_SECTION,
            ConfigConstants.CONFIG_KEY_WRITE_CHANGED_PATHS,
            false);
  }

  private static long bytes(Manifest manifest) {
    return bytes(manifest.packs().stream());
  }

  private static long bytes(Stream<PackEntry> packs) {
    return packs
        .map(PackEntry::files)
        .flatMap(files -> files.values().stream())
        .mapToLong(PackFileEntry::size)
        .sum();
  }
}
