// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import org.jgits3.manifest.Manifest;

/** Ways to learn whether a known manifest is still the current one. */
public enum ManifestReads {
  /** By its version: one conditional GET, whose answer has no body if it is. */
  VALIDATED,
  /**
   * By its bytes, for paths whose versions cannot be trusted: one GET whose body is compared with
   * the bytes of the known manifest, at most {@link Manifest#MAX_BYTES}, which are kept in memory
   * for that.
   */
  COMPARED,
  /** By its content, which is decoded every time: as {@link #COMPARED}, but nothing is kept. */
  DECODED
}
