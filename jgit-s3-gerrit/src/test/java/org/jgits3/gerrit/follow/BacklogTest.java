// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.follow;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gerrit.entities.Change;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jgits3.gerrit.index.Effect;
import org.jgits3.store.StoreException;
import org.junit.jupiter.api.Test;

/** Effects of one project that wait, are under way, or failed. */
class BacklogTest {
  private static final Effect ALL = new Effect.OfProject();
  private static final Throwable FAULT = new IOException("fault");
  private static final Throwable OUTAGE = new StoreException.Unavailable("key", "no answer", null);

  private final Backlog backlog = new Backlog(false);

  private static List<Effect> changes(int from, int to) {
    return IntStream.rangeClosed(from, to)
        .<Effect>mapToObj(id -> new Effect.OfChange(Change.id(id)))
        .toList();
  }

  @Test
  void effects_are_taken_in_chunks_by_some_tasks_at_a_time() {
    int chunk = Backlog.CHUNK;
    backlog.add(changes(1, 10 * chunk));
    for (int i = 0; i < Backlog.TASKS; i++) {
      assertThat(backlog.take()).isEqualTo(changes(1 + i * chunk, (i + 1) * chunk));
    }
    assertThat(backlog.take()).isEmpty();
    backlog.end(changes(1, chunk), Map.of());
    assertThat(backlog.take()).hasSize(chunk);
  }

  @Test
  void effect_that_is_under_way_is_taken_again_afterwards() {
    backlog.add(changes(1, 1));
    List<Effect> taken = backlog.take();
    backlog.add(changes(1, 2));
    assertThat(backlog.take()).isEqualTo(changes(2, 2));
    backlog.end(taken, Map.of());
    assertThat(backlog.take()).isEqualTo(changes(1, 1));
    assertThat(backlog.isEmpty()).isFalse();
  }

  @Test
  void project_is_compared_while_nothing_else_is_under_way() {
    backlog.add(changes(1, 1));
    List<Effect> taken = backlog.take();
    backlog.add(List.of(ALL));
    backlog.add(changes(2, 2));
    assertThat(backlog.take()).isEmpty();
    backlog.end(taken, Map.of());
    assertThat(backlog.take()).containsExactly(ALL);
    assertThat(backlog.take()).isEmpty();
    backlog.end(List.of(ALL), Map.of());
    assertThat(backlog.take()).isEqualTo(changes(2, 2));
  }

  private Set<Effect> fails(Effect effect, Throwable reason) {
    backlog.retry();
    List<Effect> taken = backlog.take();
    assertThat(taken).containsExactly(effect);
    return backlog.end(taken, Map.of(effect, reason));
  }

  @Test
  void effect_that_keeps_failing_is_given_up_until_it_comes_again() {
    Effect effect = changes(1, 1).getFirst();
    for (int round = 0; round < 2; round++) {
      backlog.add(List.of(effect));
      for (int i = 1; i < Backlog.ATTEMPTS; i++) {
        assertThat(fails(effect, FAULT)).isEmpty();
        assertThat(backlog.isFailing()).isTrue();
        assertThat(backlog.hasUntried()).isFalse();
        assertThat(backlog.take()).isEmpty(); // before the next round
      }
      assertThat(fails(effect, FAULT)).containsExactly(effect);
      assertThat(backlog.isEmpty()).isTrue();
      assertThat(backlog.isFailing()).isFalse();
    }
  }

  @Test
  void store_that_fails_is_no_fault_of_the_effect() {
    Effect effect = changes(1, 1).getFirst();
    backlog.add(List.of(effect));
    for (int i = 0; i < 2 * Backlog.ATTEMPTS; i++) {
      assertThat(fails(effect, OUTAGE)).isEmpty();
      assertThat(backlog.storeFails()).isTrue();
    }
    fails(effect, FAULT);
    assertThat(backlog.storeFails()).isFalse();
  }

  @Test
  void rights_are_missing_while_the_store_fails_or_before_the_comparison() {
    Backlog ofRights = new Backlog(true);
    for (Effect effect : List.of(ALL, changes(1, 1).getFirst())) {
      for (int i = 0; i < 2 * Backlog.ATTEMPTS; i++) {
        ofRights.add(List.of(effect));
        ofRights.end(ofRights.take(), Map.of(effect, OUTAGE));
        assertThat(ofRights.missesRights()).isTrue();
        ofRights.retry();
        ofRights.end(ofRights.take(), Map.of(effect, FAULT));
        assertThat(ofRights.missesRights()).isEqualTo(effect.equals(ALL));
        ofRights.retry();
      }
      ofRights.end(ofRights.take(), Map.of());
      assertThat(ofRights.missesRights()).isFalse();
    }
  }

  @Test
  void comparison_of_a_project_of_rights_is_not_given_up() {
    Backlog ofRights = new Backlog(true);
    ofRights.add(List.of(ALL));
    for (int i = 0; i < 2 * Backlog.ATTEMPTS; i++) {
      ofRights.end(ofRights.take(), Map.of(ALL, FAULT));
      ofRights.retry();
    }
    assertThat(ofRights.take()).containsExactly(ALL);
  }
}
