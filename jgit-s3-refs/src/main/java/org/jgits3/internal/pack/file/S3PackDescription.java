// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.file;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.eclipse.jgit.internal.storage.dfs.DfsObjDatabase.PackSource;
import org.eclipse.jgit.internal.storage.dfs.DfsPackDescription;
import org.eclipse.jgit.internal.storage.dfs.DfsRepositoryDescription;
import org.eclipse.jgit.internal.storage.pack.PackExt;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.PackFileEntry;
import org.jgits3.store.Crc32c;
import org.jgits3.store.ObjectStore;

/**
 * Pack as JGit sees it, with the data that only the manifest has: its minted name, and the place
 * and checksum of each file.
 *
 * <p>While a pack is written, the writing thread adds files, and any thread may abandon it. Once it
 * is listed it never changes.
 */
public final class S3PackDescription extends DfsPackDescription {
  /** Maximum bytes of a bundle. Larger files of a pack are objects of their own. */
  static final int MAX_BUNDLE = 1 << 20;

  private final String id;

  /** Id of the repository under which the files are stored. */
  private final String owner;

  /** Files whose place in the store is known. */
  private final Map<PackExt, PackFileEntry> files = new EnumMap<>(PackExt.class);

  private final Optional<PackEntry> listed;

  /** Files that are not in the store yet, in the order in which they go into the bundle. */
  private final Map<PackExt, byte[]> held = new EnumMap<>(PackExt.class);

  /** Extensions of the objects that may exist in the store. */
  private final Set<String> objects = new HashSet<>();

  private Optional<byte[]> checksums = Optional.empty();
  private int room = MAX_BUNDLE;
  private volatile boolean pushed;

  /** Pack file that JGit has closed, but that may be incomplete. Guarded by this. */
  private Optional<PackOutput> ended = Optional.empty();

  private boolean abandoned; // guarded by this

  /**
   * Creates the description of a new pack.
   *
   * @param repository names the pack to JGit
   * @param owner id of the repository
   * @param id minted name
   * @param source kind of pack
   */
  public S3PackDescription(
      DfsRepositoryDescription repository, String owner, String id, PackSource source) {
    super(repository, id, source);
    this.id = id;
    this.owner = owner;
    this.listed = Optional.empty();
  }

  /**
   * Creates the description of a pack that a manifest lists.
   *
   * @param repository names the pack to JGit, whose cache tells packs apart by it
   * @param owner id of the repository under which it is stored
   * @param entry its entry
   */
  public S3PackDescription(DfsRepositoryDescription repository, String owner, PackEntry entry) {
    super(repository, entry.id(), PackSource.valueOf(entry.source()));
    this.id = entry.id();
    this.owner = owner;
    this.listed = Optional.of(entry);
    entry.files().forEach(this::add);
    setLastModified(entry.lastModified());
    setObjectCount(entry.objects());
    setDeltaCount(entry.deltas());
  }

  private void add(String extension, PackFileEntry file) {
    for (PackExt ext : PackExt.values()) {
      if (ext.getExtension().equals(extension)) { // others are of a later JGit, and left alone
        addFileExt(ext);
        setFileSize(ext, file.size());
        files.put(ext, file);
      }
    }
  }

  public String id() {
    return id;
  }

  /** Id of the repository under which the files are stored: its own, or that of a template. */
  public String owner() {
    return owner;
  }

  /** Place of a file; empty if the pack has no file of that kind. */
  Optional<PackFileEntry> file(PackExt ext) {
    return Optional.ofNullable(files.get(ext));
  }

  /** Length of the bundle in bytes; 0 if there is none. */
  long bundleSize() {
    return PackEntry.bundleSize(files.values());
  }

  /** Bytes that the bundle can still take. */
  int roomInBundle() {
    return room;
  }

  private static int range(PackExt ext) {
    return ext == PackExt.PACK ? RangeChecksums.RANGE : 0;
  }

  /** Sets the checksums to be stored behind the index, once the pack file was written. */
  void checksums(byte[] stored) {
    checksums = Optional.of(stored);
  }

  /** Checksums behind the index of a pack that this process has written. */
  Optional<byte[]> checksums() {
    return checksums;
  }

  /** Holds a file for the bundle. */
  void hold(PackExt ext, byte[] bytes) {
    held.put(ext, bytes);
    room -= bytes.length;
    setFileSize(ext, bytes.length);
  }

  /** Notes that a file is an object of its own in the store. */
  void stored(PackExt ext, long size, int crc32c) {
    objects.add(ext.getExtension());
    files.put(ext, new PackFileEntry(size, range(ext), crc32c, -1));
    setFileSize(ext, size);
  }

  /** Sets the pack file, which JGit has closed. */
  synchronized void ended(PackOutput output) {
    ended = Optional.of(output);
  }

  /**
   * Completes a streamed pack file, when JGit continues with other files or commits the pack.
   *
   * @throws IOException if the existence of the file is not certain, or it was abandoned
   */
  public synchronized void finish() throws IOException {
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
   * Abandons the pack file if it was closed and not finished.
   *
   * @throws IOException if parts may be left in the store, for a sweep to find
   */
  public synchronized void abandon() throws IOException {
    if (ended.isPresent()) {
      PackOutput output = ended.get();
      ended = Optional.empty();
      abandoned = true;
      output.abandon();
    }
  }

  /**
   * Writes the held files in one object, which completes the pack in the store.
   *
   * @param to target of the object
   * @throws IOException if the store does not answer or refuses
   */
  public void writeHeld(ObjectStore to) throws IOException {
    held.keySet().removeIf(ext -> !hasFileExt(ext)); // begun by JGit, and not wanted any more
    if (held.isEmpty()) {
      return;
    }
    if (held.size() == 1) {
      PackExt only = held.keySet().iterator().next();
      byte[] bytes = held.get(only);
      stored(only, bytes.length, Crc32c.of(bytes));
      to.put(ObjectNames.packKey(owner, id, only.getExtension()), bytes, 0, bytes.length);
    } else {
      objects.add(ObjectNames.BUNDLE);
      byte[] bytes = bundle();
      to.put(ObjectNames.packKey(owner, id, ObjectNames.BUNDLE), bytes, 0, bytes.length);
    }
    held.clear();
  }

  /** Joins all held files, and notes the place of each. */
  private byte[] bundle() {
    ByteArrayOutputStream bundle = new ByteArrayOutputStream(MAX_BUNDLE - room);
    held.forEach(
        (ext, bytes) -> {
          int crc32c = Crc32c.of(bytes);
          files.put(ext, new PackFileEntry(bytes.length, range(ext), crc32c, bundle.size()));
          bundle.writeBytes(bytes);
        });
    return bundle.toByteArray();
  }

  /** Marks the pack as pushed, so that it may wait for a ref update. */
  public void pushed() {
    pushed = true;
  }

  public boolean wasPushed() {
    return pushed;
  }

  /** Extensions of the objects that may exist in the store. */
  public Set<String> objects() {
    return objects;
  }

  /** Entry of this pack for a manifest. */
  public PackEntry toEntry() {
    if (listed.isPresent()) {
      return listed.get();
    }
    TreeMap<String, PackFileEntry> entries = new TreeMap<>();
    files.forEach(
        (ext, file) -> {
          if (hasFileExt(ext)) {
            entries.put(ext.getExtension(), file);
          }
        });
    return new PackEntry(
        id,
        getPackSource().name(),
        entries,
        getLastModified(),
        getObjectCount(),
        getDeltaCount(),
        Map.of());
  }
}
