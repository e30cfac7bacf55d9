// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgits3.internal.function.IoRunnable;
import org.junit.jupiter.api.Test;

class RegisterTest {
  private static final String KEY = "register";

  private final MemoryObjectStore good = new MemoryObjectStore();
  private final Register register = new Register(good, KEY);
  private int writes;

  /** The ways in which an attempt ends; an attempt that is not told here is answered. */
  private enum Fate {
    /** Written, but the answer is lost. */
    LOST_ANSWER,
    /** Never written. */
    LOST_REQUEST,
    /** Written after the next attempt. */
    LATE
  }

  private Register through(Fate... fates) {
    Queue<Fate> left = new ArrayDeque<>(List.of(fates));
    return new Register(
        new DelegatingObjectStore(good) {
          private Optional<IoRunnable> late = Optional.empty();

          @Override
          public PutOutcome putIf(String key, byte[] body, Precondition precondition)
              throws IOException {
            writes++;
            Fate fate = left.poll();
            if (fate == null || fate == Fate.LOST_ANSWER) {
              PutOutcome outcome = super.putIf(key, body, precondition);
              if (late.isPresent()) {
                late.get().run();
              }
              return fate == null ? outcome : new PutOutcome.Unknown("reset");
            }
            if (fate == Fate.LATE) {
              late = Optional.of(() -> good.putIf(key, body, precondition));
            }
            return new PutOutcome.Unknown("reset");
          }
        },
        KEY);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(US_ASCII);
  }

  private String value() throws IOException {
    return new String(register.read().orElseThrow().bytes(), US_ASCII);
  }

  private Optional<ObjectVersion> version() throws IOException {
    return register.read().map(GetResult.Found::version);
  }

  @Test
  void value_is_replaced_from_the_version_that_was_read_only() throws Exception {
    assertThat(register.read()).isEmpty();
    assertThat(register.replace(Optional.empty(), bytes("a"), 1))
        .isInstanceOf(PutOutcome.Won.class);
    Optional<ObjectVersion> a = version();
    assertThat(register.replace(a, bytes("b"), 1)).isEqualTo(new PutOutcome.Won(version().get()));
    assertThat(register.replace(a, bytes("c"), 9)).isInstanceOf(PutOutcome.Lost.class);
    assertThat(register.replace(Optional.empty(), bytes("d"), 9))
        .isInstanceOf(PutOutcome.Lost.class);
    assertThat(value()).isEqualTo("b");
  }

  /** As versitygw 1.8 does in a bucket with versioning, after a deletion. */
  @Test
  void store_that_neither_has_a_value_nor_creates_it_is_named_with_what_to_do() {
    ObjectStore marked =
        new DelegatingObjectStore(good) {
          @Override
          public PutOutcome putIf(String key, byte[] body, Precondition precondition) {
            return new PutOutcome.Lost();
          }
        };
    assertThatThrownBy(() -> new Register(marked, KEY).replace(Optional.empty(), bytes("a"), 1))
        .isInstanceOf(StoreException.Refused.class)
        .hasMessageEndingWith(
            "/register: is missing, and the store refuses to create it; delete its old versions");
  }

  @Test
  void write_whose_answer_was_lost_is_found_and_not_repeated() throws Exception {
    PutOutcome outcome = through(Fate.LOST_ANSWER).replace(Optional.empty(), bytes("a"), 9);
    assertThat(outcome).isEqualTo(new PutOutcome.Won(version().get()));
    assertThat(writes).isEqualTo(1);
  }

  @Test
  void lost_request_is_repeated_as_often_as_allowed() throws Exception {
    Fate[] twice = {Fate.LOST_REQUEST, Fate.LOST_REQUEST};
    assertThat(through(twice).replace(Optional.empty(), bytes("a"), 2))
        .isInstanceOf(PutOutcome.Unknown.class);
    assertThat(writes).isEqualTo(2);
    assertThat(register.read()).isEmpty();
    assertThat(through(twice).replace(Optional.empty(), bytes("a"), 3))
        .isInstanceOf(PutOutcome.Won.class);
    assertThat(value()).isEqualTo("a");
  }

  @Test
  void attempt_that_arrives_late_undoes_nothing() throws Exception {
    assertThat(through(Fate.LATE).replace(Optional.empty(), bytes("a"), 2))
        .isInstanceOf(PutOutcome.Won.class);
    register.replace(version(), bytes("b"), 1);
    Optional<ObjectVersion> b = version();
    assertThat(through(Fate.LATE, Fate.LOST_ANSWER).replace(b, bytes("c"), 2))
        .isEqualTo(new PutOutcome.Won(version().get()));
    assertThat(value()).isEqualTo("c");
  }

  @Test
  void answer_that_was_lost_is_not_mistaken_for_that_of_another_write() throws Exception {
    Register mine = through(Fate.LOST_REQUEST);
    register.replace(Optional.empty(), bytes("theirs"), 1);
    assertThat(mine.replace(Optional.empty(), bytes("mine"), 9))
        .isInstanceOf(PutOutcome.Lost.class);
    assertThat(value()).isEqualTo("theirs");
  }

  @Test
  void one_of_several_that_replace_one_version_wins() throws Exception {
    int racers = 8;
    for (int round = 0; round < 100; round++) {
      Optional<ObjectVersion> before = version();
      String number = round + " ";
      AtomicInteger won = new AtomicInteger();
      ConcurrentTasks.run(
          racers,
          i -> {
            if (register.replace(before, bytes(number + i), 1) instanceof PutOutcome.Won) {
              won.incrementAndGet();
            }
          });
      assertThat(won).hasValue(1);
    }
  }
}
