// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import java.io.Closeable;
import java.io.IOException;
import java.util.SortedSet;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.transport.resolver.RepositoryResolver;
import org.jgits3.store.ObjectStore;

/**
 * All repositories of one store, shared by everything in the process: open, create, list, rename
 * and delete.
 *
 * <p>Handles of one repository share its manifest, its refs and its pack indexes, so that opening
 * is cheap. Safe for use by many threads.
 */
public final class S3RepositoryManager implements Closeable {
  /**
   * Opens the store the settings describe, probes it, and manages its repositories.
   *
   * @param settings what the administrator set
   * @return the manager, to be closed
   * @throws IOException if the store cannot be used, with the name of the failed check
   */
  public static S3RepositoryManager open(S3Settings settings) throws IOException {
    throw new UnsupportedOperationException(settings.toString());
  }

  /**
   * Manages the repositories of a store that was opened, and probed, by the caller.
   *
   * @param store the store; closed with the manager
   * @param settings what the administrator set
   */
  public S3RepositoryManager(ObjectStore store, S3Settings settings) {}

  /**
   * Opens a repository.
   *
   * @param name its name; a trailing {@code .git} is ignored
   * @return a handle, to be closed by the caller
   * @throws RepositoryNotFoundException if there is none, or the name is not allowed
   * @throws IOException if its manifest cannot be read
   */
  public S3Repository openRepository(String name) throws IOException {
    throw new UnsupportedOperationException(name);
  }

  /**
   * Creates a repository with an unborn branch as {@code HEAD}.
   *
   * @param name its name
   * @return a handle, to be closed by the caller
   * @throws IOException if there is one already, the name is not allowed, or the store refuses
   */
  public S3Repository createRepository(String name) throws IOException {
    throw new UnsupportedOperationException(name);
  }

  /**
   * Names of all repositories.
   *
   * @return names without {@code .git}, sorted
   * @throws IOException if the store does not answer
   */
  public SortedSet<String> list() throws IOException {
    throw new UnsupportedOperationException();
  }

  /**
   * Renames a repository. Handles that are open fail from then on.
   *
   * @param from its name
   * @param to name it will have
   * @throws IOException as {@link org.jgits3.manifest.Bindings#rename}
   */
  public void rename(String from, String to) throws IOException {
    throw new UnsupportedOperationException(from);
  }

  /**
   * Deletes a repository. Handles that are open fail from then on.
   *
   * @param name its name
   * @throws IOException as {@link org.jgits3.manifest.Bindings#delete}
   */
  public void delete(String name) throws IOException {
    throw new UnsupportedOperationException(name);
  }

  /**
   * This manager as the resolver of any JGit server.
   *
   * @param <C> type of the server's connection
   * @return a resolver that opens existing repositories
   */
  public <C> RepositoryResolver<C> asResolver() {
    throw new UnsupportedOperationException();
  }

  /**
   * The store.
   *
   * @return the store all repositories are in
   */
  public ObjectStore store() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {}
}
