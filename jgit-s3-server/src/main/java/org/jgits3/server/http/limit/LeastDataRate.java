// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.limit;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jgits3.internal.function.IoSupplier;

/**
 * Ends transfers of clients that send or receive next to nothing, because each holds one of the
 * places for requests. Counts only the time in which the server waits for the client; in each
 * minute of that time, some bytes have to pass. One wait counts for at most half a minute, so that
 * a single pause does no harm, up to the idle timeout of the connection. A direction that failed
 * once keeps failing: after an idle timeout, Jetty would wait as long again for each further read,
 * and JGit reads the rest of a failed request. Used by one thread.
 */
public final class LeastDataRate {
  /** Waiting time after which the bytes passed are compared with the least rate. */
  static final Duration WINDOW = Duration.ofMinutes(1);

  private static final long LONGEST_WAIT = WINDOW.dividedBy(2).toNanos();

  private final long leastBytes;
  private final LongSupplier nanos;
  private long waited;
  private long passed;
  private Optional<IOException> failure = Optional.empty();

  /**
   * Creates the limit of one direction of one request.
   *
   * @param bytesPerSecond least rate; 0 for none
   * @param nanos clock, as {@link System#nanoTime}
   */
  public LeastDataRate(long bytesPerSecond, LongSupplier nanos) {
    this.leastBytes = bytesPerSecond * WINDOW.toSeconds();
    this.nanos = nanos;
  }

  /**
   * Transfers bytes.
   *
   * @param transfer transfer of bytes that waits for the client, and returns their number; negative
   *     at the end
   * @return its result
   * @throws IOException if the client is too slow, or the connection fails
   */
  public int of(IoSupplier<Integer> transfer) throws IOException {
    if (failure.isPresent()) {
      throw new IOException(failure.get().getMessage(), failure.get());
    }
    try {
      return timed(transfer);
    } catch (IOException e) {
      failure = Optional.of(e);
      throw e;
    }
  }

  private int timed(IoSupplier<Integer> transfer) throws IOException {
    long start = nanos.getAsLong();
    int bytes = transfer.get();
    waited += Math.min(nanos.getAsLong() - start, LONGEST_WAIT);
    passed += Math.max(bytes, 0);
    if (waited >= WINDOW.toNanos()) {
      if (bytes >= 0 && passed < leastBytes) {
        throw new IOException(
            "the client passed " + passed + " bytes in a minute, fewer than " + leastBytes);
      }
      waited = 0;
      passed = 0;
    }
    return bytes;
  }
}
