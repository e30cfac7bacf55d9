// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing.signed;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.util.Set;
import org.jgits3.testing.S3Server;

/** A proxy on 127.0.0.1 that refuses all writes, as S3 does for credentials that may only read. */
public final class ReadOnlyProxy extends SigningProxy {
  private static final Set<String> READS = Set.of("GET", "HEAD");

  /**
   * Starts a proxy.
   *
   * @param server server that requests are forwarded to
   */
  public ReadOnlyProxy(S3Server server) {
    super(server);
  }

  @Override
  void answer(HttpExchange exchange, byte[] body) throws IOException {
    if (READS.contains(exchange.getRequestMethod())) {
      forward(exchange, body, name -> true);
    } else {
      refuse(exchange, 403, "AccessDenied");
    }
  }
}
