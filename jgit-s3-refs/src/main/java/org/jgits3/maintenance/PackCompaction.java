// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.eclipse.jgit.internal.storage.dfs.DfsObjDatabase.PackSource;
import org.eclipse.jgit.internal.storage.dfs.DfsPackCompactor;
import org.eclipse.jgit.internal.storage.dfs.DfsPackFile;
import org.eclipse.jgit.internal.storage.pack.PackExt;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.jgits3.internal.pack.S3ObjDatabase;
import org.jgits3.internal.refs.snapshot.RefView;
import org.jgits3.internal.refs.table.RefTable;
import org.jgits3.internal.version.MaintenanceTarget;
import org.jgits3.internal.version.RepositoryVersion;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.PackFileEntry;
import org.jgits3.manifest.Refs;

/**
 * Merges small packs, of which every push leaves one, so that their sizes form a geometric
 * progression: each is at least twice as large as all smaller ones together. An object is thus
 * copied a logarithmic number of times, and few packs remain. Packs of a collection, and of
 * garbage, are left to the next collection; those of a fork's template stay.
 *
 * <p>One step copies at most {@value #MAX_BYTES} bytes, compressed as they are, of at most {@link
 * #mostObjects} objects, and blocks no other operation; it gives up if a pack it has copied is not
 * listed any more. A pack that exceeds either bound by itself is left to the next collection.
 */
final class PackCompaction {
  /** Minimum number of packs out of the progression for a merge. */
  static final int ENOUGH = 10;

  /**
   * Minimum during a collection, which itself merges all packs there were when it began. A
   * collection may take hours; meanwhile thousands of packs would fill the manifest, and pushes
   * would be refused.
   */
  static final int ENOUGH_BESIDE_COLLECTION = 100;

  /** Maximum bytes of packs that one step merges. */
  static final long MAX_BYTES = 256L << 20;

  /**
   * Heap that a step takes for an object, however small: the state of JGit's writer and its walk,
   * and the indexes of the old packs and the new. Compacting 12 packs of blobs of some 15 bytes and
   * trees of 100 entries took at least 13 MiB for 12,132 objects and 161 MiB for 606,012 (JGit 7.8,
   * serial collector, to 8 MiB), 261 bytes for each; the rest is margin.
   */
  static final int BYTES_PER_OBJECT = 350;

  /**
   * Fraction of the heap, as a divisor, that a step may take: all steps that run at a time take an
   * eighth.
   */
  private static final int HEAP_SHARE = 8 * BackgroundCompaction.THREADS;

  private static final Set<String> SMALL =
      Set.of(PackSource.INSERT.name(), PackSource.RECEIVE.name(), PackSource.COMPACT.name());

  private final MaintenanceTarget repository;

  PackCompaction(MaintenanceTarget repository) {
    this.repository = repository;
  }

  /**
   * Packs to be merged next.
   *
   * @param packs packs that a manifest lists
   * @return the smallest ones, as many as break the progression; none if they are too few
   */
  static List<PackEntry> due(List<PackEntry> packs) {
    return due(packs, ENOUGH, mostObjects(Runtime.getRuntime().maxMemory()));
  }

  /**
   * Maximum number of objects that one step may copy.
   *
   * @param heap maximum size of the heap in bytes
   * @return the number that fits in the step's share of the heap
   */
  static long mostObjects(long heap) {
    return heap / HEAP_SHARE / BYTES_PER_OBJECT;
  }

  static List<PackEntry> due(List<PackEntry> packs, int enough, long mostObjects) {
    List<PackEntry> small = new ArrayList<>(packs);
    small.removeIf(
        pack -> !isSmall(pack) || size(pack) > MAX_BYTES || pack.objects() > mostObjects);
    small.sort(Comparator.comparingLong(PackCompaction::size));
    int breaking = 0;
    long before = 0;
    long objects = 0;
    for (int i = 0; i < small.size(); i++) {
      PackEntry pack = small.get(i);
      objects += pack.objects();
      if (before + size(pack) > MAX_BYTES || objects > mostObjects) {
        break;
      }
      if (size(pack) < 2 * before) {
        breaking = i + 1;
      }
      before += size(pack);
    }
    return breaking < enough ? List.of() : List.copyOf(small.subList(0, breaking));
  }

  /** Tests whether a pack is neither garbage nor made by a collection. */
  static boolean isSmall(PackEntry pack) {
    return SMALL.contains(pack.source());
  }

  /** Bytes of the pack file, as far as they are known. */
  static long bytes(PackEntry pack) {
    PackFileEntry file = pack.files().get(PackExt.PACK.getExtension());
    return file == null ? 0 : file.size();
  }

  private static long size(PackEntry pack) {
    PackFileEntry file = pack.files().get(PackExt.PACK.getExtension());
    return file == null ? Long.MAX_VALUE : file.size();
  }

  /**
   * Does one step.
   *
   * @return number of packs merged; 0 if there is nothing to do
   * @throws IOException if the step failed, or its outcome is unknown; nothing is lost
   */
  int run() throws IOException {
    Manifest manifest = repository.committer().validate().manifest();
    return merge(manifest, due(manifest.ownPacks()), NullProgressMonitor.INSTANCE);
  }

  /**
   * Does one step during a collection, unless few packs came after the collection began. If several
   * processes do so at once, all but one give up.
   *
   * @param collected generation of the manifest whose packs are collected
   * @return number of packs merged
   * @throws IOException as {@link #run()}
   */
  int runBeside(long collected) throws IOException {
    Manifest manifest = repository.committer().validate().manifest();
    List<PackEntry> since =
        manifest.ownPacks().stream()
            .filter(pack -> ObjectNames.mintedAt(pack.id()) > collected)
            .toList();
    long most = mostObjects(Runtime.getRuntime().maxMemory());
    List<PackEntry> due = due(since, ENOUGH_BESIDE_COLLECTION, most);
    return merge(manifest, due, NullProgressMonitor.INSTANCE);
  }

  /**
   * Merges packs, and drops no object: in a fork, objects that its template has as well stay until
   * the fork is detached.
   *
   * @param manifest manifest that lists them
   * @param due packs to merge, none of which is of a template
   * @param monitor receives progress; may cancel
   * @return number of packs merged
   * @throws IOException as {@link #run()}
   */
  int merge(Manifest manifest, List<PackEntry> due, ProgressMonitor monitor) throws IOException {
    if (due.isEmpty()) {
      return 0;
    }
    try (RepositoryVersion version =
        new RepositoryVersion(
            repository, manifest, new RefView(Refs.NONE, RefTable.EMPTY), S3ObjDatabase::new)) {
      DfsPackCompactor compactor = new DfsPackCompactor(version);
      for (DfsPackFile pack : version.getObjectDatabase().getPacks()) {
        String file = pack.getPackDescription().getFileName(PackExt.PACK);
        if (due.stream().anyMatch(entry -> file.startsWith(entry.id()))) {
          compactor.add(pack);
        }
      }
      compactor.compact(monitor);
    }
    return due.size();
  }
}
