// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.follow;

import com.google.gerrit.entities.Change;
import com.google.gerrit.entities.Project;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Changes of projects that have too many for one round, in which nothing else is followed. Each
 * round takes some. Used by one thread.
 */
final class WaitingChanges {
  /** Maximum number of changes in a round. */
  static final int MOST = 200;

  private final Map<Project.NameKey, Set<Change.Id>> waiting = new LinkedHashMap<>();

  /** Those that wait because they could not be followed. */
  private final Set<Change.Id> failed = new HashSet<>();

  /** Creates an empty set of changes. */
  WaitingChanges() {}

  /** Adds changes of a project, behind those that wait. */
  void add(Project.NameKey project, Collection<Change.Id> changes) {
    put(project, changes);
    changes.forEach(failed::remove);
  }

  /** Adds changes that were taken and could not be followed, to be tried again. */
  void putBack(Project.NameKey project, Collection<Change.Id> changes) {
    put(project, changes);
    failed.addAll(changes);
  }

  private void put(Project.NameKey project, Collection<Change.Id> changes) {
    if (!changes.isEmpty()) {
      waiting.computeIfAbsent(project, p -> new LinkedHashSet<>()).addAll(changes);
    }
  }

  /** Removes the changes of a project. */
  void remove(Project.NameKey project) {
    Set<Change.Id> changes = waiting.remove(project);
    if (changes != null) {
      changes.forEach(failed::remove);
    }
  }

  /** Removes the changes for one round. */
  Map<Project.NameKey, Collection<Change.Id>> take() {
    Map<Project.NameKey, Collection<Change.Id>> taken = new LinkedHashMap<>();
    int left = MOST;
    for (Project.NameKey project : List.copyOf(waiting.keySet())) {
      if (left == 0) {
        break;
      }
      Set<Change.Id> changes = waiting.remove(project);
      List<Change.Id> some = changes.stream().limit(left).toList();
      some.forEach(changes::remove);
      some.forEach(failed::remove);
      put(project, changes); // behind the other projects
      taken.put(project, some);
      left -= some.size();
    }
    return taken;
  }

  /** Projects of the changes that wait. */
  Set<Project.NameKey> projects() {
    return waiting.keySet();
  }

  /** Tests whether a change was not taken yet. */
  boolean hasUntried() {
    return waiting.values().stream().anyMatch(changes -> !failed.containsAll(changes));
  }

  /** Projects of which a change waits because it could not be followed. */
  Set<Project.NameKey> failing() {
    return waiting.entrySet().stream()
        .filter(its -> failed.stream().anyMatch(its.getValue()::contains))
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }
}
