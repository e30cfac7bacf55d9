// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

/**
 * Decides how many connections a read is worth besides its first, by what comes over them. Where a
 * connection is slow, as to S3, there are as many as may be at once. Where it is fast it depends on
 * both ends and the network whether more of them bring more, or only make more work: they are added
 * one at a time while each of them pays. Used by one thread at a time.
 */
final class Climb implements BothEnds.Pace {
  /**
   * Bytes per nanosecond, so GB/s. A connection to S3 has about a tenth of it, over loopback one
   * has two or three.
   */
  static final double SLOW = 1.0;

  /** How much more has to come with another connection than without, for it to stay. */
  static final double GAIN = 1.1;

  private final int most;
  private Step step = Step.BEGINNING;
  private int others;

  /** What came before the last connection was added, in bytes per nanosecond. */
  private double without;

  private enum Step {
    /** The first bytes are on their way, so that the rate says nothing unless it is slow. */
    BEGINNING,
    /** The rate is that of the connections there are. */
    MEASURED,
    /** A connection was added, and has yet to begin. */
    ADDED,
    /** The rate is that of one connection more. */
    TRIED,
    /** No more will be added, or taken away. */
    SETTLED
  }

  /**
   * Begins with no other connection.
   *
   * @param most other connections there may be, at least 1
   */
  Climb(int most) {
    this.most = most;
  }

  @Override
  public int others(long bytes, long nanos) {
    double rate = (double) bytes / Math.max(1, nanos);
    if (rate < SLOW) {
      step = Step.SETTLED;
      others = most;
      return others;
    }
    switch (step) {
      case BEGINNING -> step = Step.MEASURED;
      case MEASURED -> add(rate);
      case ADDED -> step = Step.TRIED;
      case TRIED -> {
        if (rate >= without * GAIN) {
          add(rate);
        } else {
          step = Step.SETTLED;
          others--;
        }
      }
      case SETTLED -> {}
    }
    return others;
  }

  private void add(double rate) {
    without = rate;
    step = others < most ? Step.ADDED : Step.SETTLED;
    others = Math.min(most, others + 1);
  }
}
