// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.index;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gerrit.entities.Change;
import com.google.gerrit.entities.Project;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Documents that a request writes after they were followed. */
class IndexedHereTest {
  private static final Project.NameKey MOVED = Project.nameKey("moved");
  private static final Effect CHANGE = new Effect.OfChange(Change.id(5));

  private final IndexedHere indexed = new IndexedHere();

  private void follow() throws InterruptedException {
    Thread follower = new Thread(() -> indexed.follows(CHANGE, MOVED));
    follower.start();
    follower.join();
  }

  @Test
  void document_is_followed_again_in_the_project_that_has_it_now() throws Exception {
    follow();
    indexed.onChangeIndexed("former", 5);
    assertThat(indexed.takeAgain()).isEqualTo(Map.of(CHANGE, MOVED));
    assertThat(indexed.isEmpty()).isTrue();
  }

  @Test
  void document_that_was_not_followed_is_left_alone() {
    indexed.onChangeIndexed("former", 5);
    assertThat(indexed.takeAgain()).isEmpty();
  }
}
