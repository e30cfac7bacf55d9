// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.transfer;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jgits3.bench.report.Estimate;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.SuiteResult;
import org.jgits3.bench.report.Unit;

/**
 * Figures computed from the times of all cases: those by which the suite is judged, and the rows
 * that compare the library with the raw client and show how throughput grows with size.
 *
 * @param times the rows of all cases
 * @param sizes sizes that were measured, in MiB, ascending
 */
record TransferFigures(List<Row> times, List<Integer> sizes) {
  /** Below the sizes of the published table nothing but start-up is compared. */
  static final int LEAST_TO_BE_JUDGED = 128;

  private static final String UPLOAD_VS_AWSCLI = "upload_vs_awscli";
  private static final String DOWNLOAD_VS_AWSCLI = "download_vs_awscli";
  private static final String UPLOAD_VS_BEST_PEER = "upload_vs_best_peer";
  private static final String DOWNLOAD_VS_BEST_PEER = "download_vs_best_peer";

  static final List<String> KEYS =
      List.of(UPLOAD_VS_AWSCLI, DOWNLOAD_VS_AWSCLI, UPLOAD_VS_BEST_PEER, DOWNLOAD_VS_BEST_PEER);

  /** Figures at the largest size, by key; empty where something that they need was not measured. */
  Map<String, Optional<Estimate>> headline() {
    Map<String, Optional<Estimate>> headline = new LinkedHashMap<>();
    headline.put(UPLOAD_VS_AWSCLI, fasterThan(Direction.UPLOAD, List.of(Tools.AWS_CLI)));
    headline.put(DOWNLOAD_VS_AWSCLI, fasterThan(Direction.DOWNLOAD, List.of(Tools.AWS_CLI)));
    headline.put(UPLOAD_VS_BEST_PEER, fasterThan(Direction.UPLOAD, Tools.PEERS));
    headline.put(DOWNLOAD_VS_BEST_PEER, fasterThan(Direction.DOWNLOAD, Tools.PEERS));
    return headline;
  }

  /** Speed as a multiple of the fastest of some tools, all of which must have figures. */
  private Optional<Estimate> fasterThan(Direction direction, List<String> peers) {
    int size = largest();
    List<Figure> others = peers.stream().flatMap(p -> figure(direction, size, p).stream()).toList();
    if (size < LEAST_TO_BE_JUDGED || others.size() < peers.size()) {
      return Optional.empty();
    }
    Figure best = others.stream().min(Comparator.comparingDouble(Figure::median)).orElseThrow();
    return figure(direction, size, Tools.OURS).flatMap(own -> Estimate.quotient(best, own));
  }

  /** The rows that follow from the times. */
  List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (Direction direction : Direction.values()) {
      sizes.forEach(size -> rows.addAll(againstRaw(direction, size)));
      rows.addAll(growth(direction));
    }
    return rows;
  }

  /** Share of the raw client's throughput that the library reaches. */
  private List<Row> againstRaw(Direction direction, int size) {
    Optional<Figure> raw = figure(direction, size, TransferCase.withoutStartUp(Tools.RAW));
    return Stream.of(Tools.OURS, Tools.MEMORY)
        .map(TransferCase::withoutStartUp)
        .map(
            engine ->
                row(
                    "throughput relative to the raw client, " + TransferCase.title(direction, size),
                    engine,
                    raw.flatMap(r -> figure(direction, size, engine).map(own -> inBoth(r, own)))))
        .toList();
  }

  /** Time of the first as a multiple of the second's, over the rounds that both have run. */
  private static double inBoth(Figure first, Figure second) {
    int rounds = Math.min(first.samples().size(), second.samples().size());
    return new Figure(first.samples().subList(0, rounds)).median()
        / new Figure(second.samples().subList(0, rounds)).median();
  }

  /** 1 where time is proportional to size, more where what each process costs at first counts. */
  private List<Row> growth(Direction direction) {
    int smallest = sizes.get(0);
    if (smallest == largest()) {
      return List.of();
    }
    return Stream.concat(Stream.of(Tools.OURS), Tools.PEERS.stream())
        .map(
            engine ->
                row(
                    String.format(
                        "%s, throughput at %d MB relative to that at %d MB",
                        direction.title(), largest(), smallest),
                    engine,
                    median(direction, smallest, engine)
                        .flatMap(
                            least ->
                                median(direction, largest(), engine)
                                    .map(most -> least * largest() / smallest / most))))
        .toList();
  }

  private static Row row(String name, String engine, Optional<Double> value) {
    return value
        .map(v -> Row.of(name, engine, Unit.TIMES, Figure.exactly(v)))
        .orElseGet(() -> Row.missing(name, engine, Unit.TIMES, "not all of it was measured"));
  }

  private int largest() {
    return sizes.get(sizes.size() - 1);
  }

  private Optional<Double> median(Direction direction, int size, String engine) {
    return figure(direction, size, engine).map(Figure::median);
  }

  private Optional<Figure> figure(Direction direction, int size, String engine) {
    return SuiteResult.figure(times, TransferCase.title(direction, size), engine);
  }
}
