// SPDX-License-Identifier: Apache-2.0
package org.jgits3.refs;

import java.io.IOException;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.manifest.RefValue;
import org.jgits3.manifest.Refs;

/**
 * Garbage was removed since the one who updates refs first looked for an object, so that what the
 * refs are to lead to may be gone. Nothing was changed.
 */
final class ObjectsDroppedException extends IOException {
  private static final long serialVersionUID = 1;

  private final transient Optional<Set<ObjectId>> tips;

  private ObjectsDroppedException(Optional<Set<ObjectId>> tips) {
    super("objects were removed by a garbage collection meanwhile; nothing was done, try again");
    this.tips = tips;
  }

  /**
   * Makes sure that nothing was removed, if a change of refs makes some lead to other objects.
   *
   * @param base manifest to change
   * @param next what becomes of it
   * @param seen generation of a manifest that was known before the first look for an object
   * @throws ObjectsDroppedException if something was
   */
  static void check(Manifest base, Manifest next, long seen) throws ObjectsDroppedException {
    if (base.dropped() <= seen) {
      return;
    }
    Optional<Set<ObjectId>> tips = newTips(base.refs(), next.refs());
    if (tips.isEmpty() || !tips.get().isEmpty()) {
      throw new ObjectsDroppedException(tips);
    }
  }

  private static Optional<Set<ObjectId>> newTips(Refs before, Refs after) {
    if (!before.snapshot().map(RefSnapshot::id).equals(after.snapshot().map(RefSnapshot::id))) {
      return Optional.empty();
    }
    Set<ObjectId> tips = new HashSet<>();
    for (Map.Entry<String, RefValue> e : after.overlay().entrySet()) {
      if (e.getValue() instanceof RefValue.Direct d
          && !d.equals(before.overlay().get(e.getKey()))) {
        tips.add(d.id());
      }
    }
    return Optional.of(tips);
  }

  /**
   * What the refs were to point to.
   *
   * @return the objects; empty if they are too many to be looked at again
   */
  Optional<Set<ObjectId>> tips() {
    return tips;
  }
}
