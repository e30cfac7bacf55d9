// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ProgressTest {
  @Test
  void line_tells_suite_case_of_how_many_and_time_of_the_run() {
    List<String> lines = new ArrayList<>();
    AtomicLong clock = new AtomicLong(-5);
    Progress progress = new Progress(lines::add, clock::get);

    progress.suite("refs");
    progress.note("generating");
    progress.expect(2);
    progress.begin("hit, s3");
    clock.addAndGet(Duration.ofSeconds(125).toNanos());
    progress.begin("miss, s3");
    progress.suite("git");
    progress.begin("clone");

    assertThat(lines)
        .containsExactly(
            "[refs, 0:00]   generating",
            "[refs 1/2, 0:00] hit, s3",
            "[refs 2/2, 2:05] miss, s3",
            "[git 1, 2:05] clone");
  }
}
