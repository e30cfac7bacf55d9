// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.util.ArrayList;
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
@JsonFormat(shape = JsonFormat.Shape.ARRAY)
public record LogEntry(
    long generation,
    @JsonDeserialize(using = StoredValues.SignedLong.class) long time,
    @JsonDeserialize(using = StoredValues.SignedInt.class) int zone,
    String name,
    String email,
    String message,
    @JsonSetter(nulls = Nulls.FAIL) List<RefChange> changes,
    Optional<StoredObject> external) {
  /** Copies the list. */
  public LogEntry {
    changes = List.copyOf(changes);
  }

  /** Stored form, without absent fields at the end. */
  @JsonValue
  private List<Object> tuple() {
    List<Object> tuple = new ArrayList<>(List.of(generation, time, zone, name, email, message));
    tuple.add(changes);
    external.ifPresent(tuple::add);
    return tuple;
  }
}
