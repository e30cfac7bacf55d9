// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.time.Duration;
import java.util.OptionalLong;

/**
 * The answers of the store that a look-up relies on, told by the moment at which the store was
 * asked. If the newest answer that the process has is none of them, the store is asked again.
 * Updates are always decided on the newest state.
 */
@FunctionalInterface
public interface Freshness {
  /** No earlier answer: the look-up sees every update that was acknowledged before it began. */
  Freshness ALWAYS = asked -> false;

  /** All that the process knows, from its own updates or because another look-up asked. */
  Freshness KNOWN = asked -> true;

  /**
   * Tests whether an answer will do.
   *
   * @param asked moment at which the store was asked, a reading of {@link System#nanoTime}; empty
   *     if something is known, but the store was not asked for it
   * @return true if it will
   */
  boolean accepts(OptionalLong asked);

  /**
   * Answers to questions since a moment, such as the beginning of a request: all look-ups of the
   * request ask once.
   *
   * @param moment a reading of {@link System#nanoTime}
   * @return those answers
   */
  static Freshness since(long moment) {
    return asked -> asked.isPresent() && asked.getAsLong() - moment >= 0;
  }

  /**
   * Answers that are not too old.
   *
   * @param age the greatest age of what a look-up sees
   * @return those answers
   */
  static Freshness within(Duration age) {
    return asked -> asked.isPresent() && System.nanoTime() - asked.getAsLong() <= age.toNanos();
  }

  /**
   * Answers that either accepts.
   *
   * @param other the other
   * @return those answers
   */
  default Freshness or(Freshness other) {
    return asked -> accepts(asked) || other.accepts(asked);
  }
}
