// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.git;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.SuiteResult;

/** The figures by which the suite is judged, from its rows. */
record GitHeadline(List<Row> rows) {
  static final String UPLOAD = "upload_vs_raw";
  static final String RANGE = "range_vs_get";

  static final List<String> KEYS =
      List.of("clone_warm_vs_disk", "clone_cold_vs_disk", "push_vs_disk", UPLOAD, RANGE);

  /** Figures of clones and pushes by key; empty where something was not measured. */
  Map<String, Optional<Double>> figures() {
    Map<String, Optional<Double>> figures = new LinkedHashMap<>();
    figures.put("clone_warm_vs_disk", ratio(GitCase.CLONE_WARM));
    figures.put("clone_cold_vs_disk", ratio(GitCase.CLONE_COLD));
    figures.put("push_vs_disk", ratio(GitCase.PUSH));
    return figures;
  }

  /** How many times the throughput of the disk this server has on S3. */
  private Optional<Double> ratio(GitCase what) {
    return of(what, GitEngine.JGIT_DISK)
        .flatMap(disk -> of(what, GitEngine.S3).map(s3 -> disk / s3));
  }

  private Optional<Double> of(GitCase what, GitEngine engine) {
    return SuiteResult.median(rows, what.title(), engine.id());
  }
}
