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
 * Retries those requests to one store that can be repeated without harm, so that an outage of the
 * store causes a delay and no failure. A request fails for good once the deadline has passed since
 * its first failure; any bytes that it transfers reset the deadline.
 *
 * <p>Pauses grow from 50 ms to 4 s, with full jitter. In addition, all requests of the store
 * together, conditional writes included, share {@link #PER_SECOND} retries a second, so that no
 * number of waiting requests overloads a failing store. A {@code Retry-After} is honoured up to 4
 * s.
 *
 * <p>A store that has never answered is more likely misconfigured than down: requests to it fail
 * after a second. Any answer will do, also one that says that the store is busy.
 *
 * <p>The SDK's retry strategies are not used: they end after a number of attempts and drop a
 * request when their budget is empty, while this class waits; they do not count received bytes; and
 * only an interrupt ends their pauses. Safe for use by many threads.
 */
public final class Retries {
  /** Retries a second of all requests together. */
  static final int PER_SECOND = 50;

  /**
   * Number of consecutive answers that break off without progress, after which the object counts as
   * unreadable.
   */
  static final int BREAKS = 8;

  private static final Logger LOG = LoggerFactory.getLogger(Retries.class);

  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(4);

  private static final BackoffStrategy BACKOFF =
      BackoffStrategy.exponentialDelay(Duration.ofMillis(50), LONGEST_PAUSE);

  /** Deadline for a store that has not answered yet, and for requests that have an alternative. */
  static final Duration BRIEFLY = Duration.ofSeconds(1);

  /** Failures of one request before a warning: some 1.5 s. */
  private static final int FAILURES_BEFORE_WARNING = 6;

  /** Least time between two warnings. */
  private static final Duration WARNING = Duration.ofMinutes(1);

  private static final long TURN = TimeUnit.SECONDS.toNanos(1) / PER_SECOND;

  /** Unused turns that are saved for the failures at the beginning of an outage. */
  private static final long SAVED = PER_SECOND * TURN;

  private final Duration deadline;
  private final LongSupplier nanoTime;
  private final CountDownLatch ended = new CountDownLatch(1);

  /** True if the store has answered since it was opened. */
  private volatile boolean proven;

  /** Time of the next repetition; guarded by this. */
  private long nextTurn;

  /** Time of the last warning; guarded by this. */
  private long warned;

  /**
   * Retries of the requests to one store.
   *
   * @param deadline time after its first failure during which a request is repeated
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
   * Retries a request until it is answered or the time of its caller is over.
   *
   * @param run retries of this request
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

  /** Begins a request. */
  Run begin() {
    return new Run(deadline);
  }

  /**
   * Begins a request.
   *
   * @param limit time after its first failure during which it is repeated, if less than the
   *     deadline
   */
  Run begin(Duration limit) {
    return new Run(shorter(deadline, limit));
  }

  /** Records that the store has answered. */
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

    /** Resets the count of failures, because a part of the answer has arrived since. */
    void progressed() {
      failures = 0;
      breaks = 0;
    }

    /**
     * Decides whether to retry a failed request, and pauses before the retry.
     *
     * @return true to repeat it; false also if the thread is interrupted or {@link #end} is called
     *     meanwhile
     */
    boolean goesOnAfter(S3Failure failure) {
      Optional<Duration> pause = pauseAfter(failure);
      return pause.isPresent() && await(pause.get());
    }

    /** Returns the pause before the request may be repeated; empty if it is not repeated. */
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
        warn(failure, patience());
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
      if (failure.isAnswer()) {
        answered();
      }
      if (failure.kind() == Kind.SHORT_BODY) {
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
   * Takes the next turn among the retries of all requests of the store, for a request whose caller
   * decides whether to retry it.
   *
   * @param failure of the request to be repeated
   * @return time until the turn, or until the time that the store asked for
   */
  Duration turn(S3Failure failure) {
    return longer(takeTurn(deadline).orElse(deadline), asked(failure));
  }

  /**
   * Pause that the store asks for, up to a limit: MinIO asks for a minute or two with every 503,
   * which would turn an outage of a second into one of a minute.
   */
  private static Duration asked(S3Failure failure) {
    return shorter(failure.retryAfter(), LONGEST_PAUSE);
  }

  /**
   * Takes the next turn if it comes soon enough. Otherwise leaves the turn to other requests: those
   * that fail during an outage must not use up the turns of those after it.
   *
   * @return time until the turn; empty if that is more than the caller can wait
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

  private synchronized void warn(S3Failure failure, Duration patience) {
    long now = nanoTime.getAsLong();
    if (now - warned >= WARNING.toNanos()) {
      warned = now;
      LOG.warn(
          "the store fails ({}); requests are repeated for {} s",
          failure.reason(),
          patience.toSeconds());
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
