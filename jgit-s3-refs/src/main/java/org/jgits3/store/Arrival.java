// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

/**
 * Learns how a read goes on, so that its bytes can be looked at while others are still on their
 * way. Called by the thread that reads: what takes long here delays the read.
 */
@FunctionalInterface
public interface Arrival {
  /** Wants to know nothing. */
  Arrival IGNORED = end -> {};

  /**
   * The store has answered, and bytes follow from the beginning of the slice. Once for a read, also
   * if its connection breaks, since it goes on where it broke. Called again only if it cannot: it
   * broke before the first byte, or the object was replaced and any version will do. What arrived
   * before counts no more then.
   *
   * @param version version of the object
   */
  default void begins(Validator version) {}

  /**
   * More bytes are in the array, right after those there were. Each is told of once, unless the
   * read {@linkplain #begins begins} again.
   *
   * @param end where in the array those end that are there; the end of the slice at last
   */
  void until(int end);
}
