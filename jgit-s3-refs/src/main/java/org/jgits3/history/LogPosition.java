// SPDX-License-Identifier: Apache-2.0
package org.jgits3.history;

import java.util.Objects;

/**
 * How far somebody has read the history of a repository.
 *
 * @param repositoryId life of the repository, since a name that was deleted can be used again
 * @param generation all transactions up to this generation have been read
 */
public record LogPosition(String repositoryId, long generation) {
  /** Checks that the life is given. */
  public LogPosition {
    Objects.requireNonNull(repositoryId, "repositoryId");
  }
}
