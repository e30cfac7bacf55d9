// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jgit.errors.NotSupportedException;
import org.eclipse.jgit.internal.storage.dfs.DfsObjDatabase.PackSource;
import org.eclipse.jgit.internal.storage.dfs.DfsOutputStream;
import org.eclipse.jgit.internal.storage.pack.PackExt;
import org.jgits3.internal.pack.file.PackOutput;
import org.jgits3.internal.pack.file.S3PackDescription;
import org.jgits3.internal.pack.file.SpillDirectory;
import org.jgits3.manifest.ObjectNames;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Packs that are written through one handle, from the first file of each until it is committed or
 * rolled back. Safe for use by many threads.
 */
final class NewPacks {
  private static final Logger LOG = LoggerFactory.getLogger(NewPacks.class);

  /** Files that a pack is listed with. */
  private static final Set<PackExt> KEPT =
      Set.of(
          PackExt.PACK,
          PackExt.INDEX,
          PackExt.REVERSE_INDEX,
          PackExt.BITMAP_INDEX,
          PackExt.COMMIT_GRAPH,
          PackExt.OBJECT_SIZE_INDEX);

  /** Sources of packs that are read back while they are written. */
  private static final Set<PackSource> READ_BACK = Set.of(PackSource.INSERT, PackSource.RECEIVE);

  private final SharedPacks.Resources resources;

  /** Packs that no manifest may list yet, with the threads that write them. */
  private final Map<S3PackDescription, Thread> writing = new ConcurrentHashMap<>();

  NewPacks(SharedPacks.Resources resources) {
    this.resources = resources;
  }

  /** Begins a pack. */
  void begin(S3PackDescription pack) {
    writing.put(pack, Thread.currentThread());
  }

  /** Begins a file of a pack. A received or inserted pack can be read while it is written. */
  DfsOutputStream write(S3PackDescription pack, PackExt ext) throws IOException {
    boolean readBack = ext == PackExt.PACK && READ_BACK.contains(pack.getPackSource());
    return write(pack, ext, readBack ? Optional.of(resources.spills()) : Optional.empty());
  }

  /** Begins a file of a pack, for a caller that never reads it while it is written. */
  DfsOutputStream writeWithoutReading(S3PackDescription pack, PackExt ext) throws IOException {
    return write(pack, ext, Optional.empty());
  }

  private DfsOutputStream write(
      S3PackDescription pack, PackExt ext, Optional<SpillDirectory> readBackIn) throws IOException {
    checkKept(pack, ext);
    pack.finish();
    String key = key(pack, ext.getExtension());
    long estimate = ext == PackExt.PACK ? pack.getEstimatedPackSize() : 0;
    return new PackOutput(pack, ext, () -> resources.uploads().begin(key, estimate), readBackIn);
  }

  private static String key(S3PackDescription pack, String extension) {
    return ObjectNames.packKey(pack.owner(), pack.id(), extension);
  }

  private static void checkKept(S3PackDescription pack, PackExt ext) throws NotSupportedException {
    if (!KEPT.contains(ext)) {
      throw new NotSupportedException(
          pack.getFileName(ext)
              + " is not kept here: refs are in the manifest, and each pack has an index of its own");
    }
  }

  /** Checks that a manifest can list a pack with all its files. */
  static void checkWhole(S3PackDescription pack) throws NotSupportedException {
    for (PackExt ext : PackExt.values()) {
      if (pack.hasFileExt(ext)) {
        checkKept(pack, ext);
      }
    }
    if (pack.hasFileExt(PackExt.PACK) && !pack.hasFileExt(PackExt.INDEX)) {
      throw new NotSupportedException(pack.id() + " is a pack without an index, and not listed");
    }
  }

  /** Completes all files of a pack, which then may be listed. */
  void complete(S3PackDescription pack) throws IOException {
    pack.writeHeld(resources.store());
    resources.files().written(pack);
  }

  /** Notes that manifests may list packs from now on, so that a roll-back leaves their files. */
  void end(List<S3PackDescription> packs) {
    packs.forEach(writing::remove);
  }

  /**
   * Aborts uploads of packs, and deletes their files. Also aborts other uploads of this thread that
   * were closed and not completed: JGit's collector does not name the pack at which it failed, and
   * other uploads may wait for the memory of that upload.
   *
   * @param packs the packs; the files of those that have {@linkplain #end ended} stay
   */
  void rollBack(List<S3PackDescription> packs) {
    for (S3PackDescription pack : packs) {
      if (writing.remove(pack) != null) {
        discard(pack);
      }
    }
    writing.forEach(
        (pack, thread) -> {
          if (thread == Thread.currentThread()) {
            abandon(pack);
          }
        });
  }

  /** Aborts all uploads that are still open. */
  void abandonAll() {
    writing.keySet().forEach(NewPacks::abandon);
  }

  private static void abandon(S3PackDescription pack) {
    try {
      pack.abandon();
    } catch (IOException e) {
      LOG.warn("upload of pack {} was not aborted, a sweep will: {}", pack.id(), e.getMessage());
    }
  }

  /** Aborts the uploads of a pack, and deletes its files. */
  void discard(S3PackDescription pack) {
    try {
      pack.abandon();
      resources
          .store()
          .delete(pack.objects().stream().map(extension -> key(pack, extension)).toList());
    } catch (IOException e) {
      LOG.warn("files of pack {} were not deleted, a sweep will: {}", pack.id(), e.getMessage());
    }
  }
}
