// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A server on 127.0.0.1 that answers every request as the test says, and remembers the requests.
 * For answers that no real S3 server can be made to give.
 */
public final class ScriptedHttpServer implements AutoCloseable {
  /** Answers one request. Closing the exchange without an answer breaks the connection. */
  @FunctionalInterface
  public interface Script {
    /**
     * Answers one request, whose body has been read.
     *
     * @param number 1 for the first request
     * @param exchange request and answer
     * @throws IOException if the client has gone
     */
    void answer(int number, HttpExchange exchange) throws IOException;
  }

  /**
   * A request of a client.
   *
   * @param method HTTP method
   * @param headers its headers
   * @param body its body
   */
  @SuppressWarnings("ArrayRecordComponent") // looked at, never compared
  public record Request(String method, Headers headers, byte[] body) {}

  private final List<Request> requests = new CopyOnWriteArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final HttpServer server;

  /**
   * Starts a server.
   *
   * @param script answers every request; called by a thread of its own for each
   */
  public ScriptedHttpServer(Script script) {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(threads);
    server.createContext(
        "/",
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          requests.add(
              new Request(exchange.getRequestMethod(), exchange.getRequestHeaders(), body));
          script.answer(requests.size(), exchange);
          exchange.close();
        });
    server.start();
  }

  /**
   * Address of the server.
   *
   * @return its address
   */
  public URI endpoint() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /**
   * Requests that clients have sent until now.
   *
   * @return the requests in the order of arrival
   */
  public List<Request> requests() {
    return List.copyOf(requests);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
