// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jgits3.bench.BenchCommand;
import org.jgits3.bench.OneLineErrors;
import org.jgits3.bench.OutputFile;
import org.jgits3.bench.Progress;
import org.jgits3.bench.process.Leftovers;
import org.jgits3.bench.report.Estimate;
import org.jgits3.bench.report.JsonReport;
import org.jgits3.bench.report.Machine;
import org.jgits3.bench.report.Results;
import org.jgits3.bench.report.Settings;
import org.jgits3.bench.report.SuiteResult;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A program that makes one run, which is right or wrong, and prints one line about it at last. */
abstract class JudgedCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

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

  @Option(names = "--json", paramLabel = "FILE", description = "Writes the result there, too.")
  private Path json;

  @Option(names = "--debug", description = "Prints the stack trace of an error.")
  private boolean debug;

  private final String name;

  JudgedCommand(String name) {
    this.name = name;
  }

  /** Makes the run. */
  interface Run {
    Judged in(Path directory, Consumer<String> progress) throws IOException, InterruptedException;
  }

  /** The program, ready to be executed: errors are one line on its standard error. */
  final CommandLine ready() {
    return OneLineErrors.commandLine(this, Main.PROGRAM, name + " ", () -> debug);
  }

  /** Checks the options of all these programs. */
  final void checkCommon() {
    if (endpoint != null && !BenchCommand.isServer(endpoint)) {
      throw wrong("--endpoint " + endpoint + " is no URL of a server, as http://127.0.0.1:9000");
    }
    if (json != null) {
      output().check();
    }
  }

  final ParameterException wrong(String what) {
    return new ParameterException(spec.commandLine(), what);
  }

  private OutputFile output() {
    return new OutputFile("--json", json, JsonReport::of);
  }

  static Path root() {
    return Path.of(System.getProperty("jgits3.bench.root", "")).toAbsolutePath();
  }

  final Optional<URI> server() {
    return Optional.ofNullable(endpoint);
  }

  final boolean hasJson() {
    return json != null;
  }

  final Optional<Long> givenSeed() {
    return Optional.ofNullable(seed);
  }

  final long chooseSeed() {
    return givenSeed().orElseGet(() -> (long) new SecureRandom().nextInt(Integer.MAX_VALUE));
  }

  /**
   * Makes a run, reports it, and returns the exit code.
   *
   * @param chosen its seed
   * @param effort extent of it, as it is in the JSON
   * @param options how to try again
   */
  final int run(long chosen, String effort, String options, Run run)
      throws IOException, InterruptedException {
    Path data = Files.createDirectories(root().resolve("target").resolve(name));
    Machine machine = Machine.here();
    Progress progress = new Progress(this::progress, System::nanoTime);
    progress.suite(name);
    progress.note("seed " + chosen);
    FileChannel lock = BenchCommand.lock(data.resolve("lock"));
    Judged verdict;
    try {
      verdict = run.in(data.resolve("run"), progress::note);
    } finally {
      lock.close();
    }
    if (hasJson()) {
      output().write(results(machine, verdict, effort + ", seed " + chosen));
    }
    verdict.report().forEach(this::print);
    if (!verdict.passed()) {
      print("what it left is in " + data.resolve("run") + "; to try again:");
      String at = server().map(url -> " --endpoint " + url).orElse("");
      print(Main.PROGRAM + "/run " + name + " " + options + at + " --seed " + chosen);
    }
    print(verdict.line(chosen));
    return verdict.passed() ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  private Results results(Machine machine, Judged verdict, String effort) {
    Map<String, Optional<Estimate>> headline = new LinkedHashMap<>();
    verdict
        .headline()
        .forEach((key, value) -> headline.put(key, Optional.of(Estimate.exactly(value))));
    SuiteResult result = SuiteResult.of(name, headline, verdict.rows(), "");
    String at = server().map(URI::toString).orElse("versitygw on this machine");
    return new Results(machine, new Settings(effort, 0, 0, at), List.of(result), Optional.empty());
  }

  final void print(String line) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(line);
    out.flush();
  }

  private void progress(String line) {
    Leftovers.proceed();
    spec.commandLine().getErr().println(line);
    spec.commandLine().getErr().flush();
  }
}
