// SPDX-License-Identifier: Apache-2.0
package org.jgits3.history;

import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jgits3.history.StoreCursor.Entry;

/**
 * Changes of repositories that are handled together, because a name went from one to the other.
 *
 * @param changes the changes, those that free a name before those that take it; none if nothing but
 *     a version changed
 * @param updates what the next cursor has of these repositories
 */
record ChangeGroup(List<RepositoryChange> changes, Updates updates) {
  /** Entries of the next cursor. Refers to no manifest, because it is kept until a poll ends. */
  static final class Updates {
    private final Map<String, Optional<Entry>> entries = new LinkedHashMap<>();

    /** Ids, and names after a slash, which no id has. */
    private final Set<String> keys = new HashSet<>();

    private volatile boolean left;

    /**
     * Notes what the next cursor has of a repository.
     *
     * @param repositoryId id of the repository
     * @param before what the cursor of the poll has
     * @param after what the next one has; empty for nothing
     */
    void put(String repositoryId, Optional<Entry> before, Optional<Entry> after) {
      entries.put(repositoryId, after);
      keys.add(repositoryId);
      Stream.of(before, after)
          .flatMap(Optional::stream)
          .filter(entry -> !entry.name().isEmpty())
          .forEach(entry -> keys.add("/" + entry.name()));
    }

    /** Entries by the ids of the repositories. */
    Map<String, Optional<Entry>> entries() {
      return entries;
    }

    boolean isEmpty() {
      return entries.isEmpty();
    }

    /**
     * Tests whether the next cursor is not to have this, because it was left, or shares a
     * repository or a name with others that were.
     *
     * @param others repositories and names of the others; those of this are added if so
     */
    boolean isLeftWith(Set<String> others) {
      if (!left && Collections.disjoint(keys, others)) {
        return false;
      }
      others.addAll(keys);
      return true;
    }

    void leave() {
      left = true;
    }
  }
}
