// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import java.util.Objects;
import java.util.Optional;
import org.eclipse.jgit.lib.ObjectId;

/**
 * What an overlay says of one ref.
 *
 * <p>{@link Tombstone} hides the ref of the snapshot; {@link Direct} replaces or adds it.
 */
public sealed interface RefValue {
  /** The ref was deleted since the snapshot. */
  record Tombstone() implements RefValue {}

  /**
   * The ref points to an object.
   *
   * @param id object the ref points to
   * @param peeled object an annotated tag leads to; empty if {@code id} is no tag
   */
  record Direct(ObjectId id, Optional<ObjectId> peeled) implements RefValue {
    /** Checks that both are there. */
    public Direct {
      Objects.requireNonNull(id, "id");
      Objects.requireNonNull(peeled, "peeled");
    }
  }

  /** The one instance of {@link Tombstone} that is needed. */
  RefValue DELETED = new Tombstone();
}
