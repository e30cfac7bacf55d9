// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

/** State of a repository. Times are milliseconds since the epoch, by the clock of the writer. */
public sealed interface RepositoryState {
  /**
   * An import is making the repository, and it has no name yet.
   *
   * @param since time of its last commit
   */
  record Importing(long since) implements RepositoryState {}

  /**
   * A repository that can be read and written by its name.
   *
   * @param name the name that it says; it has the name if the name's pointer leads to it
   */
  record Active(RepositoryName name) implements RepositoryState {}

  /**
   * A tombstone, for good. It keeps a late copy of the first write from making the repository
   * again.
   *
   * @param since time of the deletion; 0 for a repository that was never made
   */
  record Deleted(long since) implements RepositoryState {}
}
