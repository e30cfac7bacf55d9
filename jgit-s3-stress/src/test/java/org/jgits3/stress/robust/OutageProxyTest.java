// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.robust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.time.Duration;
import org.jgits3.stress.AnsweringServer;
import org.jgits3.stress.robust.OutageProxy.Kind;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OutageProxyTest {
  private static final Duration LENGTH = Duration.ofSeconds(4);

  /** More than the heads of one request and its answer, less than those of two. */
  private static final long BYTES = 500;

  @AutoClose private AnsweringServer server;

  @BeforeEach
  void serve() throws IOException {
    server = new AnsweringServer("x".repeat(50));
  }

  private OutageProxy proxy(Kind kind) throws IOException {
    OutageProxy proxy = OutageProxy.start(server.uri(), kind, LENGTH);
    proxy.awayAfter(BYTES);
    return proxy;
  }

  private static int get(OutageProxy proxy) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) proxy.uri().toURL().openConnection();
    connection.setRequestProperty("Connection", "close");
    int status = connection.getResponseCode();
    connection.disconnect();
    return status;
  }

  /** Sends requests until one breaks or is refused. */
  private static void begin(OutageProxy proxy) {
    assertThatThrownBy(
            () -> {
              int answered = 0;
              while (get(proxy) == 200) {
                // The last bytes of a good answer may be those that begin the outage.
                assertThat(++answered).isLessThan(10);
              }
              throw new IOException("no more 200");
            })
        .isInstanceOf(IOException.class);
    assertThat(proxy.happened()).isTrue();
  }

  private static void awaitEnd(OutageProxy proxy) throws InterruptedException {
    long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (System.nanoTime() < deadline) {
      try {
        if (get(proxy) == 200) {
          return;
        }
      } catch (IOException e) {
        Thread.sleep(20);
      }
    }
    throw new AssertionError("the outage does not end");
  }

  @Test
  void a_port_is_closed_for_a_while_once_so_many_bytes_have_passed() throws Exception {
    try (OutageProxy proxy = proxy(Kind.REFUSED)) {
      assertThat(get(proxy)).isEqualTo(200);
      begin(proxy);
      assertThatThrownBy(() -> get(proxy)).isInstanceOf(ConnectException.class);
      awaitEnd(proxy);
      assertThat(proxy.answers()).isZero();
    }
  }

  @Test
  void requests_are_answered_503_for_a_while_once_so_many_bytes_have_passed() throws Exception {
    try (OutageProxy proxy = proxy(Kind.UNAVAILABLE)) {
      assertThat(get(proxy)).isEqualTo(200);
      begin(proxy);
      assertThat(get(proxy)).isEqualTo(503);
      awaitEnd(proxy);
      assertThat(proxy.answers()).isPositive();
    }
  }
}
