// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.jgits3.internal.store.s3.S3Failure.Kind;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.retries.api.BackoffStrategy;

/**
 * Repeats the requests to one store that can be repeated without harm, so that an outage of the
 * store is a delay and no failure. A request is given up when the deadline has passed since its
 * first failure; what it transfers in between begins the count anew.
 *
 * <p>Pauses grow from 50 ms to 4 s, with full jitter. Besides, all requests of the store together
 * have {@link #PER_SECOND} repetitions a second, conditional writes included, so that a failing
 * store is not stormed by those that wait for it, however many they are. A {@code Retry-After} is
 * honoured up to 4 s.
 *
 * <p>A store that has never answered is rather misconfigured than out of order: requests to it are
 * given up after a second.
 *
 * <p>The SDK's retry strategies are not used: they end after a number of attempts and drop a
 * request when their budget is empty, where this waits; they know nothing of bytes that arrived;
 * and nothing but an interrupt ends their pauses. Safe for use by many threads.
 */
public final class Retries {
  /** Repetitions a second, all requests together. */
  static final int PER_SECOND = 50;

  /** Answers in a row that break off without progress, after which the object is unreadable. */
  static final int BREAKS = 8;

  private static final Logger LOG = LoggerFactory.getLogger(Retries.class);

  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(4);

  private static final BackoffStrategy BACKOFF =
      BackoffStrategy.exponentialDelay(Duration.ofMillis(50), LONGEST_PAUSE);

  /** Patience with a store that has not answered yet, and where another way will do. */
  static final Duration BRIEFLY = Duration.ofSeconds(1);

  /** Failures of one request that are worth a line in the log: some 1.5 s. */
  private static final int FAILURES_BEFORE_WARNING = 6;

  /** Time between two such lines. */
  private static final Duration WARNING = Duration.ofMinutes(1);

  private static final long TURN = TimeUnit.SECONDS.toNanos(1) / PER_SECOND;

  /** Turns that nobody took, for the failures at the beginning of an outage. */
  private static final long SAVED = PER_SECOND * TURN;

  private final Duration deadline;
  private final LongSupplier nanoTime;
  private final CountDownLatch ended = new CountDownLatch(1);

  /** Whether the store has answered since it was opened. */
  private volatile boolean proven;

  /** When the next repetition may be sent; guarded by this. */
  private long nextTurn;

  /** When the log last said that the store fails; guarded by this. */
  private long warned;

  /**
   * The policy of a store.
   *
   * @param deadline how long a request is repeated after its first failure
   */
  Retries(Duration deadline) {
    this(deadline, System::nanoTime);
  }

  Retries(Duration deadline, LongSupplier nanoTime) {
    this.deadline = deadline;
    this.nanoTime = nanoTime;
    this.nextTurn = nanoTime.getAsLong() - SAVED;
    this.warned = nanoTime.getAsLong() - WARNING.toNanos();
  }

  /**
   * Makes a request until it is answered.
   *
   * @param request makes one attempt; given the number of attempts that failed before
   * @return its answer
   * @throws SdkException the last failure
   */
  <T> T run(IntFunction<T> request) {
    return run(begin(), request);
  }

  /**
   * Makes a request until it is answered, as long as its caller has time.
   *
   * @param run of this request
   * @param request makes one attempt; given the number of attempts that failed before
   * @return its answer
   * @throws SdkException the last failure
   */
  <T> T run(Run run, IntFunction<T> request) {
    while (true) {
      try {
        T answer = request.apply(run.failures);
        answered();
        return answer;
      } catch (SdkException e) {
        if (!run.goesOnAfter(S3Failure.of(e))) {
          throw e;
        }
      }
    }
  }

  /** A request that is about to be made for the first time. */
  Run begin() {
    return new Run(deadline);
  }

  /**
   * A request that is about to be made for the first time.
   *
   * @param limit how long it is repeated after its first failure, if less than any other
   */
  Run begin(Duration limit) {
    return new Run(shorter(deadline, limit));
  }

