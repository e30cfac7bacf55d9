// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jgits3.server.http.limit.LeastDataRate;
import org.junit.jupiter.api.Test;

class LeastDataRateTest {
  private final AtomicLong now = new AtomicLong();
  private final LeastDataRate rate = new LeastDataRate(100, now::get);

  private void pass(int bytes, Duration after) throws IOException {
    rate.of(
        () -> {
          now.addAndGet(after.toNanos());
          return bytes;
        });
  }

  @Test
  void client_that_drips_is_cut_off_after_a_minute() throws Exception {
    for (int second = 1; second < 60; second++) {
      pass(1, Duration.ofSeconds(1));
    }
    assertThatIOException()
        .isThrownBy(() -> pass(1, Duration.ofSeconds(1)))
        .withMessage("the client passed 60 bytes in a minute, fewer than 6000");
  }

  @Test
  void client_that_was_fast_before_is_cut_off_too() throws Exception {
    pass(1_000_000, Duration.ofSeconds(30));
    pass(1, Duration.ofSeconds(30));
    pass(1, Duration.ofSeconds(30));
    assertThatIOException().isThrownBy(() -> pass(1, Duration.ofSeconds(30)));
  }

  @Test
  void pause_before_a_buffer_of_bytes_does_no_harm() throws Exception {
    for (int i = 0; i < 10; i++) {
      pass(8192, Duration.ofMinutes(4));
    }
  }

  @Test
  void pause_before_a_few_bytes_does_no_harm() throws Exception {
    for (int i = 0; i < 10; i++) {
      pass(4, Duration.ofMinutes(4));
      pass(8192, Duration.ofSeconds(1));
      pass(8192, Duration.ofSeconds(30));
    }
  }

  @Test
  void client_that_sends_little_after_each_of_many_pauses_is_cut_off() throws Exception {
    pass(4, Duration.ofMinutes(4));
    assertThatIOException().isThrownBy(() -> pass(4, Duration.ofMinutes(4)));
  }

  @Test
  void time_in_which_the_server_is_busy_does_not_count() throws Exception {
    for (int i = 0; i < 100; i++) {
      now.addAndGet(Duration.ofMinutes(10).toNanos());
      pass(1, Duration.ofMillis(1));
    }
  }

  @Test
  void end_of_a_request_is_no_slowness() throws Exception {
    pass(-1, Duration.ofMinutes(2));
  }

  @Test
  void client_that_was_dropped_is_not_waited_for_again() throws Exception {
    IOException idle = new IOException("Idle timeout expired");
    assertThatIOException()
        .isThrownBy(
            () ->
                rate.of(
                    () -> {
                      throw idle;
                    }))
        .isSameAs(idle);
    assertThatIOException()
        .isThrownBy(() -> rate.of(() -> fail("waited for it")))
        .withMessage(idle.getMessage())
        .withCause(idle);
  }
}
