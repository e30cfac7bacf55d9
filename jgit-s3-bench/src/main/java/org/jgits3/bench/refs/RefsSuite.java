// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jgits3.bench.Suite;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.process.ScratchDirectory;
import org.jgits3.bench.report.Estimate;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.SuiteResult;
import org.jgits3.bench.served.ServedRefs;
import org.jgits3.bench.server.S3Session;

/** Look-ups and changes in a repository of very many refs. */
public final class RefsSuite implements Suite {
  /** Engine that all others are compared with: JGit where file times cannot be trusted. */
  private static final RefsEngine REFERENCE = RefsEngine.JGIT_NEVER;

  private final Set<RefsEngine> engines;

  /** The suite with all engines. */
  public RefsSuite() {
    this(EnumSet.allOf(RefsEngine.class));
  }

  /** A part of the suite. */
  RefsSuite(Set<RefsEngine> engines) {
    this.engines = engines;
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
    List<Row> rows = new ArrayList<>();
    if (!context.served()) {
      rows.addAll(inMemory(context));
    }
    if (context.givenRefs().isPresent()) {
      return SuiteResult.of(name(), Map.of(), rows, REFERENCE.id());
    }
    Map<String, Optional<Estimate>> headline = new RefsHeadline(rows).figures();
    rows.addAll(ServedRefs.measure(context, count -> new GerritRefs(count).all()));
    headline.putAll(ServedRefs.figures(context.refs(), rows));
    SuiteResult result = SuiteResult.of(name(), headline, rows, REFERENCE.id());
    Optional<String> whyNone =
        context.served()
            ? Optional.of("only pushes and listings were measured")
            : RefsHeadline.whyNone(context.effort(), context.refs());
    if (whyNone.isPresent()) {
      result = result.withoutHeadline(RefsHeadline.KEYS, whyNone.get());
    }
    Optional<String> whyNoneServed = RefsHeadline.whyNoneServed(context.effort(), context.refs());
    return whyNoneServed.isPresent()
        ? result.withoutHeadline(ServedRefs.keys(context.refs()), whyNoneServed.get())
        : result;
  }

  private List<Row> inMemory(SuiteContext context) throws IOException, InterruptedException {
    DataSet data =
        context.givenRefs().isPresent()
            ? DataSet.of(context.data(), context.givenRefs().get())
            : DataSet.of(context.data(), context.refs());
    ScratchDirectory scratch = ScratchDirectory.create(data.scratch());
    try (scratch) {
      if (engines.stream().noneMatch(RefsEngine::onS3)) {
        return new RefsRun(context, data, engines).run();
      }
      try (S3Session s3 = context.openS3()) {
        s3.createBucket(data.bucket());
        return new RefsRun(context, data, engines).with(s3.endpoint().jvmOptions()).run();
      }
    }
  }
}
