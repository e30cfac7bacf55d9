// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ConcurrencyLimitTest {
  @Test
  @Timeout(300)
  void one_more_than_may_wait_is_sent_away_at_once() throws Exception {
    ConcurrencyLimit limit = new ConcurrencyLimit(1, 1, Duration.ofDays(1));
    assertThat(limit.take()).isTrue();
    CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(limit::take);
    Instant deadline = Instant.now().plusSeconds(30);
    while (!limit.awaited() && Instant.now().isBefore(deadline)) {
      Thread.onSpinWait();
    }
    assertThat(limit.take()).isFalse();
    limit.end();
    assertThat(waiting.get(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void who_waited_in_vain_leaves_room_for_others() {
    ConcurrencyLimit limit = new ConcurrencyLimit(1, 1, Duration.ZERO);
    assertThat(limit.take()).isTrue();
    assertThat(limit.take()).isFalse();
    assertThat(limit.take()).isFalse();
    limit.end();
    assertThat(limit.take()).isTrue();
  }

  @Test
  void an_interrupted_thread_gets_no_turn_and_stays_interrupted() {
    ConcurrencyLimit limit = new ConcurrencyLimit(1, 1, Duration.ofDays(1));
    Thread.currentThread().interrupt();
    assertThat(limit.take()).isFalse();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(limit.take()).isTrue();
  }
}
