// SPDX-License-Identifier: Apache-2.0
package org.jgits3.pack;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsObjDatabase;
import org.eclipse.jgit.internal.storage.dfs.DfsOutputStream;
import org.eclipse.jgit.internal.storage.dfs.DfsPackDescription;
import org.eclipse.jgit.internal.storage.dfs.DfsPackFile;
import org.eclipse.jgit.internal.storage.dfs.DfsReader;
import org.eclipse.jgit.internal.storage.dfs.DfsReaderOptions;
import org.eclipse.jgit.internal.storage.dfs.DfsRepository;
import org.eclipse.jgit.internal.storage.dfs.ReadableChannel;
import org.eclipse.jgit.internal.storage.pack.PackExt;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectReader;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.PackFileEntry;
import org.jgits3.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Objects of one repository handle. The list of packs is that of the newest manifest the process
 * knows; a miss asks the store for a newer one. Safe for use by many threads.
 */
public class S3ObjDatabase extends DfsObjDatabase {
  private static final Logger LOG = LoggerFactory.getLogger(S3ObjDatabase.class);

  private final SharedPacks shared;

  /**
   * Version of the shared packs that the current list was made from, or the one being made. Written
   * by {@link #listPacks} only, which JGit never calls twice at once.
   */
  private volatile long scanned = -1;

  /** Packs begun through this handle and neither committed nor rolled back. */
  private final Set<S3PackDescription> writing = ConcurrentHashMap.newKeySet();

  /**
   * Objects of a handle.
   *
   * @param repository the handle
   * @param options how readers read
   * @param shared what all handles of the repository share
   */
  public S3ObjDatabase(DfsRepository repository, DfsReaderOptions options, SharedPacks shared) {
    super(repository, options);
    this.shared = shared;
  }

  void refresh() throws IOException {
    shared.refresh();
  }

  @Override
  public PackList getPackList() throws IOException {
    long version = shared.version();
    while (scanned < version) {
      clearCache();
      super.getPackList(); // possibly the list that another thread began to make before
    }
    return super.getPackList();
  }

  @Override
  public DfsReader newReader() {
    return new S3Reader(this);
  }

  /**
   * As documented by JGit. Asks only what this process knows: a writer that misses an object of
   * another process writes it once more, which is harmless, and cheaper than a request an object.
   */
  @Override
  public boolean has(AnyObjectId id, boolean avoidUnreachable) throws IOException {
    try (ObjectReader reader = new S3Reader(this).withoutRefresh()) {
      reader.setAvoidUnreachableObjects(avoidUnreachable);
      return reader.has(id);
    }
  }

  @Override
  protected List<DfsPackDescription> listPacks() throws IOException {
    shared.version();
    SharedPacks.Listing listing = shared.list();
    scanned = listing.version();
    List<DfsPackDescription> packs = new ArrayList<>();
    for (PackEntry entry : listing.packs()) {
      packs.add(new S3PackDescription(getRepository().getDescription(), entry));
    }
    return packs;
  }

  @Override
  public DfsPackFile createDfsPackFile(DfsBlockCache cache, DfsPackDescription pack) {
    String id = ((S3PackDescription) pack).id();
    return shared.packFile(id, i -> super.createDfsPackFile(cache, pack));
  }

  @Override
  protected S3PackDescription newPack(PackSource source) throws IOException {
    S3PackDescription pack =
        new S3PackDescription(getRepository().getDescription(), shared.mint(), source);
    pack.setLastModified(System.currentTimeMillis());
    writing.add(pack);
    return pack;
  }

  @Override
  protected DfsOutputStream writeFile(DfsPackDescription desc, PackExt ext) throws IOException {
    S3PackDescription pack = (S3PackDescription) desc;
    pack.finish();
    boolean readsBack =
        ext == PackExt.PACK
            && (pack.getPackSource() == PackSource.INSERT
                || pack.getPackSource() == PackSource.RECEIVE);
    String key = key(pack, ext.getExtension());
    return new PackOutput(
        pack,
        ext,
        () -> shared.uploads().begin(key),
        readsBack ? Optional.of(shared.spills()) : Optional.empty());
  }

  private String key(S3PackDescription pack, String extension) throws IOException {
    return ObjectNames.packKey(shared.manifest().repositoryId(), pack.id(), extension);
  }

  @Override
  protected ReadableChannel openFile(DfsPackDescription desc, PackExt ext) throws IOException {
    S3PackDescription pack = (S3PackDescription) desc;
    String key = key(pack, ext.getExtension());
    PackFileEntry file =
        pack.file(ext)
            .orElseThrow(() -> new StoreException.Missing(key, key + " is not listed", null));
    if (ext == PackExt.PACK && !file.bundled()) {
      return new PackChannel(shared.store(), key, file.size());
    }
    try {
      return new SideFileChannel(
          file.bundled()
              ? shared.bundles().read(key(pack, ObjectNames.BUNDLE), pack.bundleSize(), file)
              : shared.objects().read(key, file.size(), file.crc32c()));
    } catch (IOException e) {
      shared.forget(pack.id()); // JGit never tries a pack again once an index failed to load
      throw e;
    }
  }

  @Override
  protected void commitPackImpl(
      Collection<DfsPackDescription> added, Collection<DfsPackDescription> replaced)
      throws IOException {
    List<S3PackDescription> packs = ours(added);
    for (S3PackDescription pack : packs) {
      pack.finish();
      pack.writeHeld(shared.objects(), shared.manifest().repositoryId());
    }
    shared.commit(packs, replaced == null ? List.of() : ours(replaced));
    packs.forEach(writing::remove);
    clearCache();
  }

  private static List<S3PackDescription> ours(Collection<DfsPackDescription> packs) {
    return packs.stream().map(S3PackDescription.class::cast).toList();
  }

  /**
   * Aborts what is still being uploaded, and deletes the files of packs that no commit has named.
   * Once a commit was tried they stay, for the sweep to judge: its outcome may be unknown.
   */
  @Override
  protected void rollbackPack(Collection<DfsPackDescription> packs) {
    for (S3PackDescription pack : ours(packs)) {
      writing.remove(pack);
      if (!pack.wasOffered()) {
        discard(pack);
      }
    }
  }

  private void discard(S3PackDescription pack) {
    try {
      pack.abandon();
      List<String> keys = new ArrayList<>();
      for (String extension : pack.objects()) {
        keys.add(key(pack, extension));
      }
      if (!keys.isEmpty()) {
        shared.store().delete(keys);
      }
    } catch (IOException e) {
      LOG.warn("files of pack {} were not deleted, a sweep will: {}", pack.id(), e.getMessage());
    }
  }

  /** Also aborts uploads that JGit did not roll back, as its garbage collector may not. */
  @Override
  public void close() {
    for (S3PackDescription pack : writing) {
      try {
        pack.abandon();
      } catch (IOException e) {
        LOG.warn("upload of pack {} was not aborted, a sweep will: {}", pack.id(), e.getMessage());
      }
    }
    super.close();
  }

  @Override
  public Set<ObjectId> getShallowCommits() throws IOException {
    return shared.shallowCommits();
  }

  @Override
  public void setShallowCommits(Set<ObjectId> shallowCommits) throws IOException {
    shared.setShallowCommits(shallowCommits);
  }

  @Override
  public long getApproximateObjectCount() {
    try {
      Manifest manifest = shared.manifest();
      return manifest.packs().stream().mapToLong(PackEntry::objects).sum();
    } catch (IOException e) {
      LOG.debug("object count is unknown", e);
      return -1;
    }
  }
}
