// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;
import java.time.Duration;
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

  /**
   * Range of an object to read.
   *
   * @param key object to read
   * @param offset first byte of the range
   * @param dst array that receives the bytes
   * @param at index in {@code dst} of the first byte
   * @param length bytes to read
   * @param expected version the bytes must have; empty for any
   */
  @SuppressWarnings("ArrayRecordComponent") // filled, never compared
  public record Range(
      String key, long offset, byte[] dst, int at, int length, Optional<ObjectVersion> expected) {}

  /**
   * Reads a range. The listener is told of its bytes afterwards, so a subclass may change them.
   *
   * @param range the range
   * @return version the bytes came from
   * @throws IOException as the store
   */
  protected ObjectVersion read(Range range) throws IOException {
    return super.read(
        range.key,
        range.offset,
        range.dst,
        range.at,
        range.length,
        range.expected,
        ReadListener.IGNORED);
  }

  @Override
  public ObjectVersion read(
      String key,
      long offset,
      byte[] dst,
      int dstOffset,
      int length,
      Optional<ObjectVersion> expected,
      ReadListener listener)
      throws IOException {
    ObjectVersion version = read(new Range(key, offset, dst, dstOffset, length, expected));
    listener.begins(version);
    listener.until(dstOffset + length);
    return version;
  }
}
