// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.git;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jgits3.bench.Suite;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.report.ErrorLine;
import org.jgits3.bench.report.Estimate;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.SuiteResult;
import org.jgits3.bench.report.Unit;
import org.jgits3.bench.server.S3Session;
import org.jgits3.bench.transfer.ThroughputComparison;
import software.amazon.awssdk.core.exception.SdkException;

/** Clones and pushes of a large repository by the real Git. */
public final class GitSuite implements Suite {
  @Override
  public String name() {
    return "git";
  }

  @Override
  public String about() {
    return "How fast are clone, fetch and push of a large repository? Beside C git and JGit on a disk. 18 min; quick: 5.";
  }

  @Override
  public List<String> headlineKeys() {
    return GitHeadline.KEYS;
  }

  @Override
  public SuiteResult run(SuiteContext context) throws IOException, InterruptedException {
    GitPlan plan = GitPlan.of(context);
    Path data = Files.createDirectories(context.data().resolve("git-" + plan.megabytes()));
    try (S3Session s3 = context.openS3()) {
      s3.createBucket(plan.bucket());
      List<Row> rows =
          new ArrayList<>(new GitRun(context, plan, data, Optional.of(s3.endpoint())).run());
      Optional<ThroughputComparison> streams = compareStreams(context, s3, rows);
      Map<String, Optional<Estimate>> headline = new GitHeadline(plan, rows, streams).figures();
      SuiteResult result = SuiteResult.of(name(), headline, rows, GitEngine.JGIT_DISK.id());
      return plan.isFullSize()
          ? result
          : result.withoutHeadline(headlineKeys(), "the repository was too small to tell");
    }
  }

  /** The streams that packs are written and read through, by themselves. */
  private static Optional<ThroughputComparison> compareStreams(
      SuiteContext context, S3Session s3, List<Row> rows) throws InterruptedException {
    context.progress().begin("streams");
    try {
      ThroughputComparison compared = ThroughputComparison.measure(context, s3);
      rows.addAll(compared.rows());
      return Optional.of(compared);
    } catch (IOException | SdkException e) {
      rows.add(Row.failed("streams", "s3", Unit.MEGABYTES_PER_SECOND, ErrorLine.of(e)));
      return Optional.empty();
    }
  }
}
