// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jgits3.bench.report.Estimate;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.Row;
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
}
