// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gerrit.exceptions.StorageException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jgits3.store.StoreException;
import org.junit.jupiter.api.Test;

/** Steps some of which fail. */
class StepsTest {
  private final Steps steps = new Steps();
  private final List<Integer> taken = new ArrayList<>();

  @Test
  void steps_after_one_that_fails_are_taken_and_all_failures_told() throws Exception {
    for (int i = 0; i < 4; i++) {
      int step = i;
      steps.take(
          () -> {
            taken.add(step);
            if (step == 1) {
              throw new IOException("first");
            }
            if (step == 2) {
              throw new IllegalStateException("second");
            }
          });
    }
    assertThat(taken).containsExactly(0, 1, 2, 3);
    assertThatThrownBy(steps::end)
        .isInstanceOf(IOException.class)
        .cause()
        .hasMessage("first")
        .satisfies(first -> assertThat(first.getSuppressed()[0]).hasMessage("second"));
  }

  @Test
  void failure_of_the_store_ends_the_steps_at_once() {
    StorageException failure =
        new StorageException("x", new StoreException.Unavailable("key", "no answer", null));
    assertThatThrownBy(
            () ->
                steps.take(
                    () -> {
                      throw failure;
                    }))
        .isSameAs(failure);
  }

  @Test
  void steps_that_succeed_end_well() throws Exception {
    steps.take(() -> taken.add(1));
    steps.end();
    assertThat(taken).containsExactly(1);
  }
}
