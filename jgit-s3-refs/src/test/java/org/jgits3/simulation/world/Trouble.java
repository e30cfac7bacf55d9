// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation.world;

import java.util.SplittableRandom;

/**
 * Share of requests in a thousand that go wrong in one way or another.
 *
 * @param lost applied, and the answer is lost
 * @param refused not applied, and the store says that it is busy
 * @param late applied, if at all, long after its caller was told that nothing is known
 * @param twice applied again on the way to the store, with the answer of the second
 * @param unread reads that fail
 * @param pauses pauses of up to two minutes
 * @param deaths processes that die at a request
 */
record Trouble(int lost, int refused, int late, int twice, int unread, int pauses, int deaths) {
  static final Trouble NONE = new Trouble(0, 0, 0, 0, 0, 0, 0);

  /** Trouble of one run: each kind is there in some runs only. */
  static Trouble of(SplittableRandom random) {
    return new Trouble(
        some(random, 150),
        some(random, 150),
        some(random, 150),
        some(random, 80),
        some(random, 60),
        some(random, 60),
        some(random, 20));
  }

  private static int some(SplittableRandom random, int most) {
    return random.nextInt(5) < 2 ? 0 : random.nextInt(most);
  }

  Trouble withoutCopies() {
    return new Trouble(lost, refused, late, 0, unread, pauses, deaths);
  }
}
