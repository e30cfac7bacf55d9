// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.io.Closeable;
import java.util.Optional;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.manifest.Manifest;

/**
 * The packs of one manifest, for maintenance. Commits by others do not change them. Shares no state
 * with the handles of users. Safe for use by many threads.
 */
public class VersionPacks extends SharedPacks implements Closeable {
  private final Manifest manifest;

  /**
   * Creates the packs of a manifest.
   *
   * @param packs packs that the handles of users share; only their store, uploads and caches are
   *     used
   * @param committer commit loop of the repository
   * @param manifest manifest that lists them
   */
  public VersionPacks(SharedPacks packs, ManifestCommitter committer, Manifest manifest) {
    super(packs, committer);
    this.manifest = manifest;
  }

  @Override
  Manifest manifest() {
    return manifest;
  }

  /** Does nothing: an object that is not in these packs is missing. */
  @Override
  void refresh() {}

  /** Returns this one: a collection packs all objects that its refs lead to. */
  @Override
  Optional<Manifest> collected() {
    return Optional.of(manifest);
  }

  /** Releases their indexes and the manifest. */
  @Override
  public void close() {
    retire();
  }
}
