// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A proxy on 127.0.0.1 in front of a server that goes out of order: connections break, and a number
 * of new ones are closed without an answer.
 */
public final class OutageProxy extends ForwardingProxy {
  private final AtomicInteger refusals = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();
  private final AtomicLong untilOutage = new AtomicLong(Long.MAX_VALUE);
  private volatile int nextRefusals;

  /**
   * Starts a proxy.
   *
   * @param target server that bytes are forwarded to
   */
  public OutageProxy(URI target) {
    super(target);
    start();
  }

  /**
   * Begins an outage.
   *
   * @param connections connections that are closed at once until it ends
   */
  public void fail(int connections) {
    refusals.set(connections);
    breakAll();
  }

  /**
   * Begins an outage when more bytes have gone through, either way.
   *
   * @param bytes how many more
   * @param connections connections that are closed at once until it ends
   */
  public void failAfter(long bytes, int connections) {
    nextRefusals = connections;
    untilOutage.set(bytes);
  }

  /** Ends an outage. */
  public void recover() {
    refusals.set(0);
  }

  /**
   * Connections that were closed at once.
   *
   * @return their number until now
   */
  public int refused() {
    return refused.get();
  }

  @Override
  boolean refuses() {
    boolean refuses = refusals.getAndUpdate(n -> Math.max(0, n - 1)) > 0;
    if (refuses) {
      refused.incrementAndGet();
    }
    return refuses;
  }

  @Override
  void connected(Socket client, Socket server) {
    forward(client, server, this::pass);
    forward(server, client, this::pass);
  }

  private boolean pass(byte[] buffer, int length, OutputStream to) throws IOException {
    long left = untilOutage.addAndGet(-length);
    if (left < 0 && left + length >= 0) {
      fail(nextRefusals);
    }
    to.write(buffer, 0, length);
    return true;
  }
}
