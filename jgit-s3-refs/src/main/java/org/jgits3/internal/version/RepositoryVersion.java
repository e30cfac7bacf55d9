// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.version;

import java.io.IOException;
import org.eclipse.jgit.internal.storage.dfs.DfsReaderOptions;
import org.eclipse.jgit.internal.storage.dfs.DfsRepository;
import org.eclipse.jgit.internal.storage.dfs.DfsRepositoryBuilder;
import org.eclipse.jgit.internal.storage.dfs.DfsRepositoryDescription;
import org.eclipse.jgit.lib.RefDatabase;
import org.eclipse.jgit.lib.StoredConfig;
import org.eclipse.jgit.util.FS;
import org.jgits3.internal.pack.S3ObjDatabase;
import org.jgits3.internal.pack.SharedPacks;
import org.jgits3.internal.pack.VersionPacks;
import org.jgits3.internal.refs.snapshot.SnapshotTables;
import org.jgits3.manifest.Manifest;

/**
 * Repository handle of maintenance: refs and packs of one manifest, not changed by commits of
 * others. The caller closes it.
 */
public final class RepositoryVersion extends DfsRepository {
  private final StoredConfig config;
  private final RefDatabase refs;
  private final VersionPacks packs;
  private final S3ObjDatabase objects;

  /** Creates the objects of a handle. */
  @FunctionalInterface
  public interface Objects {
    /**
     * Creates them.
     *
     * @param repository the handle
     * @param options how readers read
     * @param packs packs of the manifest
     * @return the objects
     */
    S3ObjDatabase of(DfsRepository repository, DfsReaderOptions options, SharedPacks packs);
  }

  /**
   * Opens a handle.
   *
   * @param repository the repository
   * @param manifest manifest with the refs and packs
   * @throws IOException if the refs cannot be read
   */
  public RepositoryVersion(MaintenanceTarget repository, Manifest manifest) throws IOException {
    this(
        repository,
        manifest,
        SnapshotTables.read(repository.store(), manifest),
        S3ObjDatabase::new);
  }

  /**
   * Opens a handle with the given refs and object database.
   *
   * @param repository the repository
   * @param manifest manifest with the packs
   * @param refs refs of the manifest; none if none are asked for
   * @param objects creates the object database of the manifest's packs
   */
  public RepositoryVersion(
      MaintenanceTarget repository, Manifest manifest, RefDatabase refs, Objects objects) {
    super(new Builder(repository.name()));
    this.config = repository.config().get();
    this.refs = refs;
    this.packs = new VersionPacks(repository.packs(), repository.committer(), manifest);
    this.objects = objects.of(this, new DfsReaderOptions().fromConfig(config), packs);
  }

  /** Builder that {@link DfsRepository} requires. */
  private static final class Builder extends DfsRepositoryBuilder<Builder, RepositoryVersion> {
    Builder(String name) {
      setRepositoryDescription(new DfsRepositoryDescription(name));
      setBare();
      setFS(FS.DETECTED); // as every repository of JGit has one
    }

    @Override
    public RepositoryVersion build() {
      throw new UnsupportedOperationException("made by maintenance");
    }
  }

  @Override
  public S3ObjDatabase getObjectDatabase() {
    return objects;
  }

  @Override
  public RefDatabase getRefDatabase() {
    return refs;
  }

  @Override
  public StoredConfig getConfig() {
    return config;
  }

  /** Returns true, because there is a manifest. */
  @Override
  public boolean exists() {
    return true;
  }

  @Override
  protected void doClose() {
    super.doClose();
    packs.close();
  }
}
