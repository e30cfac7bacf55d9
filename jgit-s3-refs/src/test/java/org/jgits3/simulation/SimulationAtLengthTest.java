// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jgits3.testing.RandomSeed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs as many seeds as {@code -Dsimulation.seeds=N} says, on all processors, from {@code
 * -Dtest.seed} on, and prints how many there were.
 */
@ExtendWith(Quiet.class)
@EnabledIfSystemProperty(named = "simulation.seeds", matches = "\\d+")
class SimulationAtLengthTest {
  /** Worlds, and their shares of the seeds. */
  private static final List<Map.Entry<String, Integer>> SHARES =
      List.of(
          Map.entry("CommitWorld", 8),
          Map.entry("NamesWorld", 8),
          Map.entry("RefsWorld", 3),
          Map.entry("PackWorld", 1));

  @Test
  void no_rule_is_broken() throws InterruptedException {
    int parts = SHARES.stream().mapToInt(Map.Entry::getValue).sum();
    long seeds = Long.getLong("simulation.seeds");
    for (Map.Entry<String, Integer> world : SHARES) {
      run(world.getKey(), Math.max(1, seeds * world.getValue() / parts));
    }
  }

  private static void run(String world, long count) throws InterruptedException {
    AtomicLong next = new AtomicLong(RandomSeed.first());
    long end = next.get() + count;
    AtomicLong steps = new AtomicLong();
    AtomicReference<String> broken = new AtomicReference<>("");
    List<Thread> threads = new ArrayList<>();
    long begun = System.nanoTime();
    for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
      threads.add(new Thread(() -> run(world, next, end, steps, broken)));
    }
    threads.forEach(Thread::start);
    for (Thread each : threads) {
      each.join();
    }
    double seconds = (System.nanoTime() - begun) / 1e9;
    System.out.printf(
        "%s: %,d seeds, %,d steps, %.0f s, %,.0f seeds/s%n",
        world, count, steps.get(), seconds, count / seconds);
    assertThat(broken.get()).isEmpty();
  }

  private static void run(
      String world, AtomicLong next, long end, AtomicLong steps, AtomicReference<String> broken) {
    // Each thread has its own copy of the library, whose static state is that of one run.
    SimulationRun runs = new SimulationRun(world, Mutation.NONE);
    for (long seed = next.getAndIncrement();
        seed < end && broken.get().isEmpty();
        seed = next.getAndIncrement()) {
      try {
        steps.addAndGet(runs.run(seed, null));
      } catch (Throwable e) {
        broken.set("with -Dtest.seed=" + seed + ", " + world + ":\n" + runs.story(seed));
      }
    }
  }
}
