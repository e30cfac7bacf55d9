// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation;

import java.util.ArrayList;
import java.util.List;
import org.eclipse.jgit.annotations.Nullable;

/** Runs of one world with one code, each from a seed. Used by one thread at a time. */
public final class SimulationRun {
  private static final int LINES = 120;

  private final String world;
  private final SimulatedCode code;
  private boolean prepared;

  /**
   * Runs of a world.
   *
   * @param world name of its class
   * @param mutation fault of the code
   */
  SimulationRun(String world, Mutation mutation) {
    this.world = world;
    this.code = new SimulatedCode(mutation);
  }

  /**
   * Runs a seed.
   *
   * @param seed the seed
   * @param trace receives what happens; null for none
   * @return steps taken
   * @throws Throwable if a rule was broken
   */
  int run(long seed, @Nullable List<String> trace) throws Throwable {
    prepare();
    Scheduler scheduler = new Scheduler(seed, trace);
    run(scheduler, code.world(world)::run);
    return scheduler.steps();
  }

  /**
   * Takes the steps of a trace.
   *
   * @param trace the trace
   * @param killed true if the processes die after the last step
   * @param told receives what happens
   * @throws Throwable if a rule was broken
   */
  void replay(Trace trace, boolean killed, List<String> told) throws Throwable {
    run(new Scheduler(0, told), scheduler -> code.world(world).replay(scheduler, trace, killed));
  }

  private void prepare() throws Throwable {
    if (!prepared) {
      run(new Scheduler(0, null), code.world(world)::prepare);
      prepared = true;
    }
  }

  @FunctionalInterface
  private interface Work {
    void with(Scheduler scheduler) throws Exception;
  }

  private static void run(Scheduler scheduler, Work work) throws Throwable {
    scheduler.run(
        new Scheduler.Jvm("world", 0),
        () -> {
          try {
            work.with(scheduler);
          } catch (Exception e) {
            throw new AssertionError(e.toString(), e);
          }
        });
  }

  /** Runs a seed once more, and tells what happened. */
  String story(long seed) {
    List<String> trace = new ArrayList<>();
    try {
      run(seed, trace);
      trace.add("no rule was broken: the run does not follow from its seed");
    } catch (Throwable e) {
      trace.add(e.toString());
    }
    int from = Math.max(0, trace.size() - LINES);
    String cut = from > 0 ? from + " lines before ...\n" : "";
    return cut + String.join("\n", trace.subList(from, trace.size()));
  }
}
