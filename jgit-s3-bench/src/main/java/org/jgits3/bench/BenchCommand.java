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
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jgits3.bench.process.Leftovers;
import org.jgits3.bench.profile.FlameGraphs;
import org.jgits3.bench.refs.GivenRefs;
import org.jgits3.bench.report.Baseline;
import org.jgits3.bench.report.ErrorLine;
import org.jgits3.bench.report.HtmlReport;
import org.jgits3.bench.report.JsonReport;
import org.jgits3.bench.report.Machine;
import org.jgits3.bench.report.MarkdownReport;
import org.jgits3.bench.report.Results;
import org.jgits3.bench.report.Settings;
import org.jgits3.bench.report.SuiteResult;
import org.jgits3.bench.transfer.TransferSuite;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
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
public final class BenchCommand implements Callable<Integer> {
  private static final String ALL = "all";

  /** Section of the help. */
  private static final String SUITES = "suites";

  private static final int FEWEST_REFS = 1_000;
  private static final int MOST_REFS = 4_000_000;

  /** Most refs that JGit's own engines hold in the heap that they are given. */
  private static final int MOST_REFS_IN_MEMORY = 2_000_000;

  private static final int SMALLEST_MAX = 16;
  private static final int REFS = 500_000;
  private static final int REFS_OF_SMALLEST = 2_000;

  @Spec private CommandSpec spec;

