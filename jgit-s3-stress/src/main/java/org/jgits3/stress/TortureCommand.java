// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress;

import java.io.IOException;
import java.time.Duration;
import org.jgits3.stress.torture.Simulation;
import org.jgits3.stress.torture.TorturePlan;
import org.jgits3.stress.torture.TortureRun;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;

/** Tortures the library, and judges what it answered. */
@Command(
    name = TortureCommand.NAME,
    description =
        "Lets processes use shared repositories while the store fails and they are"
            + " killed, and judges what they were told.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    exitCodeListHeading = "%nExit code:%n",
    exitCodeList = {"0:nothing was wrong", "1:something was wrong, or failed", "2:wrong usage"})
final class TortureCommand extends JudgedCommand {
  static final String NAME = "torture";

  @Option(
      names = "--minutes",
      paramLabel = "N",
      defaultValue = "3",
      description = "How long the processes work; default: ${DEFAULT-VALUE}.")
  private int minutes;

  @Option(
      names = "--simulate",
      description = "Runs the library in simulated processes instead, on no server.")
  private boolean simulate;

  @Option(
      names = "--seeds",
      paramLabel = "N",
      defaultValue = "20000",
      description =
          "Simulated runs, from --seed on; with --simulate only; default: ${DEFAULT-VALUE}.")
  private long seeds;

  private TortureCommand() {
    super(NAME);
  }

  static CommandLine commandLine() {
    return new TortureCommand().ready();
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    check();
    long chosen = chooseSeed();
    if (simulate) {
      return simulate(chosen);
    }
    Duration length = Duration.ofMinutes(minutes);
    return run(
        chosen,
        minutes + " min",
        "--minutes " + minutes,
        (directory, progress) ->
            new TortureRun(TorturePlan.of(root(), directory, length, chosen, server()), progress)
                .run());
  }

  private int simulate(long chosen) throws IOException, InterruptedException {
    boolean passed = new Simulation(root(), seeds, chosen).run();
    print(seeds + " simulated runs, " + (passed ? "none" : "one") + " broken, seed " + chosen);
    return passed ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  private void check() {
    if (seeds < 1 || seeds > Simulation.MOST) {
      throw wrong("--seeds " + seeds + " is not from 1 to " + Simulation.MOST);
    }
    if (simulate && givenSeed().filter(seed -> seed < 1 || seed > Integer.MAX_VALUE).isPresent()) {
      throw wrong("--seed " + givenSeed().get() + " is not from 1 to " + Integer.MAX_VALUE);
    }
    if (simulate && (server().isPresent() || hasJson())) {
      throw wrong("--simulate takes --seeds and --seed only");
    }
    if (minutes < 1) {
      throw wrong("--minutes " + minutes + " is less than 1");
    }
    checkCommon();
  }
}
