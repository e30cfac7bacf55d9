// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.requests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.jgits3.bench.SmallestContext;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.SuiteResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RequestsRunTest {
  @TempDir private Path directory;

  @Test
  void every_operation_is_counted_and_within_its_budget() throws Exception {
    SuiteContext context = SmallestContext.in(directory);
    SuiteResult result;
    try (RequestsRun run = RequestsRun.in(context)) {
      run.count("directory", "[s3]\n\tstore = file:" + run.directory() + "\n");
      result = run.result();
    }

    assertThat(result.rows()).noneMatch(Row::failed);
    for (BudgetedOperation operation : BudgetedOperation.values()) {
      assertThat(SuiteResult.median(result.rows(), operation.title(), "directory")).isPresent();
      assertThat(SuiteResult.median(result.rows(), operation.title(), RequestsRun.BUDGET))
          .isPresent();
    }
    assertThat(result.checkedAgainst(new RequestsSuite().headlineKeys()).missing()).isEmpty();
  }
}
