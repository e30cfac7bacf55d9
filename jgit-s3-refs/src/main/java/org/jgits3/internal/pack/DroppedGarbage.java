// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.eclipse.jgit.internal.storage.dfs.DfsObjDatabase.PackSource;
import org.eclipse.jgit.internal.storage.dfs.DfsRepository;
import org.eclipse.jgit.internal.storage.file.PackIndex;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.internal.function.IoFunction;
import org.jgits3.internal.pack.file.S3PackDescription;

/** Tells the packs of garbage that a collection drops from those that it keeps or repacks. */
final class DroppedGarbage {
  private DroppedGarbage() {}

  /**
   * Finds packs of garbage with an object that none of the new packs has. A collection drops
   * expired garbage and repacks other garbage; only the new packs tell which it did.
   *
   * @param leaving packs that are replaced
   * @param added packs that replace them
   * @param indexes reads the index of a pack
   * @return those of the packs that are replaced
   */
  static Set<S3PackDescription> of(
      List<S3PackDescription> leaving,
      List<S3PackDescription> added,
      IoFunction<S3PackDescription, PackIndex> indexes)
      throws IOException {
    List<S3PackDescription> garbage =
        leaving.stream().filter(p -> p.getPackSource() == PackSource.UNREACHABLE_GARBAGE).toList();
    Set<S3PackDescription> dropped = new HashSet<>(garbage);
    if (garbage.isEmpty()) {
      return dropped;
    }
    List<PackIndex> kept = new ArrayList<>();
    for (S3PackDescription pack : added) {
      kept.add(indexes.apply(pack));
    }
    for (S3PackDescription pack : garbage) {
      if (haveAll(kept, indexes.apply(pack))) {
        dropped.remove(pack);
      }
    }
    return dropped;
  }

  private static boolean haveAll(List<PackIndex> packs, PackIndex objects) {
    for (PackIndex.MutableEntry object : objects) {
      ObjectId id = object.toObjectId();
      if (packs.stream().noneMatch(pack -> pack.hasObject(id))) {
        return false;
      }
    }
    return true;
  }

  /**
   * Finds the packs of garbage that {@code gc.pruneExpire} keeps. The collection of this library
   * keeps them anyway, but JGit's {@code Git.gc()} would drop garbage that is a day old.
   */
  static Set<S3PackDescription> unexpired(Set<S3PackDescription> garbage, DfsRepository repository)
      throws IOException {
    if (garbage.isEmpty()) {
      return Set.of();
    }
    String name = repository.getDescription().getRepositoryName();
    GarbageExpiry expiry = GarbageExpiry.of(repository.getConfig(), name);
    return garbage.stream()
        .filter(pack -> !expiry.isOver(pack.getLastModified()))
        .collect(Collectors.toSet());
  }
}
