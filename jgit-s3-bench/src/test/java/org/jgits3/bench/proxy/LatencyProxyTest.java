// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LatencyProxyTest {
  private final HttpClient client = HttpClient.newHttpClient();
  private HttpServer server;
  private LatencyProxy proxy;

  /** Answers with the body of the request, and 412 where there is a condition. */
  @BeforeEach
  void start() throws IOException {
    InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    server = HttpServer.create(new InetSocketAddress(loopback, 0), 0);
    server.createContext(
        "/",
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          boolean conditional = exchange.getRequestHeaders().containsKey("If-Match");
          exchange.sendResponseHeaders(conditional ? 412 : 200, 0);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    proxy =
        LatencyProxy.start(
            URI.create("http://127.0.0.1:" + server.getAddress().getPort()),
            Duration.ofMillis(1),
            Duration.ZERO);
  }

  @AfterEach
  void end() throws IOException {
    proxy.close();
    server.stop(0);
  }

  private String send(String method, String path, Optional<String> ifMatch) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(proxy.uri().resolve(path))
            .method(method, HttpRequest.BodyPublishers.ofString("body of " + path));
    ifMatch.ifPresent(value -> request.header("If-Match", value));
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString(UTF_8)).body();
  }

  @Test
  void requests_are_passed_on_and_counted_by_kind() throws Exception {
    assertThat(send("PUT", "/b/repos/0123/manifest", Optional.empty()))
        .isEqualTo("body of /b/repos/0123/manifest");
    send("PUT", "/b/repos/0123/manifest", Optional.of("\"an-etag\""));
    LatencyProxy.Requests before = proxy.requests();
    assertThat(before).isEqualTo(new LatencyProxy.Requests(2, 1, 0, 0));

    assertThat(send("PUT", "/b/objects/1/pack/2", Optional.empty()))
        .isEqualTo("body of /b/objects/1/pack/2");
    send("DELETE", "/b/objects/1/pack/2", Optional.empty());
    send("GET", "/b/repos/0123/manifest?versionId=1", Optional.empty());
    assertThat(proxy.requests().since(before)).isEqualTo(new LatencyProxy.Requests(0, 0, 1, 1));
  }
}
