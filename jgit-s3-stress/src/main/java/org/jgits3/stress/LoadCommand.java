// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress;

import java.io.IOException;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jgits3.bench.Effort;
import org.jgits3.stress.load.LoadPlan;
import org.jgits3.stress.load.LoadRun;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lets many clients use one server at the same time, and judges how it bears that. */
@Command(
    name = LoadCommand.NAME,
    description =
        "Lets many clients use one server with a small heap at the same time, tells it to end"
            + " while they push, and judges errors, leaks and what is lost.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    exitCodeListHeading = "%nExit code:%n",
    exitCodeList = {"0:nothing was wrong", "1:something was wrong, or failed", "2:wrong usage"})
final class LoadCommand extends JudgedCommand {
  static final String NAME = "load";

  private static final Pattern HEAP = Pattern.compile("[1-9][0-9]*[mMgG]");
  private static final int FEWEST_CLIENTS = 15;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      description = "How long the clients work; default: 10, with --quick 1.")
  private Integer minutes;

  @Option(
      names = "--clients",
      paramLabel = "N",
      description = "Clients at the same time, at least 15; default: 96, with --quick 48.")
  private Integer clients;

  @Option(
      names = "--heap",
      paramLabel = "SIZE",
      defaultValue = "256m",
      description = "Heap of the server, as after -Xmx; default: ${DEFAULT-VALUE}.")
  private String heap;

  @Option(names = "--quick", description = "Less of everything, and a minute.")
  private boolean quick;

  @Option(
      names = "--smallest",
      description = "The smallest size: whether it runs, and nothing is wrong, in some seconds.")
  private boolean smallest;

  private LoadCommand() {
    super(NAME);
  }

  static CommandLine commandLine() {
    return new LoadCommand().ready();
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    check();
    long seed = chooseSeed();
    LoadPlan base = LoadPlan.of(smallest ? Effort.SMALLEST : quick ? Effort.QUICK : Effort.FULL);
    LoadPlan plan = base.with(heap, seed, server());
    if (clients != null) {
      plan = plan.withClients(clients);
    }
    if (minutes != null) {
      plan = plan.withLength(Duration.ofMinutes(minutes));
    }
    LoadPlan chosen = plan;
    return run(
        seed,
        chosen.words(),
        options(),
        (directory, progress) -> new LoadRun(chosen, root(), directory, progress).run());
  }

  private String options() {
    return "--heap "
        + heap
        + (smallest ? " --smallest" : quick ? " --quick" : "")
        + (clients == null ? "" : " --clients " + clients)
        + (minutes == null ? "" : " --minutes " + minutes);
  }

  private void check() {
    if (smallest && quick) {
      throw wrong("--smallest and --quick exclude each other");
    }
    if (minutes != null && minutes < 1) {
      throw wrong("--minutes " + minutes + " is less than 1");
    }
    if (clients != null && clients < FEWEST_CLIENTS) {
      throw wrong("--clients " + clients + " is less than " + FEWEST_CLIENTS);
    }
    if (!HEAP.matcher(heap).matches()) {
      throw wrong("--heap " + heap + " is no size, as 256m");
    }
    checkCommon();
  }
}
