// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.git;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jgits3.bench.report.Estimate;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.Unit;
import org.jgits3.bench.transfer.ThroughputComparison;
import org.junit.jupiter.api.Test;

class GitHeadlineTest {
  private static final List<Row> ROWS =
      List.of(
          row(GitCase.CLONE_WARM, GitEngine.S3, 4),
          row(GitCase.CLONE_WARM, GitEngine.JGIT_DISK, 3),
          row(GitCase.PUSH, GitEngine.S3, 5));

  private static final Estimate UPLOAD = Estimate.median(Figure.of(1.0, 1.1, 1.2));
  private static final Estimate RANGE = Estimate.exactly(1.2);

  private static Row row(GitCase what, GitEngine engine, double seconds) {
    return Row.of(what.title(), engine.id(), Unit.NANOSECONDS, Figure.exactly(seconds * 1e9));
  }

  private static Map<String, Optional<Estimate>> figures(int megabytes, int streamed) {
    return new GitHeadline(
            new GitPlan(megabytes, 1, 1, 1),
            ROWS,
            Optional.of(new ThroughputComparison(streamed, UPLOAD, RANGE, List.of())))
        .figures();
  }

  @Test
  void what_was_not_measured_is_empty() {
    assertThat(figures(200, 1024))
        .containsOnlyKeys(GitHeadline.KEYS)
        .containsEntry("clone_warm_vs_disk", Optional.of(Estimate.exactly(0.75)))
        .containsEntry("push_vs_disk", Optional.empty())
        .containsEntry("upload_vs_raw", Optional.of(UPLOAD))
        .containsEntry("range_vs_get", Optional.of(RANGE));
  }

  @Test
  void nothing_is_judged_by_a_repository_or_an_object_that_is_too_small() {
    assertThat(figures(2, 16).values()).allMatch(Optional::isEmpty);
  }
}
