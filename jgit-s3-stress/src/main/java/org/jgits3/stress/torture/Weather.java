// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.torture;

import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jgits3.bench.proxy.HttpMessage;

/**
 * Faults of some seconds: how many requests meet one, and which there are.
 *
 * @param share share of the requests that meet a fault, from 0 to 1
 * @param faults the faults that they meet, each as often as the others
 * @param refuses whether connections are refused
 */
record Weather(double share, Set<Fault> faults, boolean refuses) {
  static final Weather CALM = new Weather(0, Set.of(), false);

  private static final List<Weather> ALL =
      List.of(
          new Weather(0.01, honest(), false),
          new Weather(0.05, honest(), false),
          new Weather(0.05, honest(), false),
          new Weather(0.15, honest(), false),
          new Weather(0.6, EnumSet.of(Fault.UNAVAILABLE), false),
          new Weather(0.4, EnumSet.of(Fault.DELAYED, Fault.SLOW_ANSWER), false),
          new Weather(0.3, EnumSet.of(Fault.LOST_REPLY, Fault.FAILED_AFTER, Fault.LATE), false),
          new Weather(0.3, EnumSet.of(Fault.CONFLICT, Fault.DOUBLED, Fault.REPEATED), false),
          new Weather(0.2, EnumSet.of(Fault.FAILED_IN_SUCCESS, Fault.GATEWAY), false),
          new Weather(0.2, EnumSet.of(Fault.CUT_ANSWER, Fault.SHORTENED, Fault.FLIPPED_BIT), false),
          new Weather(1, EnumSet.of(Fault.RESET), true));

  private static Set<Fault> honest() {
    return EnumSet.complementOf(EnumSet.copyOf(Fault.LIES));
  }

  /** That of a store that lies about some writes, which must be found out; deletions are rare. */
  static Weather lying(Fault lie) {
    return new Weather(lie == Fault.LIE_ABOUT_NAME ? 0.5 : 0.1, EnumSet.of(lie), false);
  }

  /** Draws the next one. */
  static Weather next(RandomGenerator random) {
    return ALL.get(random.nextInt(ALL.size()));
  }

  /** Draws the fault of a request; empty for none. */
  Optional<Fault> fault(RandomGenerator random, HttpMessage request) {
    if (random.nextDouble() >= share || request.target().contains("/probe/")) {
      return Optional.empty(); // a store that is being judged is shown as it is
    }
    List<Fault> fitting = faults.stream().filter(fault -> fault.fits(request)).toList();
    return fitting.isEmpty()
        ? Optional.empty()
        : Optional.of(fitting.get(random.nextInt(fitting.size())));
  }
}
