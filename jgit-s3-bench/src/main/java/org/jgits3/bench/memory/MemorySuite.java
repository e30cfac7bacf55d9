// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.memory;

import java.io.IOException;
import java.util.List;
import org.jgits3.bench.Suite;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.report.SuiteResult;
import org.jgits3.bench.server.S3Session;
import software.amazon.awssdk.services.s3.S3Client;

/** The smallest heaps that land an object in memory, and that upload one. */
public final class MemorySuite implements Suite {
  /** The suite. */
  public MemorySuite() {}

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public String about() {
    return "What is the smallest heap that reads or uploads an object of a given size? Beside the HTTP clients of the SDK. 39 min; quick: 4.";
  }

  @Override
  public List<String> headlineKeys() {
    return List.of(MemoryRun.GET_258, MemoryRun.UPLOAD_256, MemoryRun.UPLOAD_4G);
  }

  @Override
  public SuiteResult run(SuiteContext context) throws IOException, InterruptedException {
    try (S3Session s3 = context.openS3();
        S3Client client = s3.endpoint().client()) {
      MemoryPlan plan = MemoryPlan.of(context.effort());
      SuiteResult result = new MemoryRun(context, plan, s3.endpoint(), client).run();
      return plan.ofFullSize()
          ? result
          : result.withoutHeadline(headlineKeys(), "objects were smaller than what is asked for");
    }
  }
}
