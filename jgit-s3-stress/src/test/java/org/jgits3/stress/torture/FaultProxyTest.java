// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.torture;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jgits3.bench.proxy.HttpMessage;
import org.jgits3.stress.AnsweringServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FaultProxyTest {
  private static final String BODY = "content of an object";
  private static final String UNCONDITIONAL = "";
  private static final String CONDITIONAL = "If-Match: \"v1\"\r\n";

  @AutoClose private AnsweringServer server;
  @AutoClose private FaultProxy proxy;

  @BeforeEach
  void serve() throws IOException {
    server = new AnsweringServer(BODY);
    proxy = FaultProxy.start(server.uri(), 1);
  }

  private void inject(Fault fault) {
    proxy.set(new Weather(1, EnumSet.of(fault), false));
  }

  private HttpMessage send(String method, String headers, String body) throws IOException {
    HttpMessage request =
        new HttpMessage(
            "%s /bucket/key HTTP/1.1\r\nHost: h\r\n%sContent-Length: %d\r\n\r\n"
                .formatted(method, headers, body.length()),
            body.getBytes(US_ASCII));
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.uri().getPort())) {
      request.writeTo(socket.getOutputStream());
      return HttpMessage.readAnswer(socket.getInputStream(), request);
    }
  }

  private HttpMessage get() throws IOException {
    return send("GET", UNCONDITIONAL, "");
  }

  private String next() throws InterruptedException {
    return server.arrived().poll(30, TimeUnit.SECONDS);
  }

  @Test
  void calm_weather_passes_everything_on() throws Exception {
    HttpMessage answer = send("PUT", UNCONDITIONAL, "x");

    assertThat(new String(answer.body(), US_ASCII)).isEqualTo(BODY);
    assertThat(next()).isEqualTo("PUT x");
    assertThat(proxy.faults()).isZero();
  }

  @Test
  void errors_before_the_request_is_forwarded_change_nothing() throws Exception {
    inject(Fault.UNAVAILABLE);
    assertThat(get().status()).isEqualTo(503);
    inject(Fault.FAILED);
    assertThat(get().status()).isEqualTo(500);
    inject(Fault.CONFLICT);
    assertThat(send("PUT", CONDITIONAL, "x").status()).isEqualTo(409);
    inject(Fault.RESET);
    assertThatThrownBy(this::get).isInstanceOf(IOException.class);

    assertThat(server.arrived()).isEmpty();
    assertThat(proxy.faults()).isEqualTo(4);
    assertThat(proxy.count(Fault.CONFLICT)).isEqualTo(1);
  }

  @Test
  void only_conditional_writes_meet_a_conflict() throws Exception {
    inject(Fault.CONFLICT);

    assertThat(send("PUT", UNCONDITIONAL, "x").status()).isEqualTo(200);
    assertThat(proxy.faults()).isZero();
  }

  @Test
  void request_whose_reply_is_lost_is_done() throws Exception {
    inject(Fault.LOST_REPLY);

    assertThatThrownBy(() -> send("PUT", UNCONDITIONAL, "x")).isInstanceOf(IOException.class);

    assertThat(next()).isEqualTo("PUT x");
  }

  @Test
  void request_that_is_answered_with_an_error_may_be_done() throws Exception {
    inject(Fault.FAILED_AFTER);

    assertThat(send("PUT", UNCONDITIONAL, "x").status()).isEqualTo(500);

    assertThat(next()).isEqualTo("PUT x");
  }

  @Test
  void success_with_an_error_may_be_done_and_that_of_a_gateway_is_not() throws Exception {
    inject(Fault.GATEWAY);
    for (int i = 0; i < 8; i++) {
      HttpMessage answer = send("PUT", UNCONDITIONAL, "x");
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.header("etag")).isEmpty();
    }
    inject(Fault.FAILED_IN_SUCCESS);
    HttpMessage answer = send("PUT", UNCONDITIONAL, "y");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(new String(answer.body(), US_ASCII)).contains("<Code>InternalError</Code>");
    assertThat(next()).isEqualTo("PUT y");
  }

  @Test
  void shortened_answer_is_half_of_the_content_and_looks_whole() throws Exception {
    inject(Fault.SHORTENED);

    HttpMessage answer = get();

    String half = BODY.substring(0, BODY.length() / 2);
    assertThat(new String(answer.body(), US_ASCII)).isEqualTo(half);
    assertThat(answer.header("content-length")).hasValue("" + half.length());
  }

  @Test
  void late_request_is_done_after_its_client_has_lost_the_connection() throws Exception {
    inject(Fault.LATE);

    assertThatThrownBy(() -> send("PUT", CONDITIONAL, "x")).isInstanceOf(IOException.class);

    assertThat(next()).isEqualTo("PUT x");
  }

  @Test
  void repeated_and_doubled_requests_are_done_twice() throws Exception {
    inject(Fault.REPEATED);
    assertThat(send("PUT", CONDITIONAL, "x").status()).isEqualTo(200);
    assertThat(List.of(next(), next())).containsOnly("PUT x");

    inject(Fault.DOUBLED);
    assertThat(send("DELETE", UNCONDITIONAL, "y").status()).isEqualTo(200);
    assertThat(List.of(next(), next())).containsOnly("DELETE y");
  }

  @Test
  void cut_request_never_arrives_whole() throws Exception {
    inject(Fault.CUT_REQUEST);

    assertThatThrownBy(() -> send("PUT", UNCONDITIONAL, "whole")).isInstanceOf(IOException.class);

    proxy.set(Weather.CALM);
    get();
    assertThat(next()).isEqualTo("GET ");
  }

  @Test
  void cut_answer_ends_too_early() throws Exception {
    inject(Fault.CUT_ANSWER);

    assertThatThrownBy(this::get).hasMessageContaining("does not end");
  }

  @Test
  void one_bit_of_a_content_is_flipped_and_no_header() throws Exception {
    inject(Fault.FLIPPED_BIT);

    HttpMessage answer = get();

    byte[] right = BODY.getBytes(US_ASCII);
    int bits =
        IntStream.range(0, right.length)
            .map(i -> Integer.bitCount((right[i] ^ answer.body()[i]) & 0xff))
            .sum();
    assertThat(bits).isEqualTo(1);
    assertThat(answer.header("content-length")).hasValue("" + BODY.length());
  }

  @Test
  void slow_and_delayed_answers_are_whole() throws Exception {
    for (Fault fault : List.of(Fault.SLOW_ANSWER, Fault.DELAYED, Fault.DELAYED_ANSWER)) {
      inject(fault);
      assertThat(new String(get().body(), US_ASCII)).isEqualTo(BODY);
    }
  }

  @Test
  void outage_refuses_connections_until_it_is_over() throws Exception {
    proxy.set(new Weather(1, Set.of(), true));
    assertThatThrownBy(this::get).isInstanceOf(IOException.class);

    proxy.set(Weather.CALM);
    assertThat(get().status()).isEqualTo(200);
    assertThat(proxy.refusals()).isPositive();
  }

  @Test
  void probe_of_a_store_is_not_disturbed() {
    HttpMessage probe = new HttpMessage("GET /b/probe/x HTTP/1.1\r\n\r\n", new byte[0]);
    Weather weather = new Weather(1, EnumSet.of(Fault.FAILED), false);

    assertThat(weather.fault(new SplittableRandom(1), probe)).isEmpty();
  }

  @Test
  void same_seed_draws_the_same_faults() {
    HttpMessage request = new HttpMessage("GET /b/key HTTP/1.1\r\n\r\n", new byte[0]);

    assertThat(faults(7, request)).isEqualTo(faults(7, request)).isNotEqualTo(faults(8, request));
  }

  private static List<Optional<Fault>> faults(long seed, HttpMessage request) {
    SplittableRandom random = new SplittableRandom(seed);
    Weather weather = Weather.next(random);
    return IntStream.range(0, 100).mapToObj(i -> weather.fault(random, request)).toList();
  }

  @Test
  void an_honest_store_never_lies() {
    SplittableRandom random = new SplittableRandom(3);

    assertThat(IntStream.range(0, 1000).mapToObj(i -> Weather.next(random)))
        .noneMatch(weather -> weather.faults().stream().anyMatch(Fault.LIES::contains));
  }
}
