// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import static org.jgits3.bench.report.SuiteResult.median;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.Row;

/** The figures by which the suite is judged, from its rows. */
record RefsHeadline(List<Row> rows, int refs) {
  /** Follows the title of a case. */
  static final String ALLOCATED = ": bytes allocated";

  static final String HEAP = "heap of an open repository, per ref";
  static final String REQUESTS = "requests of a single update";

  static final List<String> KEYS =
      List.of(
          "hit_s3_vs_dir_never",
          "hit_s3_vs_rawcompare",
          "hit_window_vs_dir_always",
          "alloc_bytes_per_hit",
          "untrusted_vs_dir_never",
          "cold_vs_dir",
          "cold_without_transfer_vs_dir",
          "heap_bytes_per_ref",
          "batch500k_time_vs_upload",
          "update_requests");

  /** Figures by key; empty where something was not measured. */
  Map<String, Optional<Double>> figures() {
    Map<String, Optional<Double>> figures = new LinkedHashMap<>();
    figures.put("hit_s3_vs_dir_never", hits(RefsEngine.S3, RefsEngine.JGIT_NEVER));
    figures.put("hit_s3_vs_rawcompare", hits(RefsEngine.S3, RefsEngine.RAW_COMPARE));
    figures.put("hit_window_vs_dir_always", hits(RefsEngine.S3_WINDOW, RefsEngine.JGIT_ALWAYS));
    figures.put(
        "alloc_bytes_per_hit",
        median(rows, RefsCase.HIT.title() + ALLOCATED, RefsEngine.S3_WINDOW.id()));
    figures.put("untrusted_vs_dir_never", hits(RefsEngine.S3_UNTRUSTED, RefsEngine.JGIT_NEVER));
    Optional<Double> fromDisk = first(RefsEngine::isRefDirectory);
    Optional<Double> cold = first(RefsEngine::onS3);
    Optional<Double> transfer = of(RefsCase.DOWNLOAD, RefsEngine.S3);
    figures.put("cold_vs_dir", quotient(fromDisk, cold));
    figures.put(
        "cold_without_transfer_vs_dir",
        quotient(fromDisk, cold.flatMap(c -> transfer.map(t -> c - t))));
    figures.put("heap_bytes_per_ref", median(rows, HEAP, RefsEngine.S3.id()));
    figures.put(
        "batch500k_time_vs_upload",
        quotient(of(RefsCase.CREATE_ALL, RefsEngine.S3), of(RefsCase.UPLOAD, RefsEngine.S3)));
    figures.put("update_requests", median(rows, REQUESTS, RefsEngine.S3.id()));
    return figures;
  }

  /** How many times faster one engine's hits are than another's. */
  private Optional<Double> hits(RefsEngine engine, RefsEngine than) {
    return quotient(of(RefsCase.HIT, than), of(RefsCase.HIT, engine));
  }

  /**
   * Median time to a first look-up. Nothing is known before it, so that engines that differ only in
   * what they trust do the same: their shots are those of one engine.
   */
  private Optional<Double> first(Predicate<RefsEngine> like) {
    double[] shots =
        Arrays.stream(RefsEngine.values())
            .filter(like)
            .flatMap(engine -> rows.stream().filter(row -> isCold(row, engine)))
            .flatMap(row -> row.figure().stream())
            .flatMapToDouble(f -> f.samples().stream().mapToDouble(Double::doubleValue))
            .toArray();
    return shots.length == 0 ? Optional.empty() : Optional.of(Figure.of(shots).median());
  }

  private static boolean isCold(Row row, RefsEngine engine) {
    return row.name().equals(RefsCase.COLD.title()) && row.engine().equals(engine.id());
  }

  private Optional<Double> of(RefsCase what, RefsEngine engine) {
    return median(rows, what.title(), engine.id());
  }

  /** Empty also where the divisor is within the noise. */
  private static Optional<Double> quotient(Optional<Double> a, Optional<Double> b) {
    return a.flatMap(x -> b.filter(y -> y > 0).map(y -> x / y));
  }
}