  @Parameters(
      arity = "1..*",
      paramLabel = "SUITE",
      description = "Suites to run, or 'all'; see below.")
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
          "Refs of the repository, 1000 to 4000000; default: 500000, with --smallest 2000. Of more"
              + " than 2000000 only pushes and listings over HTTP are measured.")
  private Integer refs;

  @Option(
      names = "--repository",
      paramLabel = "DIR|URL",
      description =
          "Of refs, measures look-ups and changes of the refs of that repository, which is only"
              + " read: git ls-remote lists them.")
  private String repository;

  @Option(names = "--served", description = "Of refs, measures only pushes and listings over HTTP.")
  private boolean served;

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

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Writes the results there as one page with charts, too.")
  private Path html;

  @Option(
      names = "--baseline",
      paramLabel = "FILE",
      description =
          "Compares with an earlier run, as --json has written it; that of another machine says"
              + " little.")
  private Path baselineFile;

  @Option(
      names = "--flamegraph",
      paramLabel = "DIR",
      description = "Profiles the JVMs that measure; their flame graphs go there. Takes time.")
  private Path flamegraph;

  @Option(names = "--debug", description = "Prints the stack trace of an error.")
  private boolean debug;

  private final Suites there;

  private BenchCommand(Suites there) {
    this.there = there;
  }

  /**
   * The program, ready to be executed: errors are one line on its standard error, and the exit code
   * is 0, 1 (failed) or 2 (wrong usage).
   *
   * @param suites what it can run
   * @return the program
   */
  public static CommandLine commandLine(Suites suites) {
    BenchCommand command = new BenchCommand(suites);
    CommandLine line =
        OneLineErrors.commandLine(command, suites.program(), "", () -> command.debug);
    line.getHelpSectionMap().put(SUITES, help -> command.about(help));
    List<String> sections = new ArrayList<>(line.getHelpSectionKeys());
    sections.add(sections.indexOf(UsageMessageSpec.SECTION_KEY_EXIT_CODE_LIST_HEADING), SUITES);
    line.setHelpSectionKeys(sections);
    return line;
  }

  private String about(Help help) {
    Map<String, String> about = new LinkedHashMap<>();
    there.all().forEach(suite -> about.put("  " + suite.name(), suite.about()));
    return "%nSuites:%n%s".formatted(help.createTextTable(about));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<Suite> chosen = chosen();
    check();
    Machine machine = Machine.here();
    Optional<Path> givenRefs = givenRefs();
    Optional<Baseline> baseline = baseline(chosen);
    SuiteContext context = context(givenRefs);
    chosen.stream()
        .filter(suite -> suites.contains(suite.name()))
        .forEach(suite -> suite.check(context));
    createDirectories(context.data());
    FileChannel lock = lock(context.data().resolve("lock"));
    try {
      if (endpoint != null) {
        context.openS3().close(); // fails at once, and not after an hour
      }
      Results results = new Results(machine, settings(), run(chosen, context), Optional.empty());
      return report(baseline.map(results::comparedWith).orElse(results));
    } finally {
      Leftovers.proceed(); // the lock is held until the leftovers of an interrupted run are gone
      lock.close();
    }
  }

  private static void createDirectories(Path directory) throws IOException {
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new IOException(directory + " cannot be created: " + ErrorLine.of(e), e);
    }
  }

  /** Asks the repository that the user has named for its refs, whose number counts from now on. */
  private Optional<Path> givenRefs() throws IOException, InterruptedException {
    if (repository == null) {
      return Optional.empty();
    }
    createDirectories(data());
    Path file = data().resolve("given-refs");
    refs = GivenRefs.fetch(repository, file).size();
    return Optional.of(file);
  }

  private static Path root() {
    return Path.of(System.getProperty("jgits3.bench.root", "")).toAbsolutePath();
  }

  private static Path data() {
    return root().resolve("target/bench-data");
  }

  private SuiteContext context(Optional<Path> givenRefs) throws IOException {
    return new SuiteContext(
        effort(),
        refs(),
        givenRefs,
        served || refs() > MOST_REFS_IN_MEMORY,
        maxMegabytes,
        root(),
        data(),
        Optional.ofNullable(endpoint),
        flamegraph == null
            ? Optional.empty()
            : Optional.of(FlameGraphs.in(flamegraph, root().resolve("target/tools"))),
        new Progress(this::progress, System::nanoTime));
  }

  /** A suite that fails does not take the others with it, and is reported as failed. */
  private static List<SuiteResult> run(List<Suite> chosen, SuiteContext context)
      throws IOException, InterruptedException {
    List<SuiteResult> results = new ArrayList<>();
    for (Suite suite : chosen) {
      context.progress().suite(suite.name());
      try {
        results.add(suite.run(context).checkedAgainst(suite.headlineKeys(context)));
      } catch (WrongUsageException e) {
        throw e;
      } catch (IOException | RuntimeException e) {
        Leftovers.failed();
        if (chosen.size() == 1) {
          throw e;
        }
        String why = ErrorLine.of(e);
        context.progress().note("failed: " + why);
        results.add(
            SuiteResult.failed(suite.name(), why).checkedAgainst(suite.headlineKeys(context)));
      }
    }
    return results;
  }

  private Optional<Baseline> baseline(List<Suite> chosen) {
    if (baselineFile == null) {
      return Optional.empty();
    }
    Baseline baseline;
    try {
      baseline = Baseline.read(baselineFile);
    } catch (IOException e) {
      throw new WrongUsageException("--baseline " + e.getMessage());
    }
    Optional<String> otherwise = baseline.differsFrom(settings());
    if (otherwise.isPresent()) {
      throw new WrongUsageException("--baseline " + baselineFile + " is " + otherwise.get());
    }
    if (chosen.stream().noneMatch(suite -> baseline.has(suite.name()))) {
      throw new WrongUsageException(
          "--baseline " + baselineFile + " has nothing of " + String.join(", ", suites));
    }
    return Optional.of(baseline);
  }

  private Settings settings() {
    return new Settings(
        effort().name().toLowerCase(Locale.ROOT),
        refs(),
        TransferSuite.largest(effort(), maxMegabytes),
        endpoint == null ? "versitygw on this machine" : endpoint.toString());
  }

  private Effort effort() {
    return smallest ? Effort.SMALLEST : quick ? Effort.QUICK : Effort.FULL;
  }

  private int refs() {
    return refs != null ? refs : smallest ? REFS_OF_SMALLEST : REFS;
  }

  private List<Suite> chosen() {
    LinkedHashSet<Suite> chosen = new LinkedHashSet<>();
    for (String name : suites) {
      if (name.equals(ALL)) {
        chosen.addAll(there.all());
      } else {
        chosen.add(there.named(name).orElseThrow(() -> unknown(name)));
      }
    }
    return List.copyOf(chosen);
  }

  private ParameterException unknown(String suite) {
    return wrong("no suite '" + suite + "'; there are " + String.join(", ", there.names()));
  }

  private void check() {
    if (smallest && quick) {
      throw wrong("--smallest and --quick exclude each other");
    }
    if (refs() < FEWEST_REFS || refs() > MOST_REFS) {
      throw wrong("--refs " + refs + " is not from " + FEWEST_REFS + " to " + MOST_REFS);
    }
    if (repository != null && (refs != null || served || !suites.equals(List.of("refs")))) {
      throw wrong("--repository is for refs alone, without --refs and --served");
    }
    if (maxMegabytes < SMALLEST_MAX) {
      throw wrong("--max " + maxMegabytes + " is less than " + SMALLEST_MAX);
    }
    if (endpoint != null && !isServer(endpoint)) {
      throw wrong("--endpoint " + endpoint + " is no URL of a server, as http://127.0.0.1:9000");
    }
    if (json != null && html != null && json.toAbsolutePath().equals(html.toAbsolutePath())) {
      throw wrong("--json and --html are the same file");
    }
    outputs().forEach(OutputFile::check);
    if (flamegraph != null && Files.exists(flamegraph) && !Files.isDirectory(flamegraph)) {
      throw wrong("--flamegraph " + flamegraph + " is no directory");
    }
  }

  private List<OutputFile> outputs() {
    List<OutputFile> outputs = new ArrayList<>();
    if (json != null) {
      outputs.add(new OutputFile("--json", json, JsonReport::of));
    }
    if (html != null) {
      outputs.add(new OutputFile("--html", html, HtmlReport::of));
    }
    return outputs;
  }

  /**
   * Tests whether a URL is one of a server.
   *
   * @param uri the URL
   * @return true if so
   */
  public static boolean isServer(URI uri) {
    return uri.getHost() != null && List.of("http", "https").contains(uri.getScheme());
  }

  private ParameterException wrong(String what) {
    return new ParameterException(spec.commandLine(), what);
  }

  /**
   * Locks a directory of data: two runs at once would measure each other.
   *
   * @param file file of the lock
   * @return holds the lock until it is closed
   * @throws IOException if another run has it, with one line that says so
   */
  public static FileChannel lock(Path file) throws IOException {
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
    for (OutputFile output : outputs()) {
      output.write(results);
    }
    return results.failed() ? ExitCode.SOFTWARE : ExitCode.OK;
  }

  private void progress(String line) {
    Leftovers.proceed();
    spec.commandLine().getErr().println(line);
    spec.commandLine().getErr().flush();
  }
}
