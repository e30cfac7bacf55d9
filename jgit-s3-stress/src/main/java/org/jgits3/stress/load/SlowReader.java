// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.load;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Lists all refs, and takes a few kB a second of the answer, until it ends or the run does. */
final class SlowReader implements Client {
  private static final int BYTES = 1 << 10;
  private static final long MILLIS = 250;
  private static final String LAST = "0\r\n\r\n";

  private final Tally tally;
  private final Listing listing;
  private final BooleanSupplier goesOn;

  SlowReader(Tally tally, Listing listing, BooleanSupplier goesOn) {
    this.tally = tally;
    this.listing = listing;
    this.goesOn = goesOn;
  }

  @Override
  public void step() throws IOException, InterruptedException {
    long began = System.nanoTime();
    while (!read()) {
      tally.rejected(Operation.SLOW_READ);
    }
    tally.done(Operation.SLOW_READ, began);
  }

  /** Returns false if the server is busy. */
  private boolean read() throws IOException, InterruptedException {
    Optional<Socket> answer = listing.ask(1);
    if (answer.isEmpty()) {
      return false;
    }
    try (Socket socket = answer.get()) {
      take(socket.getInputStream());
    }
    return true;
  }

  private void take(InputStream in) throws IOException, InterruptedException {
    String end = "";
    while (goesOn.getAsBoolean()) {
      byte[] bytes = in.readNBytes(BYTES);
      if (bytes.length == 0 && end.equals(LAST)) {
        return;
      }
      if (bytes.length == 0) {
        throw new IOException("slow ls-refs: the server cut it off");
      }
      String all = end + new String(bytes, US_ASCII);
      end = all.substring(Math.max(0, all.length() - LAST.length()));
      TimeUnit.MILLISECONDS.sleep(MILLIS);
    }
  }
}
