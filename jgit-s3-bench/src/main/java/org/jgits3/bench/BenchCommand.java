// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jgits3.bench.report.JsonReport;
import org.jgits3.bench.report.Machine;
import org.jgits3.bench.report.MarkdownReport;
import org.jgits3.bench.report.Results;
import org.jgits3.bench.report.SuiteResult;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs suites one after the other, and reports them together. */
@Command(
    name = "run",
    description = "Measures, side by side, and prints tables with ratios within the run.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    exitCodeListHeading = "%nExit code:%n",
    exitCodeList = {"0:everything was measured", "1:something failed", "2:wrong usage"})
final class BenchCommand implements Callable<Integer> {
  private static final String ALL = "all";
  private static final int FEWEST_REFS = 1_000;
  private static final int MOST_REFS = 2_000_000;
  private static final int SMALLEST_MAX = 16;
  private static final int REFS = 500_000;
  private static final int REFS_OF_SMALLEST = 2_000;

  @Spec private CommandSpec spec;

  @Parameters(
      arity = "1..*",
      paramLabel = "SUITE",
      description = "Suites to run, or 'all'. There are: ${COMPLETION-CANDIDATES}.",
      completionCandidates = Names.class)
  private List<String> suites;

  @Option(names = "--quick", description = "Few iterations: minutes instead of an hour.")
  private boolean quick;

  @Option(
      names = "--smallest",
      description = "The smallest size of each suite: whether it runs, not how fast.")
  private boolean smallest;

  @Option(
      names = "--refs",
      paramLabel = "N",
      description =
          "Refs of the repository, 1000 to 2000000; default: 500000, with --smallest 2000.")
  private Integer refs;

  @Option(
      names = "--max",
      paramLabel = "MB",
      defaultValue = "4096",
      description = "Largest object to transfer, from 16 MB; default: ${DEFAULT-VALUE}.")
  private int maxMegabytes;

  @Option(
      names = "--endpoint",
      paramLabel = "URL",
      description =
          "S3 server to measure with, credentials and region from the AWS environment; creates"
              + " buckets there and removes them. Default: one that is started.")
  private URI endpoint;

  @Option(names = "--json", paramLabel = "FILE", description = "Writes the results there, too.")
  private Path json;

  @Option(names = "--debug", description = "Prints the stack trace of an error.")
  private boolean debug;

  /** For the help. */
  private static final class Names extends ArrayList<String> {
    Names() {
      super(Suites.names());
    }
  }

  /**
   * The program, ready to be executed: errors are one line on its standard error, and the exit code
   * is 0, 1 (failed) or 2 (wrong usage).
   */
  static CommandLine commandLine() {
    BenchCommand command = new BenchCommand();
    CommandLine line = new CommandLine(command);
    line.setParameterExceptionHandler(
        (e, args) -> command.fail(e, "; see jgit-s3-bench/run --help", ExitCode.USAGE));
    line.setExecutionExceptionHandler(
        (e, at, parsed) ->
            command.fail(
                e, "", e instanceof WrongUsageException ? ExitCode.USAGE : ExitCode.SOFTWARE));
    return line;
  }

  private int fail(Exception e, String hint, int code) {
    PrintWriter err = spec.commandLine().getErr();
    String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    err.println("jgit-s3-bench: " + message.replaceAll("\\p{Cntrl}+", " ").strip() + hint);
    if (debug) {
      e.printStackTrace(err);
    }
    err.flush();
    return code;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<Suite> chosen = chosen();
    check();
    Path root = Path.of(System.getProperty("jgits3.bench.root", "")).toAbsolutePath();
    Path data = Files.createDirectories(root.resolve("target/bench-data"));
    SuiteContext context = context(root, data);
    chosen.stream()
        .filter(suite -> suites.contains(suite.name()))
        .forEach(suite -> suite.check(context));
    FileChannel lock = lock(data.resolve("lock"));
    try {
      Machine machine = Machine.here();
      List<SuiteResult> results = new ArrayList<>();
      for (Suite suite : chosen) {
        context.progress().suite(suite.name());
        results.add(suite.run(context).checkedAgainst(suite.headlineKeys()));
      }
      return report(new Results(machine, results));
    } finally {
      lock.close();
    }
  }

  private SuiteContext context(Path root, Path data) {
    Effort effort = smallest ? Effort.SMALLEST : quick ? Effort.QUICK : Effort.FULL;
    return new SuiteContext(
        effort,
        refs(),
        maxMegabytes,
        root,
        data,
        Optional.ofNullable(endpoint),
        new Progress(this::progress, System::nanoTime));
  }

  private int refs() {
    return refs != null ? refs : smallest ? REFS_OF_SMALLEST : REFS;
  }

  private List<Suite> chosen() {
    LinkedHashSet<Suite> chosen = new LinkedHashSet<>();
    for (String name : suites) {
      if (name.equals(ALL)) {
        chosen.addAll(Suites.ALL);
      } else {
        chosen.add(Suites.named(name).orElseThrow(() -> unknown(name)));
      }
    }
    return List.copyOf(chosen);
  }

  private ParameterException unknown(String suite) {
    return wrong("no suite '" + suite + "'; there are " + String.join(", ", Suites.names()));
  }

  private void check() {
    if (smallest && quick) {
      throw wrong("--smallest and --quick exclude each other");
    }
    if (refs() < FEWEST_REFS || refs() > MOST_REFS) {
      throw wrong("--refs " + refs + " is not from " + FEWEST_REFS + " to " + MOST_REFS);
    }
    if (maxMegabytes < SMALLEST_MAX) {
      throw wrong("--max " + maxMegabytes + " is less than " + SMALLEST_MAX);
    }
    if (endpoint != null && (endpoint.getHost() == null || !isHttp(endpoint.getScheme()))) {
      throw wrong("--endpoint " + endpoint + " is no URL of a server, as http://127.0.0.1:9000");
    }
    if (json != null) {
      Path directory = json.toAbsolutePath().getParent();
      if (directory == null || !Files.isDirectory(directory) || Files.isDirectory(json)) {
        throw wrong("--json " + json + " cannot be written: no such directory, or it is one");
      }
    }
  }

  private static boolean isHttp(String scheme) {
    return scheme.equals("http") || scheme.equals("https");
  }

  private ParameterException wrong(String what) {
    return new ParameterException(spec.commandLine(), what);
  }

  /** Two runs at once would measure each other. */
  private static FileChannel lock(Path file) throws IOException {
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    FileLock lock;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException e) {
      lock = null;
    }
    if (lock == null) {
      channel.close();
      throw new IOException("another run is using " + file.getParent() + "; let it end first");
    }
    return channel;
  }

  private int report(Results results) throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    out.print(MarkdownReport.of(results));
    out.flush();
    if (json != null) {
      Files.writeString(json, JsonReport.of(results));
    }
    return results.failed() ? ExitCode.SOFTWARE : ExitCode.OK;
  }

  private void progress(String line) {
    spec.commandLine().getErr().println(line);
    spec.commandLine().getErr().flush();
  }
}
