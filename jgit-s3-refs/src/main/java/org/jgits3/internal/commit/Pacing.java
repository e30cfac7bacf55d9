// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Pauses of a committer. They give every writer its turn and spare the store; correctness does not
 * depend on their length.
 *
 * <p>The winner of a write holds the fresh version and needs only a PUT for its next commit, where
 * every other writer needs a GET first. If losers backed off exponentially, a busy writer would
 * starve a light one (simulated: p99 of 5.5 s against 0.5 s). So losers pause briefly, and winners
 * yield: for up to one GET and PUT while others are seen to compete, and for windows at generations
 * that are multiples of a power of eight, longer at rarer ones, so that slow and distant writers
 * get in as well. A winner cannot see losers, so one that has met no competitor for a long time
 * yields, too, for at most a twentieth of its time.
 *
 * <p>Times are nanoseconds. Used by one thread at a time.
 */
public final class Pacing {
  private static final long MILLISECOND = 1_000_000;
  private static final long MAX_WINDOW = 1_000 * MILLISECOND;
  private static final long MAX_BACKOFF = 5_000 * MILLISECOND;
  private static final int COMPETITION_MEMORY = 16;

  /**
   * Generations without a commit of another writer after which a winner assumes that it is alone.
   */
  private static final int ALONE = 4096;

  /**
   * At multiples of this, a winner that is alone yields for three requests, to let in a near
   * writer.
   */
  private static final int NEAR_EVERY = 128;

  /** At multiples of this, it yields for sixteen requests, to let in a distant writer. */
  private static final int DISTANT_EVERY = 512;

  private static final int WINDOW_BITS = 3;

  private final RandomGenerator random;
  private long request = MILLISECOND;
  private long wonAt;
  private long wonGeneration = -1;
  private long competedAt = Long.MIN_VALUE / 2;

  /** Repetitions since an attempt was last decided. */
  private int repeats;

  public Pacing(RandomGenerator random) {
    this.random = random;
  }

  /** Learns that an attempt was decided, and how long that took. */
  void took(long nanos) {
    repeats = 0;
    request += (Math.max(nanos, 1) - request) / 4;
  }

  /** Learns that a commit was acknowledged. */
  void won(long generation, long now) {
    wonGeneration = generation;
    wonAt = now;
  }

  /** Pause after a refused attempt, before the reread: brief, and never growing. */
  public long afterLoss() {
    return upTo(Math.min(request, 50 * MILLISECOND));
  }

  /**
   * Pause before an attempt is repeated: exponential, because many clients retry while a store
   * fails.
   *
   * @param least least pause that the store asked for
   */
  public long beforeRepeat(Duration least) {
    long limit = Math.min((20 * MILLISECOND) << Math.min(repeats++, 10), MAX_BACKOFF);
    return Math.max(least.toNanos(), upTo(limit));
  }

  /**
   * Pause before a commit on top of a generation; none unless we made that generation ourselves.
   */
  long beforeCommit(long base, long now) {
    if (base != wonGeneration) {
      competedAt = wonGeneration >= 0 ? base : competedAt;
      return 0;
    }
    long window = base - competedAt <= ALONE ? windowAmongOthers(base) : windowAlone(base);
    return Math.max(0, Math.min(window, MAX_WINDOW) - (now - wonAt));
  }

  private long windowAmongOthers(long base) {
    long cycle = 2 * request;
    long window = base - competedAt <= COMPETITION_MEMORY ? upTo(cycle) : 0;
    int rarity = Long.numberOfTrailingZeros(base) / WINDOW_BITS;
    return rarity == 0 ? window : Math.max(window, cycle << Math.min(2 * (rarity - 1), 8));
  }

  private long windowAlone(long base) {
    if (base % DISTANT_EVERY == 0) {
      return 16 * request;
    }
    return base % NEAR_EVERY == 0 ? 3 * request : 0;
  }

  private long upTo(long limit) {
    return random.nextLong(limit + 1);
  }
}
