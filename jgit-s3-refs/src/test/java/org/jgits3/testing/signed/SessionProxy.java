// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing.signed;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jgits3.testing.S3Server;

/**
 * A proxy on 127.0.0.1 in front of an S3 server that knows no session tokens. It takes the keys
 * that an {@link IdentityStub} gives out, verifies signatures made with them, and has each pair of
 * keys expire after a number of requests.
 */
public final class SessionProxy extends SigningProxy {
  private final IdentityStub identities;
  private final int mostRequests;
  private final Map<String, Integer> requests = new ConcurrentHashMap<>();

  /**
   * Starts a proxy.
   *
   * @param server server that requests are forwarded to
   * @param identities gives out the keys
   * @param mostRequests requests after which a pair of keys has expired
   */
  public SessionProxy(S3Server server, IdentityStub identities, int mostRequests) {
    super(server);
    this.identities = identities;
    this.mostRequests = mostRequests;
  }

  @Override
  void answer(HttpExchange exchange, byte[] body) throws IOException {
    String token = exchange.getRequestHeaders().getFirst("x-amz-security-token");
    String secret = token == null ? null : identities.secretKey(token);
    if (secret == null) {
      refuse(exchange, 400, "InvalidToken");
    } else if (!isSignedWith(secret, exchange)) {
      refuse(exchange, 403, "SignatureDoesNotMatch");
    } else if (requests.merge(token, 1, Integer::sum) > mostRequests) {
      refuse(exchange, 400, "ExpiredToken");
    } else {
      forward(exchange, body, name -> !name.equals("x-amz-security-token"));
    }
  }

  private static boolean isSignedWith(String secret, HttpExchange exchange) {
    Headers headers = exchange.getRequestHeaders();
    String authorization = headers.getFirst("Authorization");
    SortedMap<String, String> signed = new TreeMap<>();
    for (String name : authorization.replaceAll(".*SignedHeaders=([^,]*).*", "$1").split(";", -1)) {
      signed.put(name, headers.getFirst(name));
    }
    return authorization.endsWith(
        "Signature="
            + SigV4.sign(secret, exchange.getRequestMethod(), exchange.getRequestURI(), signed));
  }
}
