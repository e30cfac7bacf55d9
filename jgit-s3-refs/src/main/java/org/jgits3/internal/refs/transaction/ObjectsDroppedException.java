// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.transaction;

import java.io.IOException;
import java.util.Set;
import org.eclipse.jgit.lib.ObjectId;

/**
 * Garbage was removed after the updater of refs first looked for an object, so objects that the
 * refs would lead to may be gone. Nothing was changed.
 */
public final class ObjectsDroppedException extends IOException {
  private static final long serialVersionUID = 1;

  private final transient Set<ObjectId> tips;

  ObjectsDroppedException(Set<ObjectId> tips) {
    super("objects were removed by a garbage collection meanwhile; nothing was done, try again");
    this.tips = tips;
  }

  /** Objects that the refs were to point to. */
  public Set<ObjectId> tips() {
    return tips;
  }
}
