// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import java.util.List;
import java.util.Optional;

/**
 * One committed transaction in the log of a repository.
 *
 * @param generation generation it made
 * @param time milliseconds since the epoch by the writer's clock; information, never a decision
 * @param zone offset of the identity's time zone from UTC in minutes
 * @param name name of the identity
 * @param email address of the identity
 * @param message reflog message; empty for none
 * @param changes the refs that changed; empty if {@code external} holds them
 * @param external object with the changes of a batch too large for the manifest
 */
public record LogEntry(
    long generation,
    long time,
    int zone,
    String name,
    String email,
    String message,
    List<RefChange> changes,
    Optional<StoredObject> external) {
  /** Copies the list. */
  public LogEntry {
    changes = List.copyOf(changes);
  }
}
