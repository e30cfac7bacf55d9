// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.robust;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jgits3.bench.proxy.TcpProxy;

/**
 * A proxy in front of an S3 server that is away once, for some time, as soon as some bytes have
 * gone through since {@link #awayAfter}, either way. All connections break then.
 */
final class OutageProxy extends TcpProxy {
  /** Ways to be away. */
  enum Kind {
    /** The port is closed. */
    REFUSED("connections refused"),
    /** Each request is answered 503. */
    UNAVAILABLE("503 SlowDown");

    private final String title;

    Kind(String title) {
      this.title = title;
    }

    String title() {
      return title;
    }
  }

  private static final int DRAIN_MILLIS = 1000;
  private static final String BODY =
      "<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>";
  private static final byte[] ANSWER =
      ("HTTP/1.1 503 Slow Down\r\nContent-Type: application/xml\r\nConnection: close\r\n"
              + "Content-Length: "
              + BODY.length()
              + "\r\n\r\n"
              + BODY)
          .getBytes(StandardCharsets.US_ASCII);

  private final Kind kind;
  private final Duration length;
  private final AtomicLong untilOutage = new AtomicLong(Long.MAX_VALUE);
  private final AtomicInteger answers = new AtomicInteger();

  /** Beginning of the outage, by {@link System#nanoTime}; 0 before. */
  private volatile long began;

  private OutageProxy(URI server, Kind kind, Duration length) throws IOException {
    super(server);
    this.kind = kind;
    this.length = length;
  }

  /**
   * Starts one.
   *
   * @param server the server
   * @param kind how it is away
   * @param length for how long
   */
  static OutageProxy start(URI server, Kind kind, Duration length) throws IOException {
    OutageProxy proxy = new OutageProxy(server, kind, length);
    proxy.start();
    return proxy;
  }

  /** Begins to count: the outage comes after so many bytes. */
  void awayAfter(long bytes) {
    untilOutage.set(bytes);
  }

  /** Tests whether the outage has come. */
  boolean happened() {
    return began != 0;
  }

  /** Number of requests that were answered 503. */
  int answers() {
    return answers.get();
  }

  private long millisLeft() {
    return began == 0 ? 0 : length.toMillis() - (System.nanoTime() - began) / 1_000_000;
  }

  @Override
  protected void passes(Socket client, boolean fromClient, int bytes) throws IOException {
    long left = untilOutage.addAndGet(-bytes);
    if (left < 0 && left + bytes >= 0) {
      began = System.nanoTime();
      if (kind == Kind.REFUSED) {
        refuse();
      } else {
        closeConnections();
      }
    }
  }

  @Override
  protected boolean admits(Socket client) throws IOException {
    if (millisLeft() <= 0) {
      return true;
    }
    if (kind == Kind.REFUSED) {
      return false; // it was accepted before the port was closed
    }
    client.setSoTimeout(DRAIN_MILLIS);
    InputStream in = client.getInputStream();
    if (!readHead(in)) {
      return false;
    }
    answers.incrementAndGet();
    client.getOutputStream().write(ANSWER);
    client.shutdownOutput();
    in.transferTo(OutputStream.nullOutputStream()); // a body that is under way
    return false;
  }

  private static boolean readHead(InputStream in) throws IOException {
    int ends = 0; // line ends in a row
    while (ends < 2) {
      int next = in.read();
      if (next < 0) {
        return false;
      }
      ends = next == '\n' ? ends + 1 : next == '\r' ? ends : 0;
    }
    return true;
  }

  @Override
  protected void awaitRecovery() {
    try {
      Thread.sleep(Math.max(0, millisLeft()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
