// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

/**
 * Listener to the progress of a read, for callers that process bytes while the rest is still being
 * received. Called by the thread that reads; a slow listener delays the read.
 */
@FunctionalInterface
public interface ReadListener {
  /** Listener that ignores the progress. */
  ReadListener IGNORED = end -> {};

  /**
   * Called when the store has answered and bytes follow from the beginning of the slice. Called
   * once for a read, even if its connection breaks, because the read resumes where it broke. Called
   * again only if it cannot resume: the connection broke before the first byte, or the object was
   * replaced and any version will do. Bytes that arrived before the second call are void.
   *
   * @param version version of the object
   */
  default void begins(ObjectVersion version) {}

  /**
   * Called when more bytes are in the array, directly after the earlier ones. Each byte is reported
   * once, unless the read {@linkplain #begins begins} again.
   *
   * @param end index in the array after the last byte received; finally the end of the slice
   */
  void until(int end);
}
