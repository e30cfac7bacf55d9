// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.server.demo.ScratchDirectory;
import org.jgits3.server.demo.Step;
import org.jgits3.server.demo.Tour;
import org.jgits3.server.program.StoreCommand;
import org.jgits3.store.StoreLocation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Demonstrates the program in a minute; leaves nothing behind. */
@Command(
    name = "demo",
    description =
        "Take a tour: push and clone with git, create and look up refs at scale, and see what it"
            + " costs. Uses a temporary directory unless --store or --config is given.")
final class DemoCommand extends StoreCommand {
  private static final String ROW = "%-34s %9s   %s";

  @Option(
      names = "--refs",
      paramLabel = "N",
      defaultValue = "100000",
      description = "How many refs to create (${DEFAULT-VALUE}).")
  private int refs;

  private final List<Step> steps = new ArrayList<>();

  /** Result as {@code --json} prints it. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  private record Report(boolean ok, String error, String store, double seconds, List<Step> steps) {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (refs < 1) {
      throw usage("--refs must be at least 1");
    }
    program.end().interruptAtSignal();
    if (program.storeChosen()) {
      tour(program.settings());
      return 0;
    }
    try (ScratchDirectory scratch = new ScratchDirectory("jgit-s3-demo-store")) {
      tour(program.settings().withLocation(new StoreLocation.Directory(scratch.path())));
    }
    return 0;
  }

  private void tour(S3Settings settings) throws IOException, InterruptedException {
    long start = System.nanoTime();
    String store = settings.location().toString();
    try {
      tour(settings, store);
    } catch (IOException e) {
      report(new Report(false, e.getMessage(), store, seconds(start), steps));
      throw e;
    }
    report(new Report(true, null, store, seconds(start), steps));
  }

  private void tour(S3Settings settings, String store) throws IOException, InterruptedException {
    RequestCounts counts = new RequestCounts();
    try (S3RepositoryManager manager = program.open(settings, counts)) {
      output.line("Serving " + store + " to the git on this machine. Each step is checked.");
      output.line("");
      output.line(String.format(ROW, "step", "ms", "requests to the store"));
      new Tour(manager, counts, refs, this::ended).take();
    }
  }

  private void ended(Step step) {
    steps.add(step);
    output.line(String.format(ROW, step.name(), step.millis(), step.requestLine()));
  }

  private void report(Report report) {
    output.value(report);
    if (report.ok()) {
      output.line("");
      output.line(
          "All of it was as it should be, and is gone again. Go on with: jgit-s3 serve --create-on-push");
    }
  }

  private static double seconds(long start) {
    return Duration.ofNanos(System.nanoTime() - start).toMillis() / 1000.0;
  }
}
