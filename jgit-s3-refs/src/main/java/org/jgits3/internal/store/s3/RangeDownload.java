// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import java.io.EOFException;
import java.io.IOException;
import java.util.Optional;
import org.jgits3.internal.store.s3.S3Failure.ShortBodyException;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.ReadRequest;
import software.amazon.awssdk.http.AbortableInputStream;

/**
 * A range being received into a slice of an array, over as many connections as necessary: received
 * bytes stay, and the next request asks for the rest. Used by one thread.
 */
final class RangeDownload {
  /**
   * Bytes of progress after which earlier breaks are forgotten: more than one burst of a
   * connection.
   */
  static final int PROGRESS = 256 << 10;

  private final ReadRequest range;

  /** Version of the last body that began; empty until the store has answered. */
  private Optional<ObjectVersion> version = Optional.empty();

  private int received;

  /** Bytes that had been received when progress was last seen. */
  private int seen;

  RangeDownload(ReadRequest range) {
    this.range = range;
  }

  /** Request for the rest, of the version that the received bytes have. */
  ReadRequest rest() {
    return range.part(
        received, range.length() - received, received > 0 ? version : range.expected());
  }

  /**
   * Receives a body that has the rest of the range.
   *
   * @param found version of the body; the known one, unless this is the beginning
   * @return the version
   * @throws ShortBodyException if it breaks
   */
  ObjectVersion take(ObjectVersion found, AbortableInputStream in) throws ShortBodyException {
    if (received == 0) {
      version = Optional.of(found);
    }
    try {
      while (received < range.length()) {
        int at = range.dstOffset() + received;
        int n = in.read(range.dst(), at, range.length() - received);
        if (n <= 0) { // a stream that returns no bytes has ended
          throw new EOFException();
        }
        received += n;
      }
      return found;
    } catch (IOException e) {
      in.abort();
      throw new ShortBodyException(received, range.length(), e);
    }
  }

  /** Tests whether {@link #PROGRESS} bytes have arrived since this was last true. */
  boolean hasProgressed() {
    boolean progressed = received - seen >= PROGRESS;
    if (progressed) {
      seen = received;
    }
    return progressed;
  }

  /** Discards the received bytes, but still counts them as progress. */
  void restart() {
    received = 0;
  }
}
