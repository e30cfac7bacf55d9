// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.torture;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jgits3.bench.process.Leftovers;

/**
 * The simulation of the library, which is among its tests: Maven runs it, and prints what it finds.
 *
 * @param root directory of the sources
 * @param seeds runs, each from a seed
 * @param seed the first of them
 */
public record Simulation(Path root, long seeds, long seed) {
  /** Most runs of one start. */
  public static final long MOST = 1_000_000_000;

  /**
   * Runs it to its end, or to the first run that breaks a rule.
   *
   * @return true if no rule was broken
   * @throws IOException if Maven cannot be started
   * @throws InterruptedException if interrupted; Maven is ended when this program ends
   */
  public boolean run() throws IOException, InterruptedException {
    List<String> command =
        List.of(
            "mvn",
            "-B",
            "-q",
            "-P",
            "!analysis",
            "-Dspotless.check.skip",
            "-pl",
            "jgit-s3-refs",
            "test",
            "-Dtest=SimulationAtLengthTest",
            "-Dsimulation.seeds=" + seeds,
            "-Dtest.seed=" + seed,
            "-Dtest.argLine=-Xmx2g");
    Process maven =
        Leftovers.start(new ProcessBuilder(command).directory(root.toFile()).inheritIO());
    return maven.waitFor() == 0;
  }
}
