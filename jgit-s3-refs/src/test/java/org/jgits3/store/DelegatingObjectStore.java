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

  /**
   * Reads a range. The listener is told of its bytes afterwards, so a subclass may change them.
   *
   * @param range the range
   * @return version the bytes came from
   * @throws IOException as the store
   */
  protected ObjectVersion read(ReadRequest range) throws IOException {
    return super.read(range, ReadListener.IGNORED);
  }

  @Override
  public ObjectVersion read(ReadRequest range, ReadListener listener) throws IOException {
    ObjectVersion version = read(range);
    listener.begins(version);
    listener.until(range.dstOffset() + range.length());
    return version;
  }
}
