// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.concurrent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Waits and interrupts. */
class UninterruptedTest {
  private final List<String> events = new ArrayList<>();

  @AfterEach
  void clear() {
    assertThat(Thread.interrupted()).isFalse();
  }

  /** Waits twice, the first time until an interrupt, and fails in the end if told to. */
  private final class Waiting implements Uninterrupted.Wait<IOException> {
    private final boolean fails;

    Waiting(boolean fails) {
      this.fails = fails;
    }

    @Override
    public void await() throws IOException, InterruptedException {
      events.add(
          "waits " + (Thread.currentThread().isInterrupted() ? "interrupted" : "undisturbed"));
      if (events.stream().filter(event -> event.startsWith("waits")).count() == 1) {
        throw new InterruptedException();
      }
      if (fails) {
        throw new IOException("as if");
      }
    }

    @Override
    public void interrupted() {
      events.add("learns");
    }
  }

  @Test
  void an_interrupt_does_not_end_a_wait_and_is_there_afterwards() throws Exception {
    Uninterrupted.await(new Waiting(false));
    assertThat(Thread.interrupted()).isTrue();
    assertThat(events).containsExactly("waits undisturbed", "learns", "waits undisturbed");
  }

  @Test
  void an_interrupt_before_a_wait_is_learned_first() throws Exception {
    Thread.currentThread().interrupt();
    Uninterrupted.await(new Waiting(false));
    assertThat(Thread.interrupted()).isTrue();
    assertThat(events)
        .containsExactly("learns", "waits undisturbed", "learns", "waits undisturbed");
  }

  @Test
  void a_failure_ends_a_wait_and_an_interrupt_is_there_afterwards() {
    assertThatThrownBy(() -> Uninterrupted.await(new Waiting(true))).hasMessage("as if");
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void a_wait_without_an_interrupt_leaves_none() {
    Uninterrupted.await(() -> events.add("waits"));
    assertThat(events).containsExactly("waits");
  }
}
