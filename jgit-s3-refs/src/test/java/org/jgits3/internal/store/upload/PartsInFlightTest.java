// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.upload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Parts in flight whose threads have no memory. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD) // failing, some would go on for ever
class PartsInFlightTest {
  private final Error noMemory = new OutOfMemoryError("as if");

  @Test
  void a_part_whose_memory_cannot_be_given_back_has_ended_all_the_same() {
    PartsInFlight parts =
        new PartsInFlight(task -> new Thread(new FutureTask<Void>(task, null)).start());
    parts.send(
        () -> null,
        () -> {
          throw noMemory;
        });
    parts.stop(new IllegalStateException("given up"));
    assertThatThrownBy(parts::await).hasMessage("given up");
  }

  @Test
  void a_part_for_which_there_is_no_thread_fails_and_gives_its_memory_back() {
    AtomicInteger given = new AtomicInteger();
    PartsInFlight parts =
        new PartsInFlight(
            task -> {
              throw noMemory;
            });
    assertThatThrownBy(() -> parts.send(() -> null, given::incrementAndGet)).isSameAs(noMemory);
    assertThat(given).hasValue(1);
    assertThatThrownBy(parts::await).isSameAs(noMemory);
    parts.stop(noMemory);
  }

  @Test
  void a_part_that_was_queued_although_that_failed_is_not_sent_and_ends_once() {
    AtomicInteger sent = new AtomicInteger();
    AtomicInteger given = new AtomicInteger();
    List<Runnable> queue = new ArrayList<>();
    PartsInFlight parts =
        new PartsInFlight(
            task -> {
              queue.add(task);
              throw noMemory;
            });
    assertThatThrownBy(
            () ->
                parts.send(
                    () -> {
                      sent.incrementAndGet();
                      return null;
                    },
                    given::incrementAndGet))
        .isSameAs(noMemory);
    queue.forEach(Runnable::run);
    assertThat(sent).hasValue(0);
    assertThat(given).hasValue(1);
  }
}
