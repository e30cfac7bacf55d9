// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.manifest.RefValue;

/**
 * What a transaction has found out of the refs it was decided on, so that changes of other refs, or
 * changes that it would not have noticed, leave the decision valid. Used by one thread.
 */
public final class Looks {
  private final Set<String> values = new HashSet<>();
  private final Set<String> existence = new HashSet<>();
  private final Set<String> directories = new HashSet<>();
  private final Map<String, Set<ObjectId>> expected = new HashMap<>();

  /** The value of a ref was asked for. */
  void value(String name) {
    values.add(name);
  }

  /** It was asked if a ref exists. */
  void existence(String name) {
    existence.add(name);
  }

  /** It was asked which refs are in a directory. */
  void directory(String name) {
    directories.add(name);
  }

  /** It was asked if a ref points to an object; to none for zero. */
  void expected(String name, ObjectId id) {
    expected.computeIfAbsent(name, n -> new HashSet<>(2)).add(id);
  }

  /**
   * Tells if a transaction could be decided in another way because of a change.
   *
   * @param name ref that was changed
   * @param before its value then
   * @param now its value now
   * @return false if it would be decided alike
   */
  public boolean concerns(
      String name, Optional<RefValue.Direct> before, Optional<RefValue.Direct> now) {
    Set<ObjectId> ids = expected.getOrDefault(name, Set.of());
    boolean noticed =
        ids.contains(RefEdits.idOrZero(before)) || ids.contains(RefEdits.idOrZero(now));
    boolean came = before.isPresent() != now.isPresent();
    return values.contains(name)
        || noticed
        || (came && (existence.contains(name) || inDirectory(name)));
  }

  private boolean inDirectory(String name) {
    for (int slash = name.lastIndexOf('/'); slash > 0; slash = name.lastIndexOf('/', slash - 1)) {
      if (directories.contains(name.substring(0, slash))) {
        return true;
      }
    }
    return false;
  }
}
