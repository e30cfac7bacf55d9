// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jgits3.store.S3Failure.ShortBodyException;
import software.amazon.awssdk.core.exception.RetryableException;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.retries.api.BackoffStrategy;

/**
 * A range on its way into a slice of an array, over as many connections as that takes: what has
 * arrived stays, and the next request asks for the rest. A body that breaks before its first byte
 * is left to the retries of the SDK, which sends the same request again. Used by one thread.
 */
final class RangeLanding {
  /** Bytes for which earlier breaks are forgotten: more than a connection gets out at a stroke. */
  static final int PROGRESS = 256 << 10;

  /** Broken bodies without so much progress, after which it is given up. */
  static final int BREAKS = 4;

  private static final BackoffStrategy PAUSES =
      BackoffStrategy.exponentialDelay(Duration.ofMillis(100), Duration.ofSeconds(2));

  private final byte[] dst;
  private final int dstOffset;
  private final int length;
  private final Arrival arrival;

  /** Version of the last body that began; empty until the store has answered. */
  private Optional<Validator> version = Optional.empty();

  private int received;

  /** How much had been received, at most, when breaks were last forgotten. */
  private int forgotten;

  private int breaks;

  RangeLanding(byte[] dst, int dstOffset, int length, Arrival arrival) {
    this.dst = dst;
    this.dstOffset = dstOffset;
    this.length = length;
    this.arrival = arrival;
  }

  int received() {
    return received;
  }

  /** Version that the rest has to have; empty if there is more than the rest to be read. */
  Optional<Validator> version() {
    return received > 0 ? version : Optional.empty();
  }

  /** Whether the store has said that it has the range, in some version. */
  boolean hasBegun() {
    return version.isPresent();
  }

  /**
   * Takes a body, which has the rest of the range.
   *
   * @param start what had been received when the rest was asked for
   * @param found version of the body; the one there was, unless this is the beginning
   * @return the version
   * @throws RetryableException if the body breaks, and the same request is worth another attempt
   * @throws ShortBodyException if it breaks, and there is less to ask for now
   */
  Validator take(int start, Validator found, AbortableInputStream in) throws ShortBodyException {
    if (received != start) { // the client has cut an attempt short, and repeats it as it was
      in.abort();
      if (received == length) {
        return version.orElseThrow();
      }
      throw new ShortBodyException(received, length, null);
    }
    if (received == 0) {
      version = Optional.of(found);
      arrival.begins(found);
    }
    try {
      while (received < length) {
        int n = in.read(dst, dstOffset + received, length - received);
        if (n <= 0) { // a stream that gives nothing has no more
          throw new EOFException();
        }
        received += n;
        arrival.until(dstOffset + received);
        if (received < length && arrival.enough()) {
          in.abort(); // what is under way would be received before the connection can be used again
          break;
        }
      }
      return found;
    } catch (IOException e) {
      in.abort();
      ShortBodyException broken = new ShortBodyException(received, length, e);
      if (received == start) {
        throw RetryableException.create(broken.getMessage(), broken);
      }
      throw broken;
    }
  }

  /**
   * Decides about a body that broke, and pauses if the one before broke as early. An interrupt ends
   * the pause.
   *
   * @param start what had been received when it was asked for
   * @return whether the rest is to be asked for
   */
  boolean goesOnFrom(int start) {
    if (received == start) {
      return false; // the SDK has tried more than once
    }
    if (received - forgotten >= PROGRESS) {
      forgotten = received;
      breaks = 0;
    }
    breaks++;
    if (breaks > 1 && breaks < BREAKS) {
      LockSupport.parkNanos(PAUSES.computeDelay(breaks).toNanos());
    }
    return breaks < BREAKS;
  }

  /** Forgets what has arrived, but not how often it broke. */
  void restart() {
    received = 0;
  }
}