  /** The store has answered. */
  void answered() {
    proven = true;
  }

  /** One request with its repetitions. Used by one thread. */
  final class Run {
    private final Duration limit;
    private int failures;
    private int breaks;
    private long firstFailure;
    private boolean clockSet;

    private Run(Duration limit) {
      this.limit = limit;
    }

    /** Forgets the failures so far, because some of the answer has arrived since. */
    void progressed() {
      failures = 0;
      breaks = 0;
    }

    /**
     * Decides about a request that failed, and pauses before it may be repeated.
     *
     * @return whether to repeat it; false as well if the thread is interrupted or {@link #end} is
     *     called meanwhile
     */
    boolean goesOnAfter(S3Failure failure) {
      Optional<Duration> pause = pauseAfter(failure);
      return pause.isPresent() && await(pause.get());
    }

    /** Pause before the request may be repeated; empty to give it up. */
    Optional<Duration> pauseAfter(S3Failure failure) {
      if (!isRepeatable(failure)) {
        return Optional.empty();
      }
      long now = nanoTime.getAsLong();
      firstFailure = failures++ == 0 ? now : firstFailure;
      Duration left = patience().minusNanos(now - firstFailure);
      if (left.isNegative() || left.isZero()) {
        return Optional.empty();
      }
      Optional<Duration> turn = takeTurn(left);
      if (turn.isEmpty()) {
        return Optional.empty();
      }
      Duration least = longer(turn.get(), asked(failure));
      if (failures == FAILURES_BEFORE_WARNING) {
        warn(failure);
      }
      return Optional.of(shorter(longer(BACKOFF.computeDelay(failures), least), left));
    }

    private boolean isRepeatable(S3Failure failure) {
      if (failure.clockIsWrong() && !clockSet) {
        clockSet = true; // the SDK has taken the time from the answer
        return true;
      }
      if (!failure.isPassing()) {
        answered();
        return false;
      }
      if (failure.kind() == Kind.SHORT_BODY) {
        answered();
        breaks++;
      }
      return breaks < BREAKS && ended.getCount() > 0 && !Thread.currentThread().isInterrupted();
    }

    private Duration patience() {
      return proven ? limit : shorter(limit, BRIEFLY);
    }
  }

  private boolean await(Duration pause) {
    try {
      return !ended.await(pause.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /**
   * Takes the next of the turns in which all requests of the store are repeated, for one that is
   * not given up here.
   *
   * @param failure of the request to be repeated
   * @return time until then, or until the store wants to be asked again
   */
  Duration turn(S3Failure failure) {
    return longer(takeTurn(deadline).orElse(deadline), asked(failure));
  }

  /**
   * Time that the store asks for, as far as it gets it: MinIO asks for a minute or two with every
   * 503, so that each outage of a second would be one of a minute.
   */
  private static Duration asked(S3Failure failure) {
    return shorter(failure.retryAfter(), LONGEST_PAUSE);
  }

  /**
   * Takes the next turn if it comes soon enough. One that is not taken is left to others: else the
   * requests that are given up during an outage would use up the turns of those after it.
   *
   * @return time until then; empty if that is more than the caller can wait
   */
  private synchronized Optional<Duration> takeTurn(Duration most) {
    long now = nanoTime.getAsLong();
    long turn = nextTurn - now < -SAVED ? now - SAVED : nextTurn;
    Duration wait = Duration.ofNanos(Math.max(0, turn - now));
    if (wait.compareTo(most) > 0) {
      return Optional.empty();
    }
    nextTurn = turn + TURN;
    return Optional.of(wait);
  }

  private synchronized void warn(S3Failure failure) {
    long now = nanoTime.getAsLong();
    if (now - warned >= WARNING.toNanos()) {
      warned = now;
      LOG.warn(
          "the store fails ({}); requests are repeated for {} s",
          failure.reason(),
          deadline.toSeconds());
    }
  }

  private static Duration longer(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? b : a;
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  /** Ends all pauses. Every request that is under way or begins later is one attempt. */
  void end() {
    ended.countDown();
  }
}
