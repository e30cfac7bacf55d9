// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jgits3.bench.Suite;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.jmh.Schedule;
import org.jgits3.bench.process.ScratchDirectory;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.SuiteResult;
import org.jgits3.bench.served.ServedRefs;
import org.jgits3.bench.server.S3Session;

/** Look-ups and changes in a repository of very many refs. */
public final class RefsSuite implements Suite {
  private final Set<RefsEngine> engines;
  private final UnaryOperator<Schedule> schedule;

  /** The suite with all engines. */
  public RefsSuite() {
    this(EnumSet.allOf(RefsEngine.class), UnaryOperator.identity());
  }

  /**
   * A part of the suite.
   *
   * @param engines what to measure
   * @param schedule changes how long each benchmark is measured
   */
  RefsSuite(Set<RefsEngine> engines, UnaryOperator<Schedule> schedule) {
    this.engines = engines;
    this.schedule = schedule;
  }

  @Override
  public String name() {
    return "refs";
  }

  @Override
  public String about() {
    return "How fast are look-ups, updates and listings of very many refs, and how much memory do they take? Beside JGit's RefDirectory and a comparison of raw bytes. 17 min; quick: 8.";
  }

  @Override
  public List<String> headlineKeys() {
    return RefsHeadline.KEYS;
  }

  /**
   * Keys of the figures over HTTP have the number of refs in their names. The refs of a repository
   * of the user are not judged.
   */
  @Override
  public List<String> headlineKeys(SuiteContext context) {
    if (context.givenRefs().isPresent()) {
      return List.of();
    }
    List<String> keys = new ArrayList<>(RefsHeadline.KEYS);
    keys.addAll(ServedRefs.keys(context.refs()));
    return keys;
  }

  @Override
  public SuiteResult run(SuiteContext context) throws IOException, InterruptedException {
    SuiteResult measured =
        context.served()
            ? new SuiteResult(name(), Map.of(), List.of(), List.of())
                .withoutHeadline(RefsHeadline.KEYS, "only pushes and listings were measured")
            : inMemory(context);
    return context.givenRefs().isPresent() ? measured : withServed(measured, context);
  }

  private static SuiteResult withServed(SuiteResult others, SuiteContext context)
      throws IOException, InterruptedException {
    List<Row> served = ServedRefs.measure(context, count -> GerritRefs.of(count).all());
    SuiteResult both = others.and(served, ServedRefs.figures(context.refs(), served));
    return RefsHeadline.whyNoneServed(context.effort(), context.refs())
        .map(why -> both.withoutHeadline(ServedRefs.keys(context.refs()), why))
        .orElse(both);
  }

  private SuiteResult inMemory(SuiteContext context) throws IOException, InterruptedException {
    DataSet data =
        context.givenRefs().isPresent()
            ? DataSet.of(context.data(), context.givenRefs().get())
            : DataSet.of(context.data(), context.refs());
    ScratchDirectory scratch = ScratchDirectory.create(data.scratch());
    try (scratch) {
      return engines.stream().anyMatch(RefsEngine::onS3)
          ? runWithServer(context, data)
          : new RefsRun(context, data, engines, schedule).run();
    }
  }

  private SuiteResult runWithServer(SuiteContext context, DataSet data)
      throws IOException, InterruptedException {
    try (S3Session s3 = context.openS3()) {
      s3.createBucket(data.bucket());
      return new RefsRun(context, data, engines, schedule).with(s3.endpoint().jvmOptions()).run();
    }
  }
}
