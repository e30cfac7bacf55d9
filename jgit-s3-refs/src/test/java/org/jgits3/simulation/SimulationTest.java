// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jgits3.testing.Holds;
import org.jgits3.testing.RandomSeed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs of the library in simulated processes, each from a seed. A failure tells the last steps of
 * its run, and the property that repeats it. {@link Simulate} runs seeds at length.
 */
@ExtendWith(Quiet.class)
class SimulationTest {
  /** Seed of PackWorld of a run in which a repository is not opened. */
  private static final long NOT_OPENED = 10;

  @Test
  @Holds(
      "CommitLoop: A success is reported only after the write was acknowledged or found (A0, A10, "
          + "A13, A14c)")
  void commits_are_linearizable() {
    run("CommitWorld", RandomSeed.count(300, 8_000));
  }

  @Test
  void names_obey_their_invariants() {
    run("NamesWorld", RandomSeed.count(300, 8_000));
  }

  @Test
  void refs_are_linearizable_while_they_are_folded_and_swept() {
    run("RefsWorld", RandomSeed.count(60, 4_000));
  }

  @Test
  void refs_lead_to_objects_while_packs_are_swept_and_names_change() {
    run("PackWorld", RandomSeed.count(40, 1_200));
  }

  private static void run(String world, int count) {
    SimulationRun runs = new SimulationRun(world, Mutation.NONE);
    RandomSeed.forEach(
        count,
        seed -> {
          try {
            runs.run(seed, null);
          } catch (Throwable e) {
            throw new AssertionError(runs.story(seed), e);
          }
        });
  }

  @Test
  void a_run_follows_from_its_seed() throws Throwable {
    for (String world : List.of("CommitWorld", "NamesWorld", "RefsWorld", "PackWorld")) {
      SimulationRun one = new SimulationRun(world, Mutation.NONE);
      SimulationRun other = new SimulationRun(world, Mutation.NONE);
      for (long seed = 1; seed <= RandomSeed.count(6, 25); seed++) {
        List<String> once = new ArrayList<>();
        List<String> again = new ArrayList<>();
        one.run(seed, once);
        other.run(seed, again);
        assertThat(again).as(world + ", seed " + seed).isNotEmpty().isEqualTo(once);
      }
    }
  }

  /** A process of this run fails to open a repository, which nothing refers to afterwards. */
  @Test
  void a_run_does_not_depend_on_what_is_collected() throws Throwable {
    List<String> once = new ArrayList<>();
    new SimulationRun("PackWorld", Mutation.NONE).run(NOT_OPENED, once);
    List<String> again = new Collecting();
    new SimulationRun("PackWorld", Mutation.NONE).run(NOT_OPENED, again);
    assertThat(again).isNotEmpty().isEqualTo(once);
  }

  /** Collects garbage after each failure. */
  private static final class Collecting extends ArrayList<String> {
    private static final long serialVersionUID = 1;

    @Override
    public boolean add(String line) {
      if (line.contains("Exception")) {
        System.gc();
      }
      return super.add(line);
    }
  }
}
