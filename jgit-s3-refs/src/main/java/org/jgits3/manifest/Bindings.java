// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;
import org.jgits3.store.ObjectStore;

/** Creates, finds, lists, renames and deletes repositories: what a name is bound to. */
public final class Bindings {
  /**
   * The bindings of one store.
   *
   * @param store where the manifests are
   * @param policy how long to try
   */
  public Bindings(ObjectStore store, CommitPolicy policy) {}

  /**
   * Creates a repository under a name that stands for none, also over a tombstone.
   *
   * @param name its name
   * @param settings configuration to begin with
   * @param refs refs to begin with, {@code HEAD} among the symbolic ones
   * @return its first manifest
   * @throws ManifestException.Exists if there is one already
   * @throws UnknownOutcomeException if the deadline passed first
   * @throws IOException if the store does not answer or refuses
   */
  public VersionedManifest create(RepositoryName name, RepositorySettings settings, Refs refs)
      throws IOException {
    throw new UnsupportedOperationException(name.toString());
  }

  /**
   * What a name is bound to, tombstones included: one GET.
   *
   * @param name name to look up
   * @return its manifest; empty if the name was never used
   * @throws IOException if the manifest cannot be read
   */
  public Optional<VersionedManifest> read(RepositoryName name) throws IOException {
    throw new UnsupportedOperationException(name.toString());
  }

  /**
   * Lists the names of active repositories without reading their manifests.
   *
   * @param each called for every name, in no particular order
   * @throws IOException if the store does not answer or refuses
   */
  public void list(Consumer<RepositoryName> each) throws IOException {
    throw new UnsupportedOperationException(each.toString());
  }

  /**
   * Deletes a repository: turns its manifest into a tombstone. Its objects are swept later.
   *
   * @param name its name
   * @throws ManifestException.Gone if there is no such repository
   * @throws UnknownOutcomeException if the deadline passed first
   * @throws IOException if the store does not answer or refuses
   */
  public void delete(RepositoryName name) throws IOException {
    throw new UnsupportedOperationException(name.toString());
  }

  /**
   * Renames a repository, or finishes a rename that somebody began.
   *
   * @param from its name
   * @param to name it will have
   * @throws ManifestException.Gone if there is no repository {@code from}
   * @throws ManifestException.Exists if there is one called {@code to}
   * @throws UnknownOutcomeException if the deadline passed first; repeating the rename finishes it
   * @throws IOException if the store does not answer or refuses
   */
  public void rename(RepositoryName from, RepositoryName to) throws IOException {
    throw new UnsupportedOperationException(from.toString());
  }
}
