// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing.signed;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Predicate;
import org.jgits3.testing.S3Server;

/**
 * A proxy on 127.0.0.1 in front of an S3 server that may change requests: it signs them again, with
 * the keys of the server.
 */
abstract class SigningProxy implements AutoCloseable {
  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

  /** Headers of a connection and of a signature, which the proxy makes anew. */
  private static final List<String> OWN =
      List.of(
          "host",
          "content-length",
          "transfer-encoding",
          "connection",
          "expect",
          "authorization",
          "x-amz-date");

  private final S3Server server;
  private final HttpServer listener;
  private final HttpClient client = HttpClient.newHttpClient();
  private final ExecutorService threads = Executors.newCachedThreadPool();

  SigningProxy(S3Server server) {
    // Else the answers' bodies wait until the client has acknowledged their headers.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    this.server = server;
    try {
      listener = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    listener.setExecutor(threads);
    listener.createContext(
        "/",
        exchange -> {
          try (exchange) {
            answer(exchange, exchange.getRequestBody().readAllBytes());
          }
        });
    listener.start();
  }

  /** Answers one request, by {@link #forward} or {@link #refuse}. */
  abstract void answer(HttpExchange exchange, byte[] body) throws IOException;

  /**
   * Address of the proxy.
   *
   * @return its address
   */
  public final URI endpoint() {
    return URI.create("http://127.0.0.1:" + listener.getAddress().getPort());
  }

  /** Forwards a request with some of its headers, and its answer. */
  final void forward(HttpExchange exchange, byte[] body, Predicate<String> kept)
      throws IOException {
    forward(exchange, body, kept, Map.of());
  }

  /** Forwards a request with some of its headers and other values of some, and its answer. */
  final void forward(
      HttpExchange exchange, byte[] body, Predicate<String> kept, Map<String, String> replaced)
      throws IOException {
    SortedMap<String, String> headers = new TreeMap<>();
    for (Map.Entry<String, List<String>> header : exchange.getRequestHeaders().entrySet()) {
      String name = header.getKey().toLowerCase(Locale.ROOT);
      if (!OWN.contains(name) && kept.test(name)) {
        headers.put(name, header.getValue().get(0));
      }
    }
    headers.putAll(replaced);
    HttpResponse<byte[]> answer =
        send(exchange.getRequestMethod(), exchange.getRequestURI(), headers, body);
    answer
        .headers()
        .map()
        .forEach(
            (name, values) -> {
              if (!OWN.contains(name.toLowerCase(Locale.ROOT))) {
                exchange.getResponseHeaders().put(name, values);
              }
            });
    if (exchange.getRequestMethod().equals("HEAD")) {
      List<String> length = answer.headers().allValues("Content-Length");
      exchange.getResponseHeaders().put("Content-Length", length);
    }
    respond(exchange, answer.statusCode(), answer.body());
  }

  /** Sends a request of the proxy, or one that it forwards. */
  final HttpResponse<byte[]> send(
      String method, URI target, SortedMap<String, String> headers, byte[] body)
      throws IOException {
    SortedMap<String, String> signed = new TreeMap<>(headers);
    signed.put("host", server.endpoint().getAuthority());
    signed.put("x-amz-date", DATE.format(Instant.now()));
    signed.putIfAbsent("x-amz-content-sha256", SigV4.hash(body));
    String signature = SigV4.sign(server.secretKey(), method, target, signed);
    signed.put(
        "authorization",
        "%s Credential=%s/%s, SignedHeaders=%s, Signature=%s"
            .formatted(
                SigV4.ALGORITHM,
                server.accessKey(),
                SigV4.scope(signed.get("x-amz-date")),
                String.join(";", signed.keySet()),
                signature));
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.endpoint().resolve(target))
            .method(
                method,
                body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
    signed.remove("host"); // which the client sends by itself
    signed.forEach(request::header);
    try {
      return client.send(request.build(), BodyHandlers.ofByteArray());
    } catch (InterruptedException e) {
      throw (IOException) new InterruptedIOException("interrupted").initCause(e);
    }
  }

  /** Answers with an error of S3. */
  static void refuse(HttpExchange exchange, int status, String code) throws IOException {
    String xml =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Error><Code>" + code + "</Code></Error>";
    exchange.getResponseHeaders().add("Content-Type", "application/xml");
    boolean bodyless = exchange.getRequestMethod().equals("HEAD");
    respond(exchange, status, bodyless ? new byte[0] : xml.getBytes(UTF_8));
  }

  private static void respond(HttpExchange exchange, int status, byte[] body) throws IOException {
    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
  }

  @Override
  public void close() {
    listener.stop(0);
    threads.shutdownNow();
  }
}
