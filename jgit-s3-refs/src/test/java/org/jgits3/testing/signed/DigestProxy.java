// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing.signed;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import org.jgits3.testing.S3Server;

/** A proxy on 127.0.0.1 that refuses deletions without Content-MD5, as older stores do. */
public final class DigestProxy extends SigningProxy {
  /**
   * Starts a proxy.
   *
   * @param server server that requests are forwarded to
   */
  public DigestProxy(S3Server server) {
    super(server);
  }

  @Override
  void answer(HttpExchange exchange, byte[] body) throws IOException {
    boolean deletion =
        exchange.getRequestMethod().equals("POST")
            && "delete".equals(exchange.getRequestURI().getQuery());
    if (deletion && !exchange.getRequestHeaders().containsKey("Content-MD5")) {
      refuse(exchange, 400, "InvalidRequest");
    } else {
      forward(exchange, body, name -> true);
    }
  }
}
