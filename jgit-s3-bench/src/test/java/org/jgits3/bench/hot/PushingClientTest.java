// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.hot;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.SplittableRandom;
import org.eclipse.jgit.lib.ObjectId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A client and a server that answers as the test says, each answer in chunks of a few bytes. */
class PushingClientTest {
  private static final String REF = "refs/heads/client-0";

  private HttpServer server;
  private volatile String listing = "0000";
  private volatile String report = "000eunpack ok\n001bok refs/heads/client-0\n0000";

  @BeforeEach
  void start() throws IOException {
    InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    server = HttpServer.create(new InetSocketAddress(loopback, 0), 0);
    server.createContext("/hot.git/info/refs", exchange -> answer(exchange, listing));
    server.createContext("/hot.git/git-receive-pack", exchange -> answer(exchange, report));
    server.start();
  }

  @AfterEach
  void end() {
    server.stop(0);
  }

  private static void answer(HttpExchange exchange, String text) throws IOException {
    exchange.getRequestBody().readAllBytes();
    exchange.sendResponseHeaders(200, 0);
    try (OutputStream out = exchange.getResponseBody()) {
      for (byte each : text.getBytes(ISO_8859_1)) {
        out.write(each);
        out.flush();
      }
    }
  }

  private PushingClient client() {
    URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
    return new PushingClient(uri, "/hot.git", REF, new SplittableRandom(1));
  }

  @Test
  void acknowledged_pushes_are_counted_and_the_last_is_the_head() throws Exception {
    PushingClient client = client();
    long began = System.nanoTime();

    client.run(
        () -> {
          listing = "003f" + client.head().name() + " " + REF + "\0report-status\n0000";
          return client.count() < 3;
        });

    assertThat(client.count()).isEqualTo(3);
    assertThat(client.head()).isNotEqualTo(ObjectId.zeroId());
    assertThat(client.latencies(began, System.nanoTime())).hasSize(3);
    assertThat(client.latencies(began - 1, began)).isEmpty();
  }

  @Test
  void a_server_that_lists_another_commit_than_it_acknowledged_is_found_out() {
    PushingClient client = client();

    assertThatThrownBy(() -> client.run(() -> true))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(REF)
        .hasMessageContaining("does not list " + client.head().name());
    assertThat(client.count()).isEqualTo(1);
  }

  @Test
  void a_push_that_is_refused_ends_the_client_with_the_reason() {
    report = "000eunpack ok\n0024ng refs/heads/client-0 no room\n0000";
    PushingClient client = client();

    assertThatThrownBy(() -> client.run(() -> true))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("ng refs/heads/client-0 no room");
    assertThat(client.count()).isZero();
  }
}
