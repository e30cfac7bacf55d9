// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class BoundedWorkTest {
  private static final int MOST = 4;

  private final BoundedWork work = new BoundedWork("too much", 1, MOST, Duration.ofMinutes(5));
  private final List<String> done = Collections.synchronizedList(new ArrayList<>());
  private final CountDownLatch held = new CountDownLatch(1);

  /** Occupies the one thread until {@link #held} is released. */
  private void occupy() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    var unused =
        work.submit(
            "first",
            () -> {
              begun.countDown();
              return uninterrupted(held);
            });
    begun.await();
  }

  private static boolean uninterrupted(CountDownLatch latch) {
    try {
      latch.await();
      return true;
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted", e);
    }
  }

  private CompletableFuture<Boolean> submit(String client, String task) {
    return work.submit(client, () -> done.add(task));
  }

  /** Submits a task whose result does not matter. */
  private void queue(String client, String task) {
    var unused = submit(client, task);
  }

  @Test
  void clients_take_turns() throws Exception {
    occupy();
    queue("a", "a1");
    queue("a", "a2");
    CompletableFuture<Boolean> last = submit("a", "a3");
    queue("b", "b1");
    held.countDown();
    last.join();
    assertThat(done).containsExactly("a1", "b1", "a2", "a3");
  }

  @Test
  void client_with_most_tasks_makes_room_for_another() throws Exception {
    occupy();
    queue("a", "a1");
    queue("b", "b1");
    queue("b", "b2");
    CompletableFuture<Boolean> newest = submit("b", "b3");
    CompletableFuture<Boolean> other = submit("c", "c1");
    assertRefused(newest);
    assertRefused(submit("b", "b4"));
    held.countDown();
    assertThat(other.join()).isTrue();
    assertThat(done).startsWith("a1", "b1", "c1");
  }

  @Test
  void newcomer_is_refused_if_each_client_waits_once() throws Exception {
    occupy();
    List<CompletableFuture<Boolean>> waiting = new ArrayList<>();
    for (int i = 0; i < MOST; i++) {
      waiting.add(submit("client " + i, "task " + i));
    }
    assertRefused(submit("late", "late"));
    assertRefused(submit("client 0", "again"));
    held.countDown();
    waiting.forEach(CompletableFuture::join);
    assertThat(done).containsExactly("task 0", "task 1", "task 2", "task 3");
    assertThat(submit("late", "later").join()).isTrue();
  }

  @Test
  void task_that_fails_is_the_only_one() {
    CompletableFuture<Boolean> failed =
        work.submit(
            "a",
            () -> {
              throw new IllegalStateException("broken");
            });
    assertThatExceptionOfType(CompletionException.class)
        .isThrownBy(failed::join)
        .withMessageContaining("broken");
    assertThat(submit("a", "a1").join()).isTrue();
  }

  private static void assertRefused(CompletableFuture<Boolean> task) {
    assertThat(task.isDone()).isTrue();
    assertThatExceptionOfType(CompletionException.class)
        .isThrownBy(task::join)
        .withCauseInstanceOf(Refusal.class);
  }
}
