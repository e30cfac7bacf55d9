// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.internal.refs.table.RefNames;
import org.jgits3.manifest.RefValue;

/**
 * Record of the questions that a transaction asked of the refs it was decided on. Changes that
 * would not alter an answer leave the decision valid. Used by one thread.
 */
public final class ReadSet {
  private final Set<String> values = new HashSet<>();
  private final Set<String> existence = new HashSet<>();
  private final Set<String> directories = new HashSet<>();

  /** Names whose own directories were tested: one entry for each, as a name may have thousands. */
  private final TreeSet<String> inside = new TreeSet<>();

  private final Map<String, Set<ObjectId>> expected = new HashMap<>();

  /** Notes that the value of a ref was read. */
  void value(String name) {
    values.add(name);
  }

  /** Notes that the existence of a ref was tested. */
  void existence(String name) {
    existence.add(name);
  }

  /** Notes that the refs in a directory were listed. */
  void directory(String name) {
    directories.add(name);
  }

  /** Notes that the existence of all directories of a name was tested. */
  void inside(String name) {
    inside.add(name);
  }

  /** Notes that a ref was compared with an id; zero stands for no ref. */
  void expected(String name, ObjectId id) {
    expected.computeIfAbsent(name, n -> new HashSet<>(2)).add(id);
  }

  /**
   * Tests whether a change could alter the decision of the transaction.
   *
   * @param name ref that was changed
   * @param before its value at the decision
   * @param now its value now
   * @return false if the decision would be the same
   */
  public boolean concerns(
      String name, Optional<RefValue.Direct> before, Optional<RefValue.Direct> now) {
    Set<ObjectId> ids = expected.getOrDefault(name, Set.of());
    boolean noticed =
        ids.contains(RefEdits.idOrZero(before)) || ids.contains(RefEdits.idOrZero(now));
    boolean came = before.isPresent() != now.isPresent();
    return values.contains(name)
        || noticed
        || (came && existence.contains(name))
        || (came && isAboveTested(name))
        || (came && RefNames.directory(name, directories::contains).isPresent());
  }

  private boolean isAboveTested(String name) {
    String below = name + '/';
    String first = inside.ceiling(below);
    return first != null && first.startsWith(below);
  }
}
