// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import java.io.IOException;
import java.util.Optional;
import org.jgits3.store.SharedRequest;

/**
 * GETs of a manifest, one at a time, each shared by all who arrived before it was sent.
 *
 * <p>Safe for use by many threads.
 */
final class SharedValidation {
  private final ManifestFile file;
  private final LatestManifest latest;
  private final SharedRequest<VersionedManifest> reads;

  SharedValidation(ManifestFile file, LatestManifest latest) {
    this.file = file;
    this.latest = latest;
    this.reads = new SharedRequest<>(file.toString(), this::read);
  }

  /** The manifest as of some moment after this call began. */
  VersionedManifest validate() throws IOException {
    return reads.get();
  }

  private VersionedManifest read() throws IOException {
    long asOf = latest.arrivals();
    Optional<LatestManifest.Seen> known = latest.get();
    return latest.accept(
        known.isPresent()
            ? file.refresh(known.get().manifest(), ManifestFile.AS_LONG_AS_ANY)
            : file.read(),
        asOf);
  }
}
