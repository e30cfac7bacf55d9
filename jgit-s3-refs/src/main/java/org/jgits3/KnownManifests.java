// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import java.io.IOException;
import java.util.Optional;
import java.util.function.Predicate;
import org.jgits3.history.StoreHistory;
import org.jgits3.internal.commit.ManifestFile;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;

/**
 * Manifests of all repositories: a known one is returned if it has the newest version, and
 * validated otherwise; any other one is read.
 */
final class KnownManifests implements StoreHistory.Manifests {
  private final ObjectStore store;
  private final KnownRepositories repositories;

  KnownManifests(ObjectStore store, KnownRepositories repositories) {
    this.store = store;
    this.repositories = repositories;
  }

  /** Validates the repository that is known by the name, which serves its handles too. */
  @Override
  public Optional<VersionedManifest> read(
      String repositoryId, Optional<String> name, Predicate<ObjectVersion> newest)
      throws IOException {
    Optional<SharedRepository> known =
        name.flatMap(each -> known(repositoryId, each)).filter(each -> !each.committer().isGone());
    if (known.isEmpty()) {
      return ManifestFile.read(store, repositoryId);
    }
    Optional<VersionedManifest> cached = known.get().committer().cached();
    if (cached.isPresent() && newest.test(cached.get().version())) {
      return cached;
    }
    try {
      known.get().refs().validate();
      return known.get().committer().cached();
    } catch (ManifestException.Gone e) {
      return ManifestFile.read(store, repositoryId);
    }
  }

  private Optional<SharedRepository> known(String repositoryId, String name) {
    return repositories
        .find(new RepositoryName(name))
        .filter(each -> each.repositoryId().equals(Optional.of(repositoryId)));
  }

  @Override
  public boolean isOwn(String repositoryId, String name, long generation) {
    return known(repositoryId, name)
        .filter(each -> each.committer().hasCommitted(generation))
        .isPresent();
  }
}
