// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.requests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.jgits3.bench.SmallestContext;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.SuiteResult;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RequestsRunTest {
  private static final List<String> KEYS = new RequestsSuite().headlineKeys();

  @TempDir private Path directory;

  @Test
  void every_operation_is_within_its_budget_and_leaves_a_flame_graph() throws Exception {
    SuiteResult result = counted("directory", SmallestContext.profiled(directory));

    assertThat(SmallestContext.flameGraphs(directory)).containsExactly("requests-directory.html");
    assertThat(result.checkedAgainst(KEYS).missing()).as("no substitute for S3").isEqualTo(KEYS);
    assertThat(result.rows()).noneMatch(Row::failed);
    for (BudgetedOperation operation : BudgetedOperation.values()) {
      assertThat(SuiteResult.median(result.rows(), operation.title(), "directory")).isPresent();
      assertThat(SuiteResult.median(result.rows(), operation.title(), RequestsRun.BUDGET))
          .isPresent();
    }
  }

  @Test
  @Tag("long") // the requests are those of a directory
  void requests_to_s3_are_what_the_suite_is_judged_by() throws Exception {
    SuiteResult result = counted(RequestsRun.JUDGED, SmallestContext.in(directory));

    assertThat(result.checkedAgainst(KEYS).missing()).isEmpty();
  }

  /** Counts in a directory, whatever the engine is called. */
  private static SuiteResult counted(String engine, SuiteContext context) throws Exception {
    try (RequestsRun run = RequestsRun.in(context)) {
      run.count(engine, "[s3]\n\tstore = file:" + run.directory() + "\n");
      return run.result();
    }
  }
}
