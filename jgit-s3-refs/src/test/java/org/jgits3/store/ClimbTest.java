// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClimbTest {
  /** What it decides when so much comes, in GB/s, from one look to the next. */
  private static List<Integer> others(double... rates) {
    Climb climb = new Climb(3);
    List<Integer> others = new ArrayList<>();
    for (double rate : rates) {
      others.add(climb.others((long) (rate * 8_000_000), 8_000_000));
    }
    return others;
  }

  @Test
  void a_connection_that_is_slow_is_joined_at_once_by_all_that_may() {
    assertThat(others(0)).containsExactly(3);
    assertThat(others(0.9, 0.1, 4)).containsExactly(3, 3, 3);
  }

  @Test
  void one_is_added_at_a_time_while_each_brings_a_tenth_more() {
    // the first look, and the one right after a connection was added, say nothing but slow
    assertThat(others(5, 2, 1.5, 2.2, 1.5, 2.5, 1.5, 2.8, 1.2))
        .containsExactly(0, 1, 1, 2, 2, 3, 3, 3, 3);
  }

  @Test
  void what_brings_nothing_is_taken_away_and_not_tried_again() {
    assertThat(others(2, 2, 3, 2.1, 2, 2, 9, 9)).containsExactly(0, 1, 1, 0, 0, 0, 0, 0);
    assertThat(others(2, 2, 2, 2.5, 2, 2.6, 2.5)).containsExactly(0, 1, 1, 2, 2, 1, 1);
    assertThat(others(2, 2, 2, 2.5, 2, 3, 2, 3.1)).containsExactly(0, 1, 1, 2, 2, 3, 3, 2);
  }

  @Test
  void what_becomes_slow_is_joined_by_all() {
    assertThat(others(2, 2, 2, 2, 2, 0.5, 2)).containsExactly(0, 1, 1, 0, 0, 3, 3);
    assertThat(others(2, 2, 0.5)).containsExactly(0, 1, 3);
  }

  @Test
  void a_look_that_takes_no_time_is_no_error() {
    assertThat(new Climb(3).others(0, 0)).isEqualTo(3);
  }
}
