// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.load;

import java.io.IOException;
import java.net.Socket;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Lists all refs, reads no more than the status of the answer, and waits to be dropped. */
final class SilentReader implements Client {
  /** More than the buffers of a connection hold: the server has to wait for the client. */
  private static final int BYTES = 8 << 20;

  private static final int BYTES_OF_A_REF = 60;

  private final Tally tally;
  private final Listing listing;
  private final int times;

  /**
   * Creates a client.
   *
   * @param tally where it is counted
   * @param listing asks for all refs
   * @param refs their number
   */
  SilentReader(Tally tally, Listing listing, int refs) {
    this.tally = tally;
    this.listing = listing;
    this.times = 1 + BYTES / (refs * BYTES_OF_A_REF);
  }

  @Override
  public void step() throws IOException, InterruptedException {
    long began = System.nanoTime();
    Optional<Socket> answer = listing.ask(times);
    while (answer.isEmpty()) {
      tally.rejected(Operation.SILENT_READ);
      answer = listing.ask(times);
    }
    try (Socket socket = answer.get()) {
      awaitEnd(socket);
    }
    tally.done(Operation.SILENT_READ, began);
  }

  /** Sends bytes, which nothing reads, until the other end has no connection any more. */
  private static void awaitEnd(Socket socket) throws IOException, InterruptedException {
    long limit = System.nanoTime() + GitAttempts.LIMIT.toNanos();
    while (System.nanoTime() < limit) {
      try {
        socket.getOutputStream().write('\n');
      } catch (IOException dropped) {
        return;
      }
      TimeUnit.SECONDS.sleep(1);
    }
    throw new IOException(
        Operation.SILENT_READ.words()
            + ": not dropped in "
            + GitAttempts.LIMIT.toMinutes()
            + " min");
  }
}
