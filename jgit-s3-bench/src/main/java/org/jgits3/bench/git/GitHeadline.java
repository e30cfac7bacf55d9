// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.git;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jgits3.bench.report.Estimate;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.SuiteResult;
import org.jgits3.bench.transfer.ThroughputComparison;

/**
 * The figures by which the suite is judged.
 *
 * @param plan what was measured
 * @param rows clones and pushes
 * @param streams the streams by themselves; empty if they failed
 */
record GitHeadline(GitPlan plan, List<Row> rows, Optional<ThroughputComparison> streams) {
  static final List<String> KEYS =
      List.copyOf(
          new GitHeadline(new GitPlan(0, 1, 1, 1), List.of(), Optional.empty()).figures().keySet());

  /** Engines whose times are compared. */
  static final Set<GitEngine> JUDGED = Set.of(GitEngine.S3, GitEngine.JGIT_DISK);

  /** Figures by key; empty where something was not measured, or not at its full size. */
  Map<String, Optional<Estimate>> figures() {
    Map<String, Optional<Estimate>> figures = new LinkedHashMap<>();
    figures.put("clone_warm_vs_disk", ratio(GitCase.CLONE_WARM));
    figures.put("clone_cold_vs_disk", ratio(GitCase.CLONE_COLD));
    figures.put("push_vs_disk", ratio(GitCase.PUSH));
    Optional<ThroughputComparison> full = streams.filter(ThroughputComparison::isFullSize);
    figures.put("upload_vs_raw", full.map(ThroughputComparison::uploadVsRaw));
    figures.put("range_vs_get", full.map(ThroughputComparison::rangeVsGet));
    return figures;
  }

  /** Throughput of this server on S3 as a multiple of that of the disk. */
  private Optional<Estimate> ratio(GitCase what) {
    return plan.isFullSize()
        ? Estimate.quotient(of(what, GitEngine.JGIT_DISK), of(what, GitEngine.S3))
        : Optional.empty();
  }

  private Optional<Figure> of(GitCase what, GitEngine engine) {
    return SuiteResult.figure(rows, what.title(), engine.id());
  }
}
