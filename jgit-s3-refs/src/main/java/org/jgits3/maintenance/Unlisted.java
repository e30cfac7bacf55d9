// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.util.HashSet;
import java.util.OptionalLong;
import java.util.Set;
import org.jgits3.manifest.LiveObject;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ObjectNames;

/**
 * The objects that one manifest rules out for good: named at or before its boundary and not listed
 * by it, so that no later manifest lists them either. One that was named after the boundary may be
 * listed yet, be it by a push that is still being made.
 *
 * @param boundary the manifest's sweep boundary
 * @param listed keys that it lists
 */
record Unlisted(long boundary, Set<String> listed) {
  /** Copies the set. */
  Unlisted {
    listed = Set.copyOf(listed);
  }

  /** No object at all. */
  static final Unlisted NOTHING = new Unlisted(-1, Set.of());

  /** What a manifest rules out. */
  static Unlisted by(Manifest manifest) {
    Set<String> keys = new HashSet<>();
    LiveObject.of(manifest).forEach(object -> keys.add(object.key()));
    return new Unlisted(manifest.boundary(), keys);
  }

  /** Whether an object is ruled out; never one without a minted name. */
  boolean contains(String key) {
    OptionalLong minted = ObjectNames.mintedAtOf(key);
    return minted.isPresent() && minted.getAsLong() <= boundary && !listed.contains(key);
  }
}
