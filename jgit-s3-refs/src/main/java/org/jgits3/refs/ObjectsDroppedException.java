// SPDX-License-Identifier: Apache-2.0
package org.jgits3.refs;

import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.manifest.Manifest;

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
   * Makes sure that nothing was removed, if a change of refs makes some lead to objects.
   *
   * @param base manifest to change
   * @param tips what the changed refs are to point to; empty if that is too much to be looked at
   * @param seen generation of a manifest that was known before the first look for an object
   * @throws ObjectsDroppedException if something was
   */
  static void check(Manifest base, Optional<Set<ObjectId>> tips, long seen)
      throws ObjectsDroppedException {
    if (base.dropped() > seen && (tips.isEmpty() || !tips.get().isEmpty())) {
      throw new ObjectsDroppedException(tips);
    }
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
