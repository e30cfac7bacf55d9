// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.util.ArrayList;
import java.util.List;

/**
 * Note under a name about a repository that was renamed away from it. A name keeps its departures
 * whatever it stands for later, so that a repository can be followed from any name it ever had, and
 * a copy of the store that lacks the new name is noticed.
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
  /** Departures that a name keeps. So many fit into the longest tombstone. */
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
