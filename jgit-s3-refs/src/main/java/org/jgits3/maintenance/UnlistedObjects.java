// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.util.HashSet;
import java.util.OptionalLong;
import java.util.Set;
import org.jgits3.manifest.LiveObject;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ObjectNames;

/**
 * Objects that one manifest rules out for good: named at or before its boundary and not listed by
 * it, so that no later manifest lists them either. An object named after the boundary may still be
 * listed, even by a push that is under way.
 *
 * @param sweepBoundary the manifest's sweep boundary
 * @param listed keys of the repository that it lists
 */
record UnlistedObjects(long sweepBoundary, Set<String> listed) {
  UnlistedObjects {
    listed = Set.copyOf(listed);
  }

  /** No object at all. */
  static final UnlistedObjects NOTHING = new UnlistedObjects(-1, Set.of());

  /** Objects that a manifest rules out. */
  static UnlistedObjects by(Manifest manifest) {
    Set<String> keys = new HashSet<>();
    LiveObject.of(manifest).forEach(object -> keys.add(object.key()));
    String own = ObjectNames.prefix(manifest.repositoryId());
    keys.removeIf(key -> !key.startsWith(own)); // those of a fork's template
    return new UnlistedObjects(manifest.sweepBoundary(), keys);
  }

  /** Tests whether an object is ruled out; an object without a minted name never is. */
  boolean contains(String key) {
    OptionalLong minted = ObjectNames.mintedAtOf(key);
    return minted.isPresent() && minted.getAsLong() <= sweepBoundary && !listed.contains(key);
  }
}
