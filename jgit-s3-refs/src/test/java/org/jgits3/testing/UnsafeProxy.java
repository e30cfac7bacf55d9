// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Predicate;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.http.SdkHttpFullRequest;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4FamilyHttpSigner;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;

/**
 * A proxy on 127.0.0.1 that turns a good S3 server into one that loses writes. Requests are signed
 * again, because the conditions of a write are signed.
 */
public final class UnsafeProxy implements AutoCloseable {
  /** How conditional writes go wrong. */
  public enum Fault {
    /** The proxy checks the condition, then writes without it. */
    CHECKS_FIRST,
    /** The proxy writes without the condition. */
    STRIPS_CONDITIONS
  }

  private static final List<String> CONDITIONS = List.of("if-match", "if-none-match");

  /** Headers of the connection and of the signature, which the proxy makes anew. */
  private static final List<String> OWN =
      List.of("host", "content-length", "connection", "expect", "authorization", "x-amz-date");

  private final S3Server server;
  private final Fault fault;
  private final double share;
  private final long seed;
  private final SplittableRandom random;
  private final HttpServer listener;
  private final HttpClient client = HttpClient.newHttpClient();
  private final ExecutorService threads = Executors.newCachedThreadPool();

  /**
   * Starts a proxy.
   *
   * @param server server that requests are forwarded to
   * @param fault how conditional writes go wrong
   * @param share share of conditional writes that go wrong, 0 to 1
   * @param seed seed of the choice among them
   */
  public UnsafeProxy(S3Server server, Fault fault, double share, long seed) {
    // Else the answers' headers and bodies wait for the client's acknowledgements.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    this.server = server;
    this.fault = fault;
    this.share = share;
    this.seed = seed;
    this.random = new SplittableRandom(seed);
    try {
      listener = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    listener.setExecutor(threads);
    listener.createContext("/", this::answer);
    listener.start();
  }

  /**
   * Address of the proxy.
   *
   * @return its address
   */
  public URI endpoint() {
    return URI.create("http://127.0.0.1:" + listener.getAddress().getPort());
  }

  private synchronized boolean isNextWrong() {
    return random.nextDouble() < share;
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      Headers headers = exchange.getRequestHeaders();
      boolean conditional =
          exchange.getRequestMethod().equals("PUT")
              && CONDITIONS.stream().anyMatch(headers::containsKey);
      if (!conditional || !isNextWrong()) {
        pass(exchange, send(exchange, body, name -> true));
      } else if (fault == Fault.STRIPS_CONDITIONS || holds(exchange)) {
        pass(exchange, send(exchange, body, name -> !CONDITIONS.contains(name)));
      } else {
        byte[] refusal =
            "<Error><Code>PreconditionFailed</Code></Error>".getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(412, refusal.length);
        exchange.getResponseBody().write(refusal);
      }
    }
  }

  /** Asks the server whether the condition of a write holds at this moment. */
  private boolean holds(HttpExchange exchange) throws IOException {
    SdkHttpRequest head =
        SdkHttpFullRequest.builder()
            .method(SdkHttpMethod.HEAD)
            .uri(server.endpoint().resolve(exchange.getRequestURI()))
            .build();
    HttpResponse<byte[]> now = send(head, new byte[0]);
    String expected = exchange.getRequestHeaders().getFirst("If-Match");
    return expected == null
        ? now.statusCode() == 404
        : now.headers().firstValue("ETag").filter(expected::equals).isPresent();
  }

  private HttpResponse<byte[]> send(HttpExchange exchange, byte[] body, Predicate<String> kept)
      throws IOException {
    SdkHttpFullRequest.Builder request =
        SdkHttpFullRequest.builder()
            .method(SdkHttpMethod.fromValue(exchange.getRequestMethod()))
            .uri(server.endpoint().resolve(exchange.getRequestURI()));
    for (Map.Entry<String, List<String>> header : exchange.getRequestHeaders().entrySet()) {
      String name = header.getKey().toLowerCase(Locale.ROOT);
      if (!OWN.contains(name) && kept.test(name)) {
        request.putHeader(name, header.getValue());
      }
    }
    return send(request.build(), body);
  }

  private HttpResponse<byte[]> send(SdkHttpRequest request, byte[] body) throws IOException {
    SdkHttpRequest signed =
        AwsV4HttpSigner.create()
            .sign(
                r ->
                    r.identity(AwsBasicCredentials.create(server.accessKey(), server.secretKey()))
                        .request(request)
                        .payload(() -> new ByteArrayInputStream(body))
                        .putProperty(AwsV4FamilyHttpSigner.SERVICE_SIGNING_NAME, "s3")
                        .putProperty(AwsV4HttpSigner.REGION_NAME, S3Server.REGION)
                        .putProperty(AwsV4FamilyHttpSigner.DOUBLE_URL_ENCODE, false)
                        .putProperty(AwsV4FamilyHttpSigner.NORMALIZE_PATH, false))
            .request();
    HttpRequest.Builder forwarded =
        HttpRequest.newBuilder(signed.getUri())
            .method(
                signed.method().name(),
                body.length == 0
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofByteArray(body));
    signed.forEachHeader(
        (name, values) -> {
          if (!name.equalsIgnoreCase("host") && !name.equalsIgnoreCase("content-length")) {
            values.forEach(value -> forwarded.header(name, value));
          }
        });
    try {
      return client.send(forwarded.build(), BodyHandlers.ofByteArray());
    } catch (InterruptedException e) {
      throw (IOException) new InterruptedIOException("interrupted").initCause(e);
    }
  }

  private static void pass(HttpExchange exchange, HttpResponse<byte[]> answer) throws IOException {
    answer
        .headers()
        .map()
        .forEach(
            (name, values) -> {
              if (!OWN.contains(name.toLowerCase(Locale.ROOT))
                  && !name.equalsIgnoreCase("transfer-encoding")) {
                exchange.getResponseHeaders().put(name, values);
              }
            });
    if (exchange.getRequestMethod().equals("HEAD")) {
      exchange
          .getResponseHeaders()
          .put("Content-Length", answer.headers().allValues("Content-Length"));
    }
    byte[] body = answer.body();
    exchange.sendResponseHeaders(answer.statusCode(), body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
  }

  @Override
  public String toString() {
    return fault + " for " + share + " of the writes, seed " + seed;
  }

  @Override
  public void close() {
    listener.stop(0);
    threads.shutdownNow();
  }
}
