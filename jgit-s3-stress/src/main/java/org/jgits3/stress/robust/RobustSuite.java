// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.robust;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jgits3.bench.Suite;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.process.ScratchDirectory;
import org.jgits3.bench.report.ErrorLine;
import org.jgits3.bench.report.SuiteResult;
import org.jgits3.bench.report.Unit;
import org.jgits3.bench.server.S3Endpoint;
import org.jgits3.bench.server.S3Session;
import software.amazon.awssdk.core.exception.SdkException;

/** Outages, overload, many writers, and full manifests. */
public final class RobustSuite implements Suite {
  private static final List<String> KEYS =
      List.of(
          Outages.KEY,
          PushesTogether.KEY,
          ClonesTogether.KEY,
          ManyWriters.KEY,
          UnmaintainedGrowth.KEY,
          FoldedRepositories.KEY,
          FoldedRepositories.COUNTED_KEY,
          GarbageBesideRefs.KEY,
          LoneWriter.KEY,
          StalledNeighbour.KEY);

  private static final int CASES = 10;

  /** The suite. */
  public RobustSuite() {}

  @Override
  public String name() {
    return "robust";
  }

  @Override
  public String about() {
    return "Do commands survive outages of the store, overload and many writers? Nothing is compared with."
        + " Quick: 9 min.";
  }

  @Override
  public List<String> headlineKeys() {
    return KEYS;
  }

  /** Something to be measured. */
  private interface Case {
    void run() throws IOException, InterruptedException;
  }

  @Override
  public SuiteResult run(SuiteContext context) throws IOException, InterruptedException {
    Path data = Files.createDirectories(context.data().resolve("robust"));
    Findings findings = new Findings(!context.quick());
    try (ScratchDirectory scratch = ScratchDirectory.create(data.resolve("scratch"))) {
      context.progress().expect(CASES);
      onS3(context, data, scratch, findings);
      measure(Bench.of(context, data, scratch, findings, Optional.empty()));
    }
    SuiteResult result = findings.result(name());
    return context.quick()
        ? result.withoutHeadline(KEYS, "sizes were smaller than what is asked for")
        : result;
  }

  private static void onS3(
      SuiteContext context, Path data, ScratchDirectory scratch, Findings findings)
      throws InterruptedException {
    S3Session s3;
    try {
      s3 = context.openS3();
    } catch (IOException | SdkException e) {
      findings.missing("S3 server", ErrorLine.of(e));
      return;
    }
    try (s3) {
      S3Endpoint endpoint = s3.endpoint();
      Bench bench = Bench.of(context, data, scratch, findings, Optional.of(endpoint));
      attempt(bench, "outages", () -> new Outages(bench).run());
      attempt(bench, "pushes that end together", () -> new PushesTogether(bench).run());
      attempt(bench, "clones at once", () -> new ClonesTogether(bench).run());
      attempt(bench, "many writers", () -> new ManyWriters(bench).run());
    } catch (IOException e) {
      findings.failed("S3 server", "s3", Unit.COUNT, ErrorLine.of(e));
    }
  }

  private static void measure(Bench bench) throws InterruptedException {
    attempt(bench, "many writers", () -> new ManyWriters(bench).run());
    attempt(bench, "growth", () -> new UnmaintainedGrowth(bench).run());
    attempt(bench, "folded repositories", () -> new FoldedRepositories(bench).run());
    attempt(bench, "garbage", () -> new GarbageBesideRefs(bench).run());
    attempt(bench, "lone writer", () -> new LoneWriter(bench).run());
    attempt(bench, "neighbour", () -> new StalledNeighbour(bench).run());
  }

  private static void attempt(Bench bench, String title, Case each) throws InterruptedException {
    bench.context().progress().begin(title + ", " + bench.engine());
    try {
      each.run();
    } catch (IOException | RuntimeException e) {
      bench.findings().failed(title, bench.engine(), Unit.COUNT, ErrorLine.of(e));
    }
  }
}
