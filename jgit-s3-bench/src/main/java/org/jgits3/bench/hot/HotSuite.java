// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.hot;

import java.io.IOException;
import java.util.List;
import org.jgits3.bench.Suite;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.process.ScratchDirectory;
import org.jgits3.bench.report.SuiteResult;
import org.jgits3.bench.server.S3Session;

/** Pushes of many clients to one repository, on a store as distant as S3 is. */
public final class HotSuite implements Suite {
  /** The suite. */
  public HotSuite() {}

  @Override
  public String name() {
    return "hot";
  }

  @Override
  public String about() {
    return "How many pushes of 64 clients does one repository take, and is one client left behind? Beside C git and JGit on a disk. 17 min; quick: 6.";
  }

  @Override
  public List<String> headlineKeys() {
    return HotFigures.keys();
  }

  @Override
  public SuiteResult run(SuiteContext context) throws IOException, InterruptedException {
    HotPlan plan = HotPlan.of(context.effort());
    try (ScratchDirectory scratch = ScratchDirectory.create(context.data().resolve("hot"));
        S3Session s3 = context.openS3()) {
      SuiteResult result =
          new HotRun(context, plan, scratch.path(), s3.endpoint()).run().result(name());
      return plan.isFullSize()
          ? result
          : result.withoutHeadline(headlineKeys(), "the clients were too few to tell");
    }
  }
}
