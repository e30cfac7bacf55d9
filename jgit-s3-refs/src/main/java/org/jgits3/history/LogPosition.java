// SPDX-License-Identifier: Apache-2.0
package org.jgits3.history;

import java.util.Objects;

/**
 * Position up to which a follower has read the history of a repository.
 *
 * @param repositoryId id of the repository, because the name of a deleted repository can be reused
 * @param generation generation up to which all transactions have been read
 */
public record LogPosition(String repositoryId, long generation) {
  public LogPosition {
    Objects.requireNonNull(repositoryId, "repositoryId");
  }
}
