// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.requests;

import java.io.IOException;
import java.util.List;
import org.jgits3.bench.Suite;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.report.SuiteResult;
import org.jgits3.bench.server.S3Session;

/** Requests of all operations that have a budget, counted on an S3 server and on a directory. */
public final class RequestsSuite implements Suite {
  @Override
  public String name() {
    return "requests";
  }

  @Override
  public String about() {
    return "How many requests and bytes does each operation cost? On an S3 server and on a directory. Some seconds.";
  }

  @Override
  public List<String> headlineKeys() {
    return List.of();
  }

  @Override
  public SuiteResult run(SuiteContext context) throws IOException, InterruptedException {
    try (RequestsRun run = RequestsRun.in(context)) {
      try (S3Session s3 = context.openS3()) {
        run.count("s3", s3.endpoint().config(S3Session.SCRATCH));
      }
      run.count("directory", "[s3]\n\tstore = file:" + run.directory() + "\n");
      return run.result();
    }
  }
}
