// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jgits3.bench.Effort;
import org.jgits3.bench.report.Estimate;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.Unit;
import org.junit.jupiter.api.Test;

class RefsHeadlineTest {
  private static Row cold(RefsEngine engine, double nanos) {
    return Row.of(
        RefsCase.COLD.title(), engine.id(), Unit.NANOSECONDS, Figure.of(nanos, nanos, nanos));
  }

  @Test
  void cold_open_is_compared_with_one_engine_and_without_the_transfer() {
    Map<String, Optional<Estimate>> figures =
        new RefsHeadline(
                List.of(
                    cold(RefsEngine.S3, 40),
                    cold(RefsEngine.S3_WINDOW, 1),
                    cold(RefsEngine.DIRECTORY, 20),
                    cold(RefsEngine.JGIT_NEVER, 120),
                    cold(RefsEngine.JGIT_ALWAYS, 1000)))
            .figures();

    assertThat(figures.get("cold_vs_dir").orElseThrow().value()).isEqualTo(3);
    assertThat(figures.get("cold_without_transfer_vs_dir").orElseThrow().value()).isEqualTo(6);
    assertThat(figures.get("hit_s3_vs_dir_never")).isEmpty();
    assertThat(figures).containsOnlyKeys(RefsHeadline.KEYS);
  }

  @Test
  void figures_of_another_number_of_refs_or_of_single_calls_are_none() {
    assertThat(RefsHeadline.whyNone(Effort.QUICK, 500_000)).isEmpty();
    assertThat(RefsHeadline.whyNone(Effort.QUICK, 2_000))
        .contains("2,000 refs, where 500,000 are asked for");
    assertThat(RefsHeadline.whyNone(Effort.SMALLEST, 500_000)).isPresent();
    assertThat(RefsHeadline.whyNoneServed(Effort.QUICK, 4_000_000)).isEmpty();
    assertThat(RefsHeadline.whyNoneServed(Effort.QUICK, 2_000))
        .contains("2,000 refs, where 500,000 or 4,000,000 are asked for");
  }
}
