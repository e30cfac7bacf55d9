// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jgits3.store.ObjectStore;

/**
 * The commit loop of one repository in one process: all its changes go through here, and all its
 * readers share the manifest held here.
 *
 * <p>Safe for use by many threads.
 */
public final class ManifestCommitter implements Closeable {
  /**
   * A committer for one name. Does no request.
   *
   * @param store where the manifest is
   * @param name repository
   * @param policy how long to try
   */
  public ManifestCommitter(ObjectStore store, RepositoryName name, CommitPolicy policy) {}

  /**
   * The newest manifest this process has seen, without asking the store. Its generation never goes
   * back.
   *
   * @return the manifest; empty before the first {@link #validate} or {@link #commit}
   */
  public Optional<VersionedManifest> cached() {
    throw new UnsupportedOperationException();
  }

  /**
   * The manifest as of some moment after this call began: one conditional GET, shared with callers
   * that arrived before it was sent.
   *
   * @return the manifest of an active repository
   * @throws ManifestException.Gone if the name stands for no active repository, or for another life
   *     of the name than the one first seen here
   * @throws IOException if the manifest cannot be read
   */
  public VersionedManifest validate() throws IOException {
    throw new UnsupportedOperationException();
  }

  /**
   * Commits a change, possibly in one PUT with others. Blocks until it is decided.
   *
   * @param <R> type of the verdict
   * @param change the change
   * @return its verdict, which rests on a write acknowledged or a validation started after this
   *     call
   * @throws UnknownOutcomeException if the deadline passed first
   * @throws ManifestException if the manifest does not allow the change
   * @throws IOException if the store refused, or {@link Change#propose} failed
   */
  public <R> R commit(Change<R> change) throws IOException {
    throw new UnsupportedOperationException(change.toString());
  }

  /**
   * Calls a listener whenever a newer manifest was committed here or observed, with the one before
   * (null at first) and the new one, in order of generation, on the thread that learned of it.
   *
   * @param listener called without locks held; must be quick and not throw
   */
  public void onChange(BiConsumer<Manifest, Manifest> listener) {
    throw new UnsupportedOperationException(listener.toString());
  }

  /** Waits for the batch in flight and refuses further changes. */
  @Override
  public void close() {}
}
