// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jgits3.bench.report.Estimate;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.SuiteResult;
import org.jgits3.bench.report.Unit;
import org.junit.jupiter.api.Test;

class TransferFiguresTest {
  private final List<Row> times = new ArrayList<>();

  private void took(Direction direction, int megabytes, String engine, double... rounds) {
    times.add(
        Row.of(
            TransferCase.title(direction, megabytes), engine, Unit.NANOSECONDS, Figure.of(rounds)));
  }

  private void all(int megabytes, double ours, double awsCli, double rclone, double mc) {
    for (Direction direction : Direction.values()) {
      took(direction, megabytes, Tools.OURS, ours);
      took(direction, megabytes, Tools.AWS_CLI, awsCli);
      took(direction, megabytes, Tools.RCLONE, rclone);
      took(direction, megabytes, Tools.MC, mc);
    }
  }

  @Test
  void headline_is_of_the_largest_size_against_the_fastest_peer() {
    all(128, 9, 1, 1, 1);
    all(512, 2, 6, 5, 3);

    assertThat(new TransferFigures(times, List.of(128, 512)).headline())
        .containsEntry("upload_vs_awscli", Optional.of(Estimate.exactly(3.0)))
        .containsEntry("download_vs_best_peer", Optional.of(Estimate.exactly(1.5)));
  }

  @Test
  void without_one_of_the_peers_there_is_no_best() {
    all(128, 2, 6, 5, 3);
    times.removeIf(row -> row.engine().equals(Tools.MC));

    assertThat(new TransferFigures(times, List.of(128)).headline())
        .containsEntry("upload_vs_awscli", Optional.of(Estimate.exactly(3.0)))
        .containsEntry("upload_vs_best_peer", Optional.empty())
        .containsEntry("download_vs_best_peer", Optional.empty());
  }

  @Test
  void nothing_is_judged_by_a_size_at_which_start_up_is_all() {
    all(16, 2, 6, 5, 3);

    assertThat(new TransferFigures(times, List.of(16)).headline().values())
        .hasSameSizeAs(TransferFigures.KEYS)
        .allMatch(Optional::isEmpty);
  }

  @Test
  void growth_is_throughput_at_the_largest_size_relative_to_the_smallest() {
    all(128, 1, 1, 1, 1);
    all(512, 2, 4, 8, 4);
    List<Row> rows = new TransferFigures(times, List.of(128, 512)).rows();
    String name = "upload, throughput at 512 MB relative to that at 128 MB";

    assertThat(SuiteResult.median(rows, name, Tools.OURS)).contains(2.0);
    assertThat(SuiteResult.median(rows, name, Tools.AWS_CLI)).contains(1.0);
    assertThat(SuiteResult.median(rows, name, Tools.RCLONE)).contains(0.5);
  }

  @Test
  void the_library_is_compared_with_the_raw_client_and_missing_without_it() {
    took(Direction.UPLOAD, 128, Tools.OURS + ", without start-up", 4);
    took(Direction.DOWNLOAD, 128, Tools.OURS + ", without start-up", 4);
    took(Direction.UPLOAD, 128, "raw client, without start-up", 3);
    List<Row> rows = new TransferFigures(times, List.of(128)).rows();

    assertThat(
            SuiteResult.median(
                rows,
                "throughput relative to the raw client, upload of 128 MB",
                Tools.OURS + ", without start-up"))
        .contains(0.75);
    assertThat(rows)
        .filteredOn(row -> row.name().endsWith("download of 128 MB"))
        .hasSize(2)
        .allMatch(row -> row.figure().isEmpty() && !row.failed());
  }

  @Test
  void only_rounds_that_both_had_are_compared_with_the_raw_client() {
    took(Direction.UPLOAD, 128, Tools.OURS + ", without start-up", 8, 4, 20, 20, 20, 20);
    took(Direction.UPLOAD, 128, "raw client, without start-up", 2, 4);

    assertThat(
            SuiteResult.median(
                new TransferFigures(times, List.of(128)).rows(),
                "throughput relative to the raw client, upload of 128 MB",
                Tools.OURS + ", without start-up"))
        .contains(0.5);
  }
}
