// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.follow;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gerrit.entities.Change;
import com.google.gerrit.entities.Project;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Changes of two projects that are too many for one round. */
class WaitingChangesTest {
  private static final Project.NameKey LARGE = Project.nameKey("large");
  private static final Project.NameKey SMALL = Project.nameKey("small");

  private final WaitingChanges waiting = new WaitingChanges();

  private static List<Change.Id> changes(int from, int to) {
    return IntStream.rangeClosed(from, to).mapToObj(Change::id).toList();
  }

  @Test
  void large_project_takes_turns_with_others() {
    int most = WaitingChanges.MOST;
    waiting.add(LARGE, changes(1, 2 * most));
    waiting.add(SMALL, changes(9001, 9002));
    assertThat(waiting.take()).isEqualTo(Map.of(LARGE, changes(1, most)));
    assertThat(waiting.take())
        .isEqualTo(Map.of(SMALL, changes(9001, 9002), LARGE, changes(most + 1, 2 * most - 2)));
    assertThat(waiting.take()).isEqualTo(Map.of(LARGE, changes(2 * most - 1, 2 * most)));
    assertThat(waiting.projects()).isEmpty();
    assertThat(waiting.take()).isEmpty();
  }

  @Test
  void change_that_is_added_again_waits_once() {
    waiting.add(SMALL, changes(1, 2));
    waiting.add(SMALL, changes(2, 3));
    waiting.add(LARGE, List.of());
    assertThat(waiting.projects()).containsExactly(SMALL);
    assertThat(waiting.take()).isEqualTo(Map.of(SMALL, changes(1, 3)));
  }

  @Test
  void change_that_is_put_back_was_tried() {
    waiting.add(SMALL, changes(1, 2));
    assertThat(waiting.hasUntried()).isTrue();
    waiting.take().forEach(waiting::putBack);
    assertThat(waiting.hasUntried()).isFalse();
    assertThat(waiting.projects()).containsExactly(SMALL);
    waiting.add(SMALL, changes(2, 2));
    assertThat(waiting.hasUntried()).isTrue();
  }

  @Test
  void project_is_failing_until_the_change_that_was_put_back_is_taken() {
    int most = WaitingChanges.MOST;
    waiting.add(LARGE, changes(1, 2 * most));
    waiting.take();
    assertThat(waiting.failing()).isEmpty();
    waiting.putBack(LARGE, changes(1, 1));
    assertThat(waiting.failing()).containsExactly(LARGE);
    assertThat(waiting.take()).isEqualTo(Map.of(LARGE, changes(most + 1, 2 * most)));
    assertThat(waiting.failing()).containsExactly(LARGE);
    assertThat(waiting.hasUntried()).isFalse();
    waiting.take();
    assertThat(waiting.failing()).isEmpty();
  }

  @Test
  void changes_of_a_project_that_is_gone_do_not_wait() {
    waiting.add(LARGE, changes(1, 2));
    waiting.add(SMALL, changes(3, 4));
    waiting.remove(LARGE);
    assertThat(waiting.take()).isEqualTo(Map.of(SMALL, changes(3, 4)));
    waiting.remove(SMALL);
    assertThat(waiting.hasUntried()).isFalse();
  }
}
