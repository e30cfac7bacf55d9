// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing.signed;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jgits3.testing.S3Server;

/** A proxy on 127.0.0.1 that turns a good S3 server into one that loses writes. */
public final class UnsafeProxy extends SigningProxy {
  /** How conditional writes go wrong. */
  public enum Fault {
    /** The proxy checks the condition, then writes without it. */
    CHECKS_FIRST,
    /** The proxy writes without the condition. */
    STRIPS_CONDITIONS
  }

  private static final List<String> CONDITIONS = List.of("if-match", "if-none-match");

  private final Fault fault;
  private final double share;
  private final long seed;
  private final SplittableRandom random;

  /**
   * Starts a proxy.
   *
   * @param server server that requests are forwarded to
   * @param fault how conditional writes go wrong
   * @param share share of conditional writes that go wrong, 0 to 1
   * @param seed seed of the choice among them
   */
  public UnsafeProxy(S3Server server, Fault fault, double share, long seed) {
    super(server);
    this.fault = fault;
    this.share = share;
    this.seed = seed;
    this.random = new SplittableRandom(seed);
  }

  private synchronized boolean isNextWrong() {
    return random.nextDouble() < share;
  }

  @Override
  void answer(HttpExchange exchange, byte[] body) throws IOException {
    Headers headers = exchange.getRequestHeaders();
    boolean conditional =
        exchange.getRequestMethod().equals("PUT")
            && CONDITIONS.stream().anyMatch(headers::containsKey);
    if (!conditional || !isNextWrong()) {
      forward(exchange, body, name -> true);
    } else if (fault == Fault.STRIPS_CONDITIONS || holds(exchange)) {
      forward(exchange, body, name -> !CONDITIONS.contains(name));
    } else {
      refuse(exchange, 412, "PreconditionFailed");
    }
  }

  /** Asks the server whether the condition of a write holds at this moment. */
  private boolean holds(HttpExchange exchange) throws IOException {
    HttpResponse<byte[]> now = send("HEAD", exchange.getRequestURI(), new TreeMap<>(), new byte[0]);
    String expected = exchange.getRequestHeaders().getFirst("If-Match");
    return expected == null
        ? now.statusCode() == 404
        : now.headers().firstValue("ETag").filter(expected::equals).isPresent();
  }

  @Override
  public String toString() {
    return fault + " for " + share + " of the writes, seed " + seed;
  }
}
