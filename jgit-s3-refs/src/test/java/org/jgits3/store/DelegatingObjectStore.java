// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.jgits3.internal.store.metrics.ObservedObjectStore;

/** A store that passes everything on, for subclasses that break one thing. */
public class DelegatingObjectStore extends ObservedObjectStore {
  /**
   * Passes requests on.
   *
   * @param store where to
   */
  public DelegatingObjectStore(ObjectStore store) {
    super(store, (kind, outcome, bytes, nanos) -> {});
  }

  /** Gets an object without the limit, so that subclasses override one method. */
  @Override
  public final GetResult get(String key, Optional<ObjectVersion> known, Duration limit)
      throws IOException {
    return get(key, known);
  }

  @Override
  public GetResult get(String key, Optional<ObjectVersion> known) throws IOException {
    return super.get(key, known, ChronoUnit.FOREVER.getDuration());
  }
}
