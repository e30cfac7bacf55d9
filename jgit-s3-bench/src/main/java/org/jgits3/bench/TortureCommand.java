// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jgits3.bench.process.Leftovers;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.JsonReport;
import org.jgits3.bench.report.Machine;
import org.jgits3.bench.report.Results;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.Settings;
import org.jgits3.bench.report.SuiteResult;
import org.jgits3.bench.report.Unit;
import org.jgits3.bench.torture.Simulation;
import org.jgits3.bench.torture.TorturePlan;
import org.jgits3.bench.torture.TortureRun;
import org.jgits3.bench.torture.Verdict;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

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
final class TortureCommand implements Callable<Integer> {
  static final String NAME = "torture";

  @Spec private CommandSpec spec;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      defaultValue = "3",
      description = "How long the processes work; default: ${DEFAULT-VALUE}.")
  private int minutes;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Repeats the choices of a run, as far as scheduling allows. Default: drawn.")
  private Long seed;

  @Option(
      names = "--endpoint",
      paramLabel = "URL",
      description =
          "S3 server to use, credentials and region from the AWS environment; creates buckets there"
              + " and removes them. Default: one that is started.")
  private URI endpoint;

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

  @Option(names = "--json", paramLabel = "FILE", description = "Writes the result there, too.")
  private Path json;

  @Option(names = "--debug", description = "Prints the stack trace of an error.")
  private boolean debug;

  private TortureCommand() {}

  /** The program, ready to be executed: errors are one line on its standard error. */
  static CommandLine commandLine() {
    TortureCommand command = new TortureCommand();
    return OneLineErrors.commandLine(
        command, "jgit-s3-bench/run torture --help", () -> command.debug);
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    check();
    Path root = Path.of(System.getProperty("jgits3.bench.root", "")).toAbsolutePath();
    long chosen = seed != null ? seed : new SecureRandom().nextInt(Integer.MAX_VALUE);
    if (simulate) {
      return simulate(root, chosen);
    }
    Path data = Files.createDirectories(root.resolve("target/torture"));
    Machine machine = Machine.here();
    FileChannel lock = BenchCommand.lock(data.resolve("lock"));
    Verdict verdict;
    try {
      verdict = run(root, data.resolve("run"), chosen);
    } finally {
      lock.close();
    }
    if (json != null) {
      output().write(results(machine, verdict, chosen));
    }
    PrintWriter out = spec.commandLine().getOut();
    verdict.report().forEach(out::println);
    if (!verdict.passed()) {
      out.println("histories and logs are in " + data.resolve("run") + "; to try again:");
      out.println("jgit-s3-bench/run torture --minutes " + minutes + " --seed " + chosen);
    }
    out.println(verdict.line(chosen));
    out.flush();
    return verdict.passed() ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  private int simulate(Path root, long chosen) throws IOException, InterruptedException {
    boolean passed = new Simulation(root, seeds, chosen).run();
    PrintWriter out = spec.commandLine().getOut();
    out.println(
        seeds + " simulated runs, " + (passed ? "none" : "one") + " broken, seed " + chosen);
    out.flush();
    return passed ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  private void check() {
    if (seeds < 1 || seeds > Simulation.MOST) {
      throw wrong("--seeds " + seeds + " is not from 1 to " + Simulation.MOST);
    }
    if (simulate && (seed != null && (seed < 1 || seed > Integer.MAX_VALUE))) {
      throw wrong("--seed " + seed + " is not from 1 to " + Integer.MAX_VALUE);
    }
    if (simulate && (endpoint != null || json != null)) {
      throw wrong("--simulate takes --seeds and --seed only");
    }
    if (minutes < 1) {
      throw wrong("--minutes " + minutes + " is less than 1");
    }
    if (endpoint != null && !BenchCommand.isServer(endpoint)) {
      throw wrong("--endpoint " + endpoint + " is no URL of a server, as http://127.0.0.1:9000");
    }
    if (json != null) {
      output().check();
    }
  }

  private ParameterException wrong(String what) {
    return new ParameterException(spec.commandLine(), what);
  }

  private OutputFile output() {
    return new OutputFile("--json", json, JsonReport::of);
  }

  private Verdict run(Path root, Path directory, long chosen)
      throws IOException, InterruptedException {
    Progress progress = new Progress(this::progress, System::nanoTime);
    progress.suite(NAME);
    progress.note("seed " + chosen);
    Duration length = Duration.ofMinutes(minutes);
    TorturePlan plan = TorturePlan.of(root, directory, length, chosen, server());
    return new TortureRun(plan, progress::note).run();
  }

  private Optional<URI> server() {
    return Optional.ofNullable(endpoint);
  }

  private Results results(Machine machine, Verdict verdict, long chosen) {
    Map<String, Optional<Double>> headline = new LinkedHashMap<>();
    headline.put("lost", Optional.of((double) verdict.lost()));
    headline.put("anomalies", Optional.of((double) verdict.anomalies()));
    headline.put("faults", Optional.of((double) verdict.faults()));
    headline.put("kills", Optional.of((double) verdict.kills()));
    headline.put("operations", Optional.of((double) verdict.operations()));
    List<Row> rows = new ArrayList<>();
    verdict.counts().forEach((what, count) -> rows.add(row(what, count)));
    SuiteResult result = SuiteResult.of(NAME, headline, rows, "");
    String effort = minutes + " min, seed " + chosen;
    String at = server().map(URI::toString).orElse("versitygw on this machine");
    return new Results(machine, new Settings(effort, 0, 0, at), List.of(result), Optional.empty());
  }

  private static Row row(String what, long count) {
    return Row.of(what, NAME, Unit.COUNT, Figure.exactly((double) count));
  }

  private void progress(String line) {
    Leftovers.proceed();
    spec.commandLine().getErr().println(line);
    spec.commandLine().getErr().flush();
  }
}
