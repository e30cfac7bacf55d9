// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jgits3.internal.store.s3.S3Failure.Kind;
import org.jgits3.store.StoreException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.exception.SdkServiceException;

/**
 * Completes a multipart upload, which keeps a server busy for as long as it puts parts together:
 * minutes for gigabytes on a slow disk. S3 sends white space meanwhile, others nothing, until the
 * client gives up and asks again. What a repetition is answered says nothing about the object:
 * versitygw 1.8 calls it a success while the first request is still at work, and a server that has
 * finished knows no such upload any more. So after a first answer that was lost, only a look at the
 * object tells. Used by one thread, once.
 */
final class Completion {
  /** How long to wait for the object, all requests together. */
  static final Duration PATIENCE = Duration.ofMinutes(10);

  /** The least that a request is given. */
  private static final Duration SHORTEST = Duration.ofSeconds(1);

  /** Time between two looks when the store is not asked again. */
  private static final long PAUSE_SECONDS = 5;

  private final String key;
  private final String location;
  private final Request request;
  private final Look look;
  private final Retries.Run retries;
  private final Duration patience;
  private final long start = System.nanoTime();

  /** Asks the store to complete the upload, once. */
  @FunctionalInterface
  interface Request {
    /**
     * Asks.
     *
     * @param limit how long the answer may take
     * @throws SdkException if there was no answer, or not that it was done
     * @throws StoreException.Corrupt if the store has put together something else
     */
    void send(Duration limit) throws StoreException.Corrupt;
  }

  /** Looks for the object of the upload. */
  @FunctionalInterface
  interface Look {
    /**
     * Looks.
     *
     * @return whether the object is there, and that of this upload
     * @throws IOException if that could not be found out
     */
    boolean isThere() throws IOException;
  }

  Completion(
      String key,
      String location,
      Request request,
      Look look,
      Retries.Run retries,
      Duration patience) {
    this.key = key;
    this.location = location;
    this.request = request;
    this.look = look;
    this.retries = retries;
    this.patience = patience;
  }

  /**
   * Returns when the object is there.
   *
   * @throws StoreException.Unavailable if it is not, and may still come
   * @throws StoreException if it never will be
   */
  void run() throws StoreException {
    Optional<S3Failure> outcome = attempt();
    if (outcome.isEmpty()) {
      return;
    }
    S3Failure failure = outcome.get();
    if (failure.undecided()) {
      lookAndAskAgain(failure);
    } else if (failure.kind() != Kind.NO_SUCH_UPLOAD || !isThere(failure)) {
      throw failure.toException(key, location);
    }
  }

  /** From here on nothing that is said of a repetition is final, not even that it is refused. */
  private void lookAndAskAgain(S3Failure lost) throws StoreException {
    S3Failure failure = lost;
    while (!isThere(failure)) {
      if (failure.kind() == Kind.NO_SUCH_UPLOAD) {
        throw failure.toException(key, location);
      }
      if (!failure.undecided() || left().isNegative()) {
        throw undecided(failure.reason(), failure);
      }
      if (retries.goesOnAfter(failure)) {
        failure = attempt().orElse(failure);
      } else if (failure.cause() instanceof SdkServiceException) {
        throw undecided(failure.reason(), failure);
      } else {
        pause(failure); // it may be at work, without a word
      }
    }
  }

  private Duration left() {
    return patience.minusNanos(System.nanoTime() - start);
  }

  private Optional<S3Failure> attempt() throws StoreException.Corrupt {
    try {
      Duration left = left();
      request.send(left.compareTo(SHORTEST) < 0 ? SHORTEST : left);
      return Optional.empty();
    } catch (SdkException e) {
      return Optional.of(S3Failure.of(e));
    }
  }

  private boolean isThere(S3Failure failure) throws StoreException.Unavailable {
    try {
      return look.isThere();
    } catch (IOException e) {
      StoreException.Unavailable undecided = undecided(failure.reason(), failure);
      undecided.addSuppressed(e); // still in doubt, whatever the look said
      throw undecided;
    }
  }

  private void pause(S3Failure failure) throws StoreException.Unavailable {
    try {
      TimeUnit.SECONDS.sleep(PAUSE_SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw undecided("interrupted after " + failure.reason(), failure);
    }
  }

  private StoreException.Unavailable undecided(String why, S3Failure failure) {
    return new StoreException.Unavailable(
        key, location + ": completion undecided (" + why + ")", failure.cause());
  }
}
