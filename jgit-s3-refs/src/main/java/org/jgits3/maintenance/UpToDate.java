// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.time.Instant;
import org.jgits3.manifest.VersionedManifest;

/**
 * Manifest of a repository on which one kind of maintenance has nothing left to do for some time.
 *
 * @param manifest the manifest
 * @param until moment from which there is something to do even if the manifest is still the newest,
 *     because something has become old enough; {@link Instant#MAX} for never
 */
public record UpToDate(VersionedManifest manifest, Instant until) {
  /**
   * Nothing is left to do as long as the manifest is the newest one.
   *
   * @param manifest the manifest
   * @return the state
   */
  public static UpToDate forGood(VersionedManifest manifest) {
    return new UpToDate(manifest, Instant.MAX);
  }
}
