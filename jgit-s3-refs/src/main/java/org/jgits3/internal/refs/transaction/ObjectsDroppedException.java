// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.transaction;

import java.io.IOException;
import java.util.Set;
import java.util.function.Supplier;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.manifest.Manifest;

/**
 * Garbage was removed after the updater of refs first looked for an object, so objects that the
 * refs would lead to may be gone. Nothing was changed.
 */
public final class ObjectsDroppedException extends IOException {
  private static final long serialVersionUID = 1;

  private final transient Set<ObjectId> tips;

  private ObjectsDroppedException(Set<ObjectId> tips) {
    super("objects were removed by a garbage collection meanwhile; nothing was done, try again");
    this.tips = tips;
  }

  /**
   * Checks that no garbage was removed, if a change makes refs point to objects.
   *
   * @param base manifest to change
   * @param tips gives the ids that the changed refs will point to
   * @param seen generation of a manifest that was known before the first look for an object
   * @throws ObjectsDroppedException if garbage was removed since that generation
   */
  static void check(Manifest base, Supplier<Set<ObjectId>> tips, long seen)
      throws ObjectsDroppedException {
    if (base.dropped() > seen && !tips.get().isEmpty()) {
      throw new ObjectsDroppedException(tips.get());
    }
  }

  /** Objects that the refs were to point to. */
  public Set<ObjectId> tips() {
    return tips;
  }
}
