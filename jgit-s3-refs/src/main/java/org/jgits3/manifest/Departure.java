// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.util.ArrayList;
import java.util.List;

/**
 * Note, kept with a name, that a repository was renamed away from it. A name keeps its departures
 * whatever it stands for later. They lead from any former name of a repository to its current one,
 * and reveal a copy of the store that lacks the new name.
 *
 * @param repositoryId the repository that left
 * @param to its new name
 * @param reserved generation at which that name was reserved for it; a manifest of that name which
 *     is not later does not know of the rename
 */
@JsonFormat(shape = JsonFormat.Shape.ARRAY)
public record Departure(
    @JsonDeserialize(using = StoredValues.RepositoryId.class) String repositoryId,
    String to,
    long reserved) {
  /** Most departures that a name keeps: as many as fit into the longest tombstone. */
  public static final int KEPT = 4;

  /** Adds a departure; only the last of each repository is kept. */
  public static List<Departure> and(List<Departure> left, Departure last) {
    List<Departure> all = new ArrayList<>(without(left, last.repositoryId()));
    all.add(last);
    return all.subList(Math.max(0, all.size() - KEPT), all.size());
  }

  /** Removes the departures of a repository that has come back to the name. */
  public static List<Departure> without(List<Departure> left, String repositoryId) {
    return left.stream().filter(d -> !d.repositoryId().equals(repositoryId)).toList();
  }
}
