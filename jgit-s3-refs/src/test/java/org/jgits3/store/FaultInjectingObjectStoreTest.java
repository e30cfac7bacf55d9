// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgits3.store.FaultInjectingObjectStore.Fault;
import org.jgits3.testing.Seeds;
import org.junit.jupiter.api.Test;

class FaultInjectingObjectStoreTest {
  private final ObjectStore good = new MemoryObjectStore();

  @Test
  void a_write_that_never_arrived_and_one_whose_reply_was_lost_look_the_same() throws IOException {
    FaultInjectingObjectStore store = new FaultInjectingObjectStore(good, 1, 0);
    store.script(RequestKind.PUT_IF, Fault.FAIL_BEFORE, Fault.FAIL_AFTER);
    assertThat(create(store)).isInstanceOf(PutOutcome.Unknown.class);
    assertThat(good.stat("x")).isEmpty();
    assertThat(create(store)).isInstanceOf(PutOutcome.Unknown.class);
    assertThat(good.stat("x")).isPresent();
    assertThat(create(store)).isEqualTo(new PutOutcome.Lost());
    assertThat(store.counts().snapshot()).hasToString("3 requests: 3 PUT_IF");
  }

  @Test
  void a_late_write_arrives_after_its_caller_was_told_that_nothing_is_known() throws IOException {
    FaultInjectingObjectStore store = new FaultInjectingObjectStore(good, 1, 0);
    store.script(RequestKind.PUT_IF, Fault.LATE);
    assertThat(create(store)).isInstanceOf(PutOutcome.Unknown.class);
    assertThat(good.stat("x")).isEmpty();
    assertThat(store.deliver()).singleElement().isInstanceOf(PutOutcome.Won.class);
    assertThat(good.stat("x")).isPresent();
  }

  @Test
  void a_duplicate_arrives_after_its_caller_had_the_answer() throws IOException {
    FaultInjectingObjectStore store = new FaultInjectingObjectStore(good, 1, 0);
    store.script(RequestKind.PUT_IF, Fault.TWICE);
    assertThat(create(store)).isInstanceOf(PutOutcome.Won.class);
    assertThat(store.deliver()).containsExactly(new PutOutcome.Lost());
  }

  @Test
  void other_requests_fail_as_unavailable() throws IOException {
    FaultInjectingObjectStore store = new FaultInjectingObjectStore(good, 1, 0);
    store.script(RequestKind.PUT, Fault.FAIL_BEFORE, Fault.FAIL_AFTER, Fault.TWICE);
    assertThatThrownBy(() -> store.put("x", new byte[1], 0, 1))
        .isInstanceOf(StoreException.Unavailable.class);
    assertThat(good.stat("x")).isEmpty();
    assertThatThrownBy(() -> store.put("x", new byte[1], 0, 1))
        .isInstanceOf(StoreException.Unavailable.class);
    assertThat(good.stat("x")).isPresent();
    store.put("y", new byte[1], 0, 1);
    assertThat(store.stat("y")).isPresent();
  }

  @Seeds(1)
  void under_random_faults_every_acknowledged_increment_counts(long seed) throws Exception {
    FaultInjectingObjectStore store = new FaultInjectingObjectStore(good, seed, 0.3);
    good.putIf("counter", "0".getBytes(US_ASCII), Precondition.absent());
    AtomicInteger won = new AtomicInteger();
    AtomicInteger unknown = new AtomicInteger();
    ConcurrentTasks.run(
        4,
        t -> {
          for (int i = 0; i < 200; i++) {
            try {
              GetResult.Found seen = (GetResult.Found) store.get("counter", Optional.empty());
              PutOutcome outcome =
                  store.putIf(
                      "counter",
                      Integer.toString(value(seen) + 1).getBytes(US_ASCII),
                      Precondition.matches(seen.version()));
              if (outcome instanceof PutOutcome.Won) {
                won.incrementAndGet();
              } else if (outcome instanceof PutOutcome.Unknown) {
                unknown.incrementAndGet();
              }
            } catch (StoreException.Unavailable e) {
              assertThat(e).hasMessageContaining("injected");
            }
          }
        });
    store.deliver();
    int value = value((GetResult.Found) good.get("counter", Optional.empty()));
    assertThat(value).as("%s", store).isBetween(won.get(), won.get() + unknown.get());
  }

  private static PutOutcome create(ObjectStore store) throws IOException {
    return store.putIf("x", new byte[] {1}, Precondition.absent());
  }

  private static int value(GetResult.Found found) {
    return Integer.parseInt(new String(found.bytes(), US_ASCII));
  }
}
