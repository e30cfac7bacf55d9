// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.follow;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gerrit.entities.Change;
import com.google.gerrit.entities.Project;
import org.jgits3.gerrit.index.Effect;
import org.junit.jupiter.api.Test;

/** Effects of the refs that a node changed itself. */
class OwnEffectsTest {
  private static final Project.NameKey PROJECT = Project.nameKey("a");
  private static final Effect EFFECT = new Effect.OfChange(Change.id(1));
  private static final long TIME = OwnEffects.TIME.toNanos();

  private final OwnEffects own = new OwnEffects();

  @Test
  void effect_is_due_after_the_time_and_until_it_was_applied() {
    own.add(PROJECT, EFFECT, 10);
    assertThat(own.due(10 + TIME)).isEmpty();
    assertThat(own.due(11 + TIME)).containsExactly(new OwnEffects.Own(PROJECT, EFFECT));
    own.due(11 + TIME).forEach(own::remove);
    assertThat(own.due(11 + TIME)).isEmpty();
  }

  @Test
  void effect_read_in_each_round_is_there_once_with_its_first_moment() {
    for (int round = 0; round < 100; round++) {
      own.add(PROJECT, EFFECT, 10 + round);
      own.add(Project.nameKey("b"), EFFECT, 10 + round);
    }
    assertThat(own.due(11 + TIME)).hasSize(2);
    assertThat(own.due(200 + TIME)).hasSize(2);
  }

  @Test
  void effects_are_known_from_their_moment_on() {
    assertThat(own.anyKnownAt(10)).isFalse();
    own.add(PROJECT, EFFECT, 10);
    assertThat(own.anyKnownAt(9)).isFalse();
    assertThat(own.anyKnownAt(10)).isTrue();
  }
}
