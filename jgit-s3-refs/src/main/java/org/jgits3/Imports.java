// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import java.io.IOException;
import java.util.Optional;
import org.jgits3.internal.catalog.RepositoryCatalog;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.manifest.VersionedManifest;

/**
 * Repositories in the making: each has no name until it is whole. One whose import has died is
 * deleted by a sweep. Safe for use by many threads.
 */
public final class Imports {
  private final S3RepositoryManager manager;
  private final RepositoryCatalog catalog;

  Imports(S3RepositoryManager manager, RepositoryCatalog catalog) {
    this.manager = manager;
    this.catalog = catalog;
  }

  /**
   * Creates a repository without a name, for an import to fill. No other handle can be opened until
   * it is {@linkplain #publish published}; if the import dies, a sweep deletes it.
   *
   * @param template true if it is to become a template
   * @return a handle, to be closed by the caller
   * @throws IOException as {@link S3RepositoryManager#createRepository}
   */
  public S3Repository create(boolean template) throws IOException {
    long began = System.nanoTime();
    VersionedManifest created =
        catalog.createImport(template, S3RepositoryManager.SETTINGS, manager.unborn());
    SharedRepository repository =
        manager.shared(Optional.empty(), created.manifest().repositoryId());
    repository.refs().created(created, began);
    return new S3Repository(
        repository, manager.settings(), Purpose.ANY.or(manager.settings().freshness()), false);
  }

  /**
   * Gives a name to the repository of an import. The handle that filled it cannot be used any more.
   *
   * @param made handle of {@link #create}
   * @param name name that stands for no repository
   * @throws ManifestException.Exists if there is a repository of that name; the import stays
   * @throws ManifestException.Gone if the repository of the import was deleted meanwhile
   * @throws UnknownOutcomeException if it is not known whether it has the name
   * @throws IOException as {@link RepositoryCatalog#publish}
   */
  public void publish(S3Repository made, RepositoryName name) throws IOException {
    String repositoryId = made.manifest().repositoryId();
    catalog.publish(repositoryId, name);
    manager.begun(name, repositoryId);
  }

  /**
   * Deletes the repository of an import that has no name yet.
   *
   * @param made handle of {@link #create}
   * @throws IOException as {@link RepositoryCatalog#deleteImport}
   */
  public void delete(S3Repository made) throws IOException {
    catalog.deleteImport(made.manifest().repositoryId());
  }

  /**
   * Makes the repository of an import a template, in one write. Its content never changes from then
   * on, and it can be forked once it has its name. Fails if others have changed it, so that a
   * template holds only what its import has written.
   *
   * @param made handle of {@link #create}
   * @param whole its manifest when it was complete
   * @throws ManifestException if it has changed since it was complete
   * @throws UnknownOutcomeException if it is not known whether it was done
   * @throws IOException if the store does not answer or refuses
   */
  public void freeze(S3Repository made, Manifest whole) throws IOException {
    made.shared()
        .committer()
        .<Boolean>commit(
            base -> {
              if (!base.content().equals(whole.content())) {
                throw new ManifestException(
                    made.shared().label()
                        + ": was changed by others while it was made a template; nothing was made"
                        + " of it, repeat the command",
                    null);
              }
              Manifest.Template itself =
                  new Manifest.Template(base.repositoryId(), base.generation());
              return Proposal.edit(base.withTemplate(Optional.of(itself)), true);
            });
  }
}
