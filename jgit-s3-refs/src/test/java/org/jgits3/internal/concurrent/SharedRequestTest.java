// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.concurrent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jgits3.testing.Seeds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that callers share, and what they may not share. */
@Timeout(300)
class SharedRequestTest {
  private static final int THREADS = 16;
  private static final int CALLS = 2000;

  @Seeds(1)
  void an_answer_is_never_older_than_its_caller_and_one_is_asked_at_a_time(long seed)
      throws Exception {
    AtomicLong state = new AtomicLong();
    AtomicLong requests = new AtomicLong();
    AtomicBoolean asking = new AtomicBoolean();
    SharedRequest<Long> shared =
        new SharedRequest<>(
            "state",
            () -> {
              assertThat(asking.getAndSet(true)).as("another one is asking").isFalse();
              requests.incrementAndGet();
              long seen = state.get();
              asking.set(false);
              return seen;
            });
    List<FutureTask<Void>> tasks = new ArrayList<>();
    for (int t = 0; t < THREADS; t++) {
      Random random = new Random(seed + t);
      FutureTask<Void> task =
          new FutureTask<>(
              () -> {
                for (int i = 0; i < CALLS; i++) {
                  long arrived = random.nextBoolean() ? state.incrementAndGet() : state.get();
                  assertThat(shared.get()).isGreaterThanOrEqualTo(arrived);
                }
                return null;
              });
      tasks.add(task);
      new Thread(task).start();
    }
    for (FutureTask<Void> task : tasks) {
      task.get();
    }
    assertThat(requests.get()).isLessThanOrEqualTo((long) THREADS * CALLS);
  }

  @Test
  void a_failure_is_shared_by_the_waiting_calls_and_the_next_call_asks_again() throws IOException {
    AtomicLong requests = new AtomicLong();
    SharedRequest<String> shared =
        new SharedRequest<>(
            "state",
            () -> {
              if (requests.incrementAndGet() == 1) {
                throw new IOException("down");
              }
              return "up";
            });
    assertThatThrownBy(shared::get).isInstanceOf(IOException.class).hasMessage("down");
    assertThat(shared.get()).isEqualTo("up");
  }

  @Test
  void an_interrupt_does_not_end_it_and_stays() throws IOException {
    SharedRequest<String> shared = new SharedRequest<>("state", () -> "up");
    Thread.currentThread().interrupt();
    assertThat(shared.get()).isEqualTo("up");
    assertThat(Thread.interrupted()).isTrue();
  }
}
