// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.util.ArrayList;
import java.util.List;

/**
 * A repository that was renamed away from a name. A name keeps the last of them whatever it stands
 * for later, so that the repository can be followed from any name it ever had, and a copy of the
 * store that lacks it is noticed.
 *
 * @param repositoryId the life that left
 * @param to name it has got
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

  /** The departures of a name after another one, of which only the last of each life counts. */
  public static List<Departure> and(List<Departure> left, Departure last) {
    List<Departure> all = new ArrayList<>(without(left, last.repositoryId()));
    all.add(last);
    return all.subList(Math.max(0, all.size() - KEPT), all.size());
  }

  /** The departures of a name to which a life has come back. */
  public static List<Departure> without(List<Departure> left, String repositoryId) {
    return left.stream().filter(d -> !d.repositoryId().equals(repositoryId)).toList();
  }
}
