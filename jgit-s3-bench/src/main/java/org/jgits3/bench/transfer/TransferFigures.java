// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.transfer;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jgits3.bench.report.Estimate;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.SuiteResult;

/**
 * The figures by which the suite is judged, computed from the times of all cases.
 *
 * @param times the rows of all cases
 * @param sizes sizes that were measured, in MiB, ascending
 */
record TransferFigures(List<Row> times, List<Integer> sizes) {
  /** Below the sizes of the published table nothing but start-up is compared. */
  static final int LEAST_TO_BE_JUDGED = 128;

  static final List<String> KEYS =
      List.copyOf(new TransferFigures(List.of(), List.of(0)).headline().keySet());

  /** Figures at the largest size, by key; empty where something that they need was not measured. */
  Map<String, Optional<Estimate>> headline() {
    Map<String, Optional<Estimate>> headline = new LinkedHashMap<>();
    headline.put("upload_vs_awscli", fasterThan(Direction.UPLOAD, List.of(Tools.AWS_CLI)));
    headline.put("download_vs_awscli", fasterThan(Direction.DOWNLOAD, List.of(Tools.AWS_CLI)));
    headline.put("upload_vs_best_peer", fasterThan(Direction.UPLOAD, Tools.PEERS));
    headline.put("download_vs_best_peer", fasterThan(Direction.DOWNLOAD, Tools.PEERS));
    return headline;
  }

  /** Speed as a multiple of the fastest of some tools, all of which must have figures. */
  private Optional<Estimate> fasterThan(Direction direction, List<String> peers) {
    int size = sizes.get(sizes.size() - 1);
    List<Figure> others = peers.stream().flatMap(p -> figure(direction, size, p).stream()).toList();
    if (size < LEAST_TO_BE_JUDGED || others.size() < peers.size()) {
      return Optional.empty();
    }
    Figure best = others.stream().min(Comparator.comparingDouble(Figure::median)).orElseThrow();
    return figure(direction, size, Tools.OURS).flatMap(own -> Estimate.quotient(best, own));
  }

  private Optional<Figure> figure(Direction direction, int size, String engine) {
    return SuiteResult.figure(times, TransferCase.title(direction, size), engine);
  }
}
