// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import java.util.Optional;

/** State of a name. Only {@link Active} repositories can be read or written. */
public sealed interface RepositoryState {
  /**
   * A repository.
   *
   * @param importOf while an import is making it, the name that it will get; a rename clears it
   */
  record Active(Optional<String> importOf) implements RepositoryState {}

  /**
   * A rename has begun; writers are fenced. Anyone may finish it.
   *
   * @param to name the repository will have
   * @param rename id of the rename, to tell it from others between the two names
   * @param reserved generation at which the new name was reserved; a manifest of that name which is
   *     not later, in a copy of the store say, does not know of the rename
   */
  record Moving(String to, String rename, long reserved) implements RepositoryState {}

  /**
   * A tombstone left by a rename.
   *
   * @param to name that the repository was renamed to
   */
  record Moved(String to) implements RepositoryState {}

  /** A tombstone left by a delete. */
  record Deleted() implements RepositoryState {}

  /**
   * A name reserved for a repository that is being renamed to it. It cannot be taken while that
   * rename can still be finished.
   *
   * @param from name that the repository is being renamed from
   * @param rename id of the rename, to tell it from others between the two names
   */
  record Reserved(String from, String rename) implements RepositoryState {}

  /** A repository that no import is making. */
  RepositoryState ACTIVE = new Active(Optional.empty());

  /** The one instance of {@link Deleted} that is needed. */
  RepositoryState DELETED = new Deleted();
}
