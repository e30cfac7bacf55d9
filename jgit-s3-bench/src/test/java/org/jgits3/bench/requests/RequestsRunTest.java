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
  void every_operation_is_within_its_budget_and_leaves_a_flame_graph() throws Exception {
    SuiteResult result = counted(SmallestContext.profiled(directory));

    assertThat(SmallestContext.flameGraphs(directory)).containsExactly("requests-directory.html");
    assertThat(result.rows()).noneMatch(Row::failed);
    for (BudgetedOperation operation : BudgetedOperation.values()) {
      assertThat(SuiteResult.median(result.rows(), operation.title(), "directory")).isPresent();
      assertThat(SuiteResult.median(result.rows(), operation.title(), RequestsRun.BUDGET))
          .isPresent();
    }
  }

  private static SuiteResult counted(SuiteContext context) throws Exception {
    try (RequestsRun run = RequestsRun.in(context)) {
      run.count("directory", "[s3]\n\tstore = file:" + run.directory() + "\n");
      return run.result();
    }
  }
}
