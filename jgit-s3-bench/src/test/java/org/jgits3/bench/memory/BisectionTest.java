// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jgits3.bench.memory.Bisection.Found;
import org.jgits3.bench.memory.Bisection.Step;
import org.junit.jupiter.api.Test;

class BisectionTest {
  private static final int MOST = 2000;

  private static Found search(int needed, int guess) throws Exception {
    return new Bisection(1, 1, 1, MOST, heap -> heap >= needed).from(guess);
  }

  @Test
  void finds_the_smallest_heap_from_any_guess() throws Exception {
    for (int needed : List.of(1, 2, 42, 270, 1070, MOST)) {
      for (int guess : List.of(1, 2, 41, 42, 43, 270, 1999, MOST, 5000)) {
        assertThat(search(needed, guess).megabytes())
            .as("%s from %s", needed, guess)
            .isEqualTo(needed);
      }
    }
  }

  @Test
  void good_guess_takes_few_trials() throws Exception {
    assertThat(search(270, 272).steps()).hasSizeLessThan(8);
    assertThat(search(270, 270).steps()).hasSizeLessThan(8);
  }

  @Test
  void coarse_search_is_wrong_by_less_than_its_resolution() throws Exception {
    for (int needed = 90; needed < 130; needed++) {
      int least = needed;
      Found found = new Bisection(8, 1, 1, MOST, heap -> heap >= least).from(100);
      assertThat(found.megabytes()).isBetween(needed, needed + 7);
    }
  }

  @Test
  void ends_with_as_many_successes_in_a_row_as_were_asked_for() throws Exception {
    Found found = new Bisection(1, 20, 1, MOST, heap -> heap >= 270).from(300);

    List<Step> steps = found.steps();
    assertThat(steps.subList(steps.size() - 20, steps.size())).containsOnly(new Step(270, true));
    assertThat(steps.stream().filter(new Step(270, true)::equals))
        .as("those by which it was chosen do not count")
        .hasSize(23);
  }

  @Test
  void guess_that_is_right_has_been_chosen_before_its_successes() throws Exception {
    Found found = new Bisection(1, 20, 1, MOST, heap -> heap >= 270).from(270);

    assertThat(found.megabytes()).isEqualTo(270);
    assertThat(found.steps().stream().filter(ok(270)::equals)).hasSize(20);
    assertThat(found.steps()).hasSizeLessThan(25);
  }

  @Test
  void heap_that_must_be_there_does_not_count_for_the_strides() throws Exception {
    Found found = new Bisection(1, 3, 258, MOST, heap -> heap >= 271).from(271);

    assertThat(found.steps()).containsExactly(ok(271), ok(271), ok(271), new Step(270, false));
  }

  @Test
  void few_successes_are_asked_for_of_each_heap() throws Exception {
    Found found = new Bisection(1, 3, 1, MOST, heap -> heap >= 270).from(271);

    Map<Integer, List<Step>> tried =
        found.steps().stream().collect(Collectors.groupingBy(Step::megabytes));
    assertThat(tried.get(270)).containsExactly(ok(270), ok(270), ok(270));
    assertThat(tried.get(271)).containsExactly(ok(271), ok(271), ok(271));
    assertThat(tried.get(269)).containsExactly(new Step(269, false));
  }

  @Test
  void luck_of_a_single_trial_does_not_choose_a_heap() throws Exception {
    int[] trials = new int[1];
    // Below 900 every second trial succeeds.
    Found found =
        new Bisection(10, 3, 1, MOST, heap -> heap >= 900 || ++trials[0] % 2 == 0).from(905);

    assertThat(found.megabytes()).isBetween(900, 909);
    assertThat(found.steps()).hasSizeLessThan(20);
  }

  private static Step ok(int megabytes) {
    return new Step(megabytes, true);
  }

  @Test
  void failure_among_successes_asks_for_more_heap_and_all_successes_again() throws Exception {
    int[] at270 = new int[1];
    Found found =
        new Bisection(1, 3, 1, MOST, heap -> heap > 270 || (heap == 270 && ++at270[0] < 3))
            .from(270);

    assertThat(found.megabytes()).isEqualTo(271);
    assertThat(found.steps())
        .endsWith(new Step(271, true), new Step(271, true), new Step(271, true));
  }

  @Test
  void luck_costs_few_trials() throws Exception {
    int[] trials = new int[1];
    // Below 900 every fifth trial fails, below 600 all do.
    Found found =
        new Bisection(1, 20, 1, MOST, heap -> ++trials[0] % 5 != 0 ? heap >= 600 : heap >= 900)
            .from(600);

    assertThat(found.megabytes()).isBetween(900, 901);
    assertThat(trials[0]).isLessThan(400);
  }

  @Test
  void nothing_below_the_least_heap_is_tried() throws Exception {
    Found found = new Bisection(1, 2, 42, MOST, heap -> true).from(42);

    assertThat(found.megabytes()).isEqualTo(42);
    assertThat(found.steps()).containsExactly(new Step(42, true), new Step(42, true));
  }

  @Test
  void largest_heap_that_is_not_enough_is_an_error() {
    assertThatThrownBy(() -> search(MOST + 1, 100))
        .isInstanceOf(IOException.class)
        .hasMessage("-Xmx2000m is not enough, or it takes too long");
  }

  @Test
  void other_failure_ends_the_search() {
    Bisection.Trial broken =
        heap -> {
          throw new IOException("no such bucket");
        };

    assertThatThrownBy(() -> new Bisection(1, 1, 1, MOST, broken).from(100))
        .hasMessage("no such bucket");
  }
}
