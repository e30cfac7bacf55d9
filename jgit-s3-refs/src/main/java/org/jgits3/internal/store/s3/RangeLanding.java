// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import java.io.EOFException;
import java.io.IOException;
import java.util.Optional;
import org.jgits3.internal.store.s3.S3Failure.ShortBodyException;
import org.jgits3.store.Arrival;
import org.jgits3.store.Validator;
import software.amazon.awssdk.http.AbortableInputStream;

/**
 * A range on its way into a slice of an array, over as many connections as that takes: what has
 * arrived stays, and the next request asks for the rest. Used by one thread.
 */
final class RangeLanding {
  /** Bytes for which earlier breaks are forgotten: more than a connection gets out at a stroke. */
  static final int PROGRESS = 256 << 10;

  private final byte[] dst;
  private final int dstOffset;
  private final int length;
  private final Arrival arrival;

  /** Version of the last body that began; empty until the store has answered. */
  private Optional<Validator> version = Optional.empty();

  private int received;

  /** How much had been received when progress was last seen. */
  private int seen;

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
   * @param found version of the body; the one there was, unless this is the beginning
   * @return the version
   * @throws ShortBodyException if it breaks
   */
  Validator take(Validator found, AbortableInputStream in) throws ShortBodyException {
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
      }
      return found;
    } catch (IOException e) {
      in.abort();
      throw new ShortBodyException(received, length, e);
    }
  }

  /** Whether so much has arrived since this was last true that the line is a good one. */
  boolean hasProgressed() {
    boolean progressed = received - seen >= PROGRESS;
    if (progressed) {
      seen = received;
    }
    return progressed;
  }

  /** Forgets what has arrived, but not that it was progress. */
  void restart() {
    received = 0;
  }
}
