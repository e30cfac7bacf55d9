// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A proxy on 127.0.0.1 that forwards bytes to a server, and breaks the connection instead of
 * passing on the answers to some requests, or all of them: the server has done its work and the
 * client does not learn of it, or not of all.
 */
public final class ReplyDroppingProxy extends ForwardingProxy {
  private final String victim;
  private final AtomicInteger drops;
  private final long passed;
  private final AtomicInteger matched = new AtomicInteger();
  private final AtomicInteger dropped = new AtomicInteger();
  private final AtomicLong passedOn = new AtomicLong();

  /**
   * Starts a proxy.
   *
   * @param target server that requests are forwarded to
   * @param victim regular expression that matches the request line of requests that get no answer
   * @param drops how many of them get none; later ones are answered
   */
  public ReplyDroppingProxy(URI target, String victim, int drops) {
    this(target, victim, drops, 0);
  }

  /**
   * Starts a proxy that breaks answers off.
   *
   * @param target server that requests are forwarded to
   * @param victim regular expression that matches the request line of requests whose answer breaks
   * @param drops how many of them break; later ones are answered
   * @param passed bytes of the answer, with its headers, that are passed on before
   */
  public ReplyDroppingProxy(URI target, String victim, int drops, long passed) {
    super(target);
    this.victim = victim;
    this.drops = new AtomicInteger(drops);
    this.passed = passed;
    start();
  }

  /**
   * Number of answers that were not passed on.
   *
   * @return their number until now
   */
  public int dropped() {
    return dropped.get();
  }

  /**
   * Number of requests that were to be answered not at all, or in part.
   *
   * @return number of those that were forwarded until now, also if they were answered
   */
  public int matched() {
    return matched.get();
  }

  /**
   * Number of bytes of answers that were passed on, with their headers.
   *
   * @return their number until now
   */
  public long passedOn() {
    return passedOn.get();
  }

  @Override
  boolean refuses() {
    return false;
  }

  @Override
  void connected(Socket client, Socket server) {
    AtomicLong left = new AtomicLong(Long.MAX_VALUE); // bytes of answers until it breaks
    forward(client, server, (buffer, length, to) -> passRequest(buffer, length, to, left));
    forward(server, client, (buffer, length, to) -> passAnswer(buffer, length, to, left));
  }

  private boolean passRequest(byte[] buffer, int length, OutputStream to, AtomicLong left)
      throws IOException {
    String line = new String(buffer, 0, length, ISO_8859_1).lines().findFirst().orElse("");
    if (line.matches(victim)) {
      matched.incrementAndGet();
      if (drops.getAndDecrement() > 0) {
        left.set(passed);
      }
    }
    to.write(buffer, 0, length);
    return true;
  }

  private boolean passAnswer(byte[] buffer, int length, OutputStream to, AtomicLong left)
      throws IOException {
    int sent = (int) Math.min(length, left.get());
    // Before the client has them: it may look at the count, or send its next request.
    passedOn.addAndGet(sent);
    boolean breaks = left.addAndGet(-sent) == 0;
    to.write(buffer, 0, sent);
    if (breaks) {
      dropped.incrementAndGet();
    }
    return !breaks;
  }
}
