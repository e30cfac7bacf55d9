// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
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
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.PackFileEntry;

/**
 * A full collection of one repository by JGit's collector: everything the refs lead to in one pack
 * with bitmaps and a commit graph, what only refs outside of branches and tags lead to in another,
 * and what nothing leads to in a third, which is left out once it is older than {@code
 * gc.pruneExpire}.
 *
 * <p>Refs and packs are those of one manifest. Pushes go on meanwhile; their packs stay as they
 * are. The lease of maintenance keeps compactions from replacing packs that are being collected,
 * which would make the collection fail at its commit; nothing but that depends on it.
 */
public final class GarbageCollection {
  private static final List<String> ONE_PACK = List.of(PackSource.GC.name());
  private static final List<String> TWO_PACKS =
      List.of(PackSource.GC.name(), PackSource.GC_REST.name());
  private static final Set<String> INDEXES =
      Set.of(
          PackExt.INDEX.getExtension(),
          PackExt.BITMAP_INDEX.getExtension(),
          PackExt.COMMIT_GRAPH.getExtension());

  private final Maintained repository;
  private final LeaseKeeper.Pause pause;

  /** How many search for deltas; 0 for what the configuration says. */
  private int threads;

  /**
   * What a collection came to.
   *
   * @param packsBefore packs at its beginning
   * @param bytesBefore bytes of their files
   * @param packsAfter packs listed when it ended, those pushed meanwhile included
   * @param bytesAfter bytes of their files
   * @param garbageKept whether old garbage stayed because a ref may lead into it by now
   * @param skipped whether nothing was done, since the packs were those of a collection, with
   *     exactly what refs lead to
   */
  public record Report(
      int packsBefore,
      long bytesBefore,
      int packsAfter,
      long bytesAfter,
      boolean garbageKept,
      boolean skipped) {
    private static Report skipped(Manifest manifest) {
      int packs = manifest.packs().size();
      return new Report(packs, bytes(manifest), packs, bytes(manifest), false, true);
    }
  }

  /**
   * A collection that is not begun yet.
   *
   * @param repository the repository
   * @param pause how to wait for others who maintain it
   */
  GarbageCollection(Maintained repository, LeaseKeeper.Pause pause) {
    this.repository = repository;
    this.pause = pause;
  }

  /**
   * Collects, unless there is nothing to gain.
   *
   * @param monitor told how far it is; may cancel
   * @return what it came to
   * @throws IOException as {@link #run}
   */
  Report runIfUseful(ProgressMonitor monitor) throws IOException {
    Manifest manifest = newest();
    if (isCollected(manifest, monitor)) {
      return Report.skipped(manifest);
    }
    try (LeaseKeeper lease = LeaseKeeper.await(repository.lease(manifest), monitor, pause)) {
      Manifest now = newest(); // whoever had the lease may have changed the packs
      return !now.packs().equals(manifest.packs()) && isCollected(now, monitor)
          ? Report.skipped(now)
          : run(now, lease, monitor);
    }
  }

  /**
   * Collects in the background of a process that has other things to do: on the calling thread
   * only, and not if another process maintains the repository.
   *
   * @param due whether it is still wanted, as of a manifest read with the lease in hand
   * @param monitor told how far it is; may end it by throwing
   * @return what it came to; empty if another process has the lease
   * @throws IOException as {@link #run}
   */
  Optional<Report> runIfFree(Predicate<Manifest> due, ProgressMonitor monitor) throws IOException {
    Lease lease = repository.lease(newest());
    if (!lease.acquire()) {
      return Optional.empty();
    }
    threads = 1;
    try (LeaseKeeper keeper = LeaseKeeper.of(lease)) {
      Manifest now = newest();
      return Optional.of(due.test(now) ? run(now, keeper, monitor) : Report.skipped(now));
    }
  }

  private Manifest newest() throws IOException {
    return repository.committer().validate().manifest();
  }

  /**
   * Whether what refs lead to, and nothing else, is in one pack with bitmaps and a commit graph,
   * and one more for what branches and tags do not lead to; or there is nothing at all.
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

  /** Number of objects that refs lead to, found by bitmaps. */
  private long reachable(Manifest manifest, ProgressMonitor monitor) throws IOException {
    try (PinnedRepository pinned = PinnedRepository.open(repository, manifest);
        ObjectReader reader = pinned.newObjectReader();
        ObjectWalk walk = new ObjectWalk(reader)) {
      BitmapIndex bitmaps = reader.getBitmapIndex();
      if (bitmaps == null) {
        return -1;
      }
      Set<ObjectId> tips = new HashSet<>();
      for (Ref ref : pinned.getRefDatabase().getRefs()) {
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
   * @param monitor told how far it is; may cancel
   * @return what it came to
   * @throws IOException if it could not be done, or not be decided; the repository is as it was, or
   *     collected
   */
  Report run(ProgressMonitor monitor) throws IOException {
    Manifest manifest = newest();
    if (manifest.packs().isEmpty()) {
      return Report.skipped(manifest);
    }
    try (LeaseKeeper lease = LeaseKeeper.await(repository.lease(manifest), monitor, pause)) {
      return run(newest(), lease, monitor);
    }
  }

  private Report run(Manifest manifest, LeaseKeeper lease, ProgressMonitor monitor)
      throws IOException {
    lease.collects(manifest.generation());
    boolean garbageKept;
    try (PinnedRepository pinned = PinnedRepository.open(repository, manifest)) {
      GarbageExpiry expiry = GarbageExpiry.of(pinned.getConfig(), repository.name().value());
      DfsGarbageCollector collector =
          new DfsGarbageCollector(pinned)
              .setPackConfig(packConfig(pinned))
              .setWriteCommitGraph(true)
              .setWriteBloomFilter(writesChangedPaths(pinned))
              .setGarbageTtl(expiry.ttlMillis(), TimeUnit.MILLISECONDS);
      collector.pack(monitor);
      garbageKept = pinned.garbageKept();
    }
    Manifest now = repository.committer().cached().orElseThrow().manifest();
    return new Report(
        manifest.packs().size(),
        bytes(manifest),
        now.packs().size(),
        bytes(now),
        garbageKept,
        false);
  }

  /** Whether the commit graph is to tell, by Bloom filters, which paths a commit has changed. */
  private static boolean writesChangedPaths(PinnedRepository pinned) {
    return pinned
        .getConfig()
        .getBoolean(
            ConfigConstants.CONFIG_GC_SECTION,
            ConfigConstants.CONFIG_KEY_WRITE_CHANGED_PATHS,
            false);
  }

  private PackConfig packConfig(PinnedRepository pinned) throws IOException {
    PackConfig pack = new PackConfig(pinned);
    if (threads > 0) {
      pack.setThreads(threads);
    }
    pack.setIndexVersion(2);
    if (!pinned.getObjectDatabase().getShallowCommits().isEmpty()) {
      pack.setBuildBitmaps(false); // they would not be listed
    }
    return pack;
  }

  private static long bytes(Manifest manifest) {
    return manifest.packs().stream()
        .map(PackEntry::files)
        .flatMap(files -> files.values().stream())
        .mapToLong(PackFileEntry::size)
        .sum();
  }
}
