// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.lib.ObjectId;

/**
 * Value of one ref in an overlay.
 *
 * <p>{@link Tombstone} hides the ref of the snapshot; {@link Direct} replaces or adds it.
 */
@JsonDeserialize(using = StoredValues.OverlayValue.class)
public sealed interface RefValue {
  /**
   * Stored form.
   *
   * @return an id, a tag's id with that of its object, or null
   */
  @JsonValue
  @Nullable
  Object stored();

  /** The ref was deleted since the snapshot. */
  record Tombstone() implements RefValue {
    @Override
    public Object stored() {
      return null;
    }
  }

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

    @Override
    public Object stored() {
      return peeled.isEmpty() ? id : List.of(id, peeled.get());
    }
  }

  /** The one instance of {@link Tombstone} that is needed. */
  RefValue DELETED = new Tombstone();
}
