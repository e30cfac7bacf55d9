// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.load;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Lists all refs, and takes a few kB a second of the answer, until it ends or the run does. Its
 * window is small, so that the server notices.
 */
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
    try (Socket socket = new Socket()) {
      socket.setReceiveBufferSize(BYTES);
      socket.setSoTimeout((int) GitAttempts.LIMIT.toMillis());
      socket.connect(
          new InetSocketAddress(listing.repository().getHost(), listing.repository().getPort()));
      send(socket.getOutputStream());
      InputStream in = socket.getInputStream();
      String status = new String(in.readNBytes(12), US_ASCII);
      if (status.endsWith(" 503")) {
        return false;
      }
      if (!status.endsWith(" 200")) {
        throw new IOException("slow ls-refs: " + status);
      }
      take(in);
      return true;
    }
  }

  private void send(OutputStream out) throws IOException {
    String head =
        "POST %s/git-upload-pack HTTP/1.1\r\nHost: %s\r\nConnection: close\r\nContent-Type: %s\r\n"
            .formatted(
                listing.repository().getPath(), listing.repository().getAuthority(), Listing.TYPE);
    out.write(
        (head + "Git-Protocol: version=2\r\nContent-Length: %d\r\n\r\n")
            .formatted(listing.body().length)
            .getBytes(US_ASCII));
    out.write(listing.body());
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
