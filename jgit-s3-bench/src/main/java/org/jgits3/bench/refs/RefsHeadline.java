// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jgits3.bench.Effort;
import org.jgits3.bench.report.Estimate;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.SuiteResult;

/** The figures by which the suite is judged, from its rows. */
record RefsHeadline(List<Row> rows) {
  /** Follows the title of a case. */
  static final String ALLOCATED = ": bytes allocated";

  static final String HEAP = "heap of an open repository, per ref";
  static final String REQUESTS = "requests of a single update";

  static final List<String> KEYS = List.copyOf(new RefsHeadline(List.of()).figures().keySet());

  /** Engines whose times are compared, by case. */
  static final Map<RefsCase, Set<RefsEngine>> JUDGED =
      Map.of(
          RefsCase.HIT,
          Set.of(
              RefsEngine.S3,
              RefsEngine.S3_UNTRUSTED,
              RefsEngine.S3_WINDOW,
              RefsEngine.JGIT_NEVER,
              RefsEngine.JGIT_ALWAYS,
              RefsEngine.RAW_COMPARE),
          RefsCase.COLD,
          Set.of(RefsEngine.S3, RefsEngine.DIRECTORY, RefsEngine.JGIT_NEVER),
          RefsCase.FORK,
          Set.of(RefsEngine.S3),
          RefsCase.CREATE,
          Set.of(RefsEngine.S3));

  /** Refs that the figures are about. */
  private static final int REFS = 500_000;

  /** The same for those that are served over HTTP. */
  private static final int MANY_REFS = 4_000_000;

  /**
   * Explains the lack of such figures in a run.
   *
   * @param effort how much it measured
   * @param refs its number of refs
   * @return the reason; empty if it has them
   */
  static Optional<String> whyNone(Effort effort, int refs) {
    return whyNone(effort, refs, List.of(REFS));
  }

  /** The same for pushes and listings over HTTP. */
  static Optional<String> whyNoneServed(Effort effort, int refs) {
    return whyNone(effort, refs, List.of(REFS, MANY_REFS));
  }

  private static Optional<String> whyNone(Effort effort, int refs, List<Integer> asked) {
    if (effort == Effort.SMALLEST) {
      return Optional.of("single calls were made, to see whether they work");
    }
    String those = asked.stream().map("%,d"::formatted).collect(Collectors.joining(" or "));
    return asked.contains(refs)
        ? Optional.empty()
        : Optional.of("%,d refs, where %s are asked for".formatted(refs, those));
  }

  /** Figures by key; empty where something was not measured. */
  Map<String, Optional<Estimate>> figures() {
    Map<String, Optional<Estimate>> figures = new LinkedHashMap<>();
    figures.put("hit_s3_vs_dir_never", faster(RefsCase.HIT, RefsEngine.S3, RefsEngine.JGIT_NEVER));
    figures.put(
        "hit_s3_vs_rawcompare", faster(RefsCase.HIT, RefsEngine.S3, RefsEngine.RAW_COMPARE));
    figures.put(
        "hit_window_vs_dir_always",
        faster(RefsCase.HIT, RefsEngine.S3_WINDOW, RefsEngine.JGIT_ALWAYS));
    figures.put(
        "alloc_bytes_per_hit", plain(RefsCase.HIT.title() + ALLOCATED, RefsEngine.S3_WINDOW));
    figures.put(
        "untrusted_vs_dir_never",
        faster(RefsCase.HIT, RefsEngine.S3_UNTRUSTED, RefsEngine.JGIT_NEVER));
    figures.put("cold_vs_dir", faster(RefsCase.COLD, RefsEngine.S3, RefsEngine.JGIT_NEVER));
    figures.put(
        "cold_without_transfer_vs_dir",
        faster(RefsCase.COLD, RefsEngine.DIRECTORY, RefsEngine.JGIT_NEVER));
    figures.put("heap_bytes_per_ref", plain(HEAP, RefsEngine.S3));
    figures.put(
        "batch500k_time_vs_upload",
        Estimate.quotient(
            of(RefsCase.CREATE_ALL, RefsEngine.S3), of(RefsCase.UPLOAD, RefsEngine.S3)));
    figures.put("update_requests", plain(REQUESTS, RefsEngine.S3));
    figures.put(
        "fork_vs_create",
        Estimate.quotient(of(RefsCase.FORK, RefsEngine.S3), of(RefsCase.CREATE, RefsEngine.S3)));
    return figures;
  }

  /** Speed of one engine as a multiple of another's. */
  private Optional<Estimate> faster(RefsCase what, RefsEngine engine, RefsEngine than) {
    return Estimate.quotient(of(what, than), of(what, engine));
  }

  private Optional<Figure> of(RefsCase what, RefsEngine engine) {
    return SuiteResult.figure(rows, what.title(), engine.id());
  }

  private Optional<Estimate> plain(String name, RefsEngine engine) {
    return SuiteResult.median(rows, name, engine.id()).map(Estimate::exactly);
  }
}
