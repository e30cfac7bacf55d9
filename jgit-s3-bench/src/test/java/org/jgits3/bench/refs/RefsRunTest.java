// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.jgits3.bench.Effort;
import org.jgits3.bench.SmallestContext;
import org.jgits3.bench.jmh.Schedule;
import org.jgits3.bench.report.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RefsRunTest {
  @ParameterizedTest
  @EnumSource(RefsCase.class)
  void all_engines_of_a_case_are_warmed_up_alike(RefsCase what) {
    Schedule first = RefsRun.planned(what, RefsEngine.S3, Effort.QUICK);
    for (RefsEngine engine : RefsEngine.values()) {
      Schedule schedule = RefsRun.planned(what, engine, Effort.QUICK);
      assertThat(schedule.warmups()).as(engine.id()).isEqualTo(first.warmups());
      assertThat(schedule.millis()).as(engine.id()).isEqualTo(first.millis());
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = RefsCase.class,
      names = {"HIT", "MISS", "PREFIX", "ALL", "TIPS", "COLD", "UPDATE"})
  void look_ups_and_updates_are_warmed_up_at_least_twenty_times(RefsCase what) {
    assertThat(RefsRun.planned(what, RefsEngine.JGIT_NEVER, Effort.QUICK).warmups())
        .isGreaterThanOrEqualTo(20);
  }

  @ParameterizedTest
  @EnumSource(RefsCase.class)
  void what_is_judged_is_measured_in_as_many_jvms_as_what_it_is_compared_with(RefsCase what) {
    for (RefsEngine engine : RefsHeadline.JUDGED.getOrDefault(what, Set.of())) {
      assertThat(RefsRun.planned(what, engine, Effort.QUICK).forks()).isEqualTo(3);
      assertThat(RefsRun.planned(what, engine, Effort.FULL).forks()).isEqualTo(5);
    }
  }

  @Test
  void engines_that_trust_something_are_cold_like_those_that_do_not() {
    for (RefsEngine engine : RefsHeadline.JUDGED.get(RefsCase.COLD)) {
      assertThat(RefsCase.COLD.concerns(engine)).as(engine.id()).isTrue();
    }
    assertThat(RefsCase.COLD.concerns(RefsEngine.S3_WINDOW)).isFalse();
    assertThat(RefsCase.HIT.concerns(RefsEngine.S3_WINDOW)).isTrue();
  }

  @Test
  void update_whose_requests_cannot_be_counted_is_a_row_that_says_why(@TempDir Path directory)
      throws Exception {
    Path file = Files.writeString(directory.resolve("scratch"), "where a directory should be");
    RefsRun run = new RefsRun(SmallestContext.in(directory), DataSet.of(directory, 100), Set.of());

    Row row = run.requestsOfUpdate(RefsEngine.DIRECTORY);

    assertThat(row.failed()).isTrue();
    assertThat(row.missing()).contains(file.toString());
  }
}
