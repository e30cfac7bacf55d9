// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing.signed;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.util.Map;
import org.jgits3.store.ProbedService.Dialect;
import org.jgits3.testing.S3Server;

/**
 * A proxy on 127.0.0.1 that turns an S3 server into one that takes a single dialect, as Ceph RGW
 * does: an ETag in the other form matches no object, and the other checksum is not verified.
 */
public final class DialectProxy extends SigningProxy {
  private final Dialect dialect;

  /**
   * Starts a proxy.
   *
   * @param server server that requests are forwarded to
   * @param dialect the dialect that it takes
   */
  public DialectProxy(S3Server server, Dialect dialect) {
    super(server);
    this.dialect = dialect;
  }

  @Override
  void answer(HttpExchange exchange, byte[] body) throws IOException {
    Headers headers = exchange.getRequestHeaders();
    String tag = headers.getFirst("If-Match");
    boolean verified = dialect.checksum() == Dialect.Checksum.MD5;
    String ignored = verified ? "x-amz-checksum-crc32c" : "content-md5";
    if (!exchange.getRequestMethod().equals("PUT")) {
      forward(exchange, body, name -> true);
    } else if (tag == null) {
      forward(exchange, body, name -> !name.equals(ignored));
    } else if (tag.startsWith("\"") == (dialect.ifMatch() == Dialect.IfMatch.QUOTED)) {
      String quoted = "\"" + tag.replace("\"", "") + "\"";
      forward(exchange, body, name -> !name.equals(ignored), Map.of("if-match", quoted));
    } else {
      refuse(exchange, 412, "PreconditionFailed");
    }
  }
}
