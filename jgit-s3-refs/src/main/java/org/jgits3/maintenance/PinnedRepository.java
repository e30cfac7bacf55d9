// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.util.function.Function;
import org.eclipse.jgit.internal.storage.dfs.DfsRepository;
import org.eclipse.jgit.internal.storage.dfs.DfsRepositoryBuilder;
import org.eclipse.jgit.internal.storage.dfs.DfsRepositoryDescription;
import org.eclipse.jgit.lib.RefDatabase;
import org.eclipse.jgit.lib.StoredConfig;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.pack.S3ObjDatabase;

/**
 * A handle of maintenance's own: refs and packs of one manifest, whatever others commit meanwhile.
 * Closed by whoever made it.
 */
final class PinnedRepository extends DfsRepository {
  private final StoredConfig config;
  private final RefDatabase refs;
  private final S3ObjDatabase objects;

  /**
   * A handle.
   *
   * @param name name of the repository
   * @param config its configuration
   * @param refs refs of the manifest
   * @param objects makes the objects of the manifest's packs
   */
  PinnedRepository(
      RepositoryName name,
      StoredConfig config,
      RefDatabase refs,
      Function<DfsRepository, S3ObjDatabase> objects) {
    super(new Builder(name.value()));
    this.config = config;
    this.refs = refs;
    this.objects = objects.apply(this);
  }

  /** What {@link DfsRepository} wants to be built from. */
  private static final class Builder extends DfsRepositoryBuilder<Builder, PinnedRepository> {
    Builder(String name) {
      setRepositoryDescription(new DfsRepositoryDescription(name));
      setBare();
    }

    @Override
    public PinnedRepository build() {
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

  /** True: there is a manifest. */
  @Override
  public boolean exists() {
    return true;
  }
}
