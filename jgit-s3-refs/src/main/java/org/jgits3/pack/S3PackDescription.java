// SPDX-License-Identifier: Apache-2.0
package org.jgits3.pack;

import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.eclipse.jgit.internal.storage.dfs.DfsObjDatabase.PackSource;
import org.eclipse.jgit.internal.storage.dfs.DfsPackDescription;
import org.eclipse.jgit.internal.storage.dfs.DfsRepositoryDescription;
import org.eclipse.jgit.internal.storage.pack.PackExt;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.PackFileEntry;

/**
 * A pack as JGit sees it, with what only the manifest knows: its minted name and the checksum of
 * each file.
 *
 * <p>While a pack is written, the thread that writes it adds files, and any other may give it up;
 * once it is listed it never changes.
 */
final class S3PackDescription extends DfsPackDescription {
  private final String id;
  private final Map<PackExt, Integer> crc32c = new EnumMap<>(PackExt.class);
  private final Optional<PackEntry> listed;
  private boolean offered;

  /** The pack itself, closed by JGit; whether it is whole has not shown yet. Guarded by this. */
  private Optional<PackOutput> ended = Optional.empty();

  private boolean abandoned; // guarded by this

  /** A pack to be written. */
  S3PackDescription(DfsRepositoryDescription repository, String id, PackSource source) {
    super(repository, id, source);
    this.id = id;
    this.listed = Optional.empty();
  }

  /** A pack that a manifest lists. */
  S3PackDescription(DfsRepositoryDescription repository, PackEntry entry) {
    super(repository, entry.id(), PackSource.valueOf(entry.source()));
    this.id = entry.id();
    this.listed = Optional.of(entry);
    entry.files().forEach(this::add);
    setLastModified(entry.lastModified());
    setObjectCount(entry.objects());
    setDeltaCount(entry.deltas());
    setEstimatedPackSize(entry.estimatedSize());
    setIndexVersion(entry.indexVersion());
  }

  private void add(String extension, PackFileEntry file) {
    for (PackExt ext : PackExt.values()) {
      if (ext.getExtension().equals(extension)) { // others are of a later JGit, and left alone
        addFileExt(ext);
        setFileSize(ext, file.size());
        setBlockSize(ext, file.blockSize());
        crc32c.put(ext, file.crc32c());
      }
    }
  }

  String id() {
    return id;
  }

  Optional<Integer> crc32c(PackExt ext) {
    return Optional.ofNullable(crc32c.get(ext));
  }

  void written(PackExt ext, long size, int checksum) {
    setFileSize(ext, size);
    crc32c.put(ext, checksum);
  }

  /** Takes the pack itself, of which nothing more will come. */
  synchronized void ended(PackOutput output) {
    ended = Optional.of(output);
  }

  /**
   * Makes the pack itself exist, now that JGit goes on with other files of it or commits it.
   *
   * @throws IOException if it could not be made sure that it exists, or it was given up
   */
  synchronized void finish() throws IOException {
    if (abandoned) {
      throw new IOException("pack " + id + " was given up, nothing of it was committed");
    }
    if (ended.isPresent()) {
      PackOutput output = ended.get();
      ended = Optional.empty();
      abandoned = true; // unless it is whole
      output.finish();
      abandoned = false;
    }
  }

  /**
   * Gives up the pack itself if it was closed and not finished.
   *
   * @throws IOException if parts may be left in the store, for a sweep to find
   */
  synchronized void abandon() throws IOException {
    if (ended.isPresent()) {
      PackOutput output = ended.get();
      ended = Optional.empty();
      abandoned = true;
      output.abandon();
    }
  }

  /** Notes that a commit naming this pack was tried: its files may be listed from now on. */
  void offer() {
    offered = true;
  }

  boolean wasOffered() {
    return offered;
  }

  Map<PackExt, Integer> writtenFiles() {
    return crc32c;
  }

  /** What a manifest says of this pack. */
  PackEntry toEntry() {
    if (listed.isPresent()) {
      return listed.get();
    }
    TreeMap<String, PackFileEntry> files = new TreeMap<>();
    crc32c.forEach(
        (ext, crc) -> {
          if (hasFileExt(ext)) {
            files.put(
                ext.getExtension(),
                new PackFileEntry(getFileSize(ext), getBlockSize(ext), crc, -1));
          }
        });
    return new PackEntry(
        id,
        getPackSource().name(),
        files,
        getLastModified(),
        getObjectCount(),
        getDeltaCount(),
        getEstimatedPackSize(),
        getIndexVersion(),
        Map.of());
  }
}
