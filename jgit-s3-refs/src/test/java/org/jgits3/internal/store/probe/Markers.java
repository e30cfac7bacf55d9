// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.probe;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jgits3.store.ObjectStore;

/** Spares a test the full probe of a store that is known to be good. */
public final class Markers {
  private Markers() {}

  /**
   * Leaves the marker that a full probe leaves.
   *
   * @param store the store
   * @param service what was probed; empty if there is nothing to probe
   * @throws IOException if it cannot be written
   */
  public static void mark(ObjectStore store, Optional<String> service) throws IOException {
    if (service.isPresent()) {
      ProbeMarker.leave(store, service.get(), new ProbeReport(store.location(), List.of()));
    }
  }
}
