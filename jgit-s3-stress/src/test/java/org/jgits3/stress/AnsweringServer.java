// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** Answers every request 200 with the same body. */
public final class AnsweringServer implements AutoCloseable {
  private final BlockingQueue<String> arrived = new LinkedBlockingQueue<>();
  private final HttpServer server;

  public AnsweringServer(String body) throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          byte[] sent = exchange.getRequestBody().readAllBytes();
          arrived.add(exchange.getRequestMethod() + " " + new String(sent, US_ASCII));
          exchange.sendResponseHeaders(200, body.length());
          exchange.getResponseBody().write(body.getBytes(US_ASCII));
          exchange.close();
        });
    server.start();
  }

  public URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** Requests that have arrived and were not taken, each a method and a body. */
  public BlockingQueue<String> arrived() {
    return arrived;
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
