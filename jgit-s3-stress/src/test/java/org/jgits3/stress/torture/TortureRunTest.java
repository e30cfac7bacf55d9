// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A torture that cannot fail is worth nothing. */
@Timeout(300)
@Tag("long") // JudgementTest and HistoryCheckTest have the verdicts
class TortureRunTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

  @TempDir private Path directory;

  @BeforeEach
  void needPrograms() {
    boolean server =
        Stream.concat(
                Stream.of(ROOT.resolve("target/tools").toString()),
                Stream.of(System.getenv("PATH").split(File.pathSeparator, -1)))
            .anyMatch(place -> Files.isExecutable(Path.of(place, "versitygw")));
    assumeTrue(server, "no versitygw");
    assumeTrue(Files.isExecutable(ROOT.resolve("target/tools/history-check")), "no history-check");
  }

  @Test
  void store_that_acknowledges_writes_it_does_not_make_is_found() throws Exception {
    findsOut(Fault.LIE, "anomaly in ");
  }

  @Test
  void store_that_acknowledges_deletions_it_does_not_make_is_found() throws Exception {
    findsOut(Fault.LIE_ABOUT_NAME, "anomaly in names\n");
  }

  private void findsOut(Fault lie, String found) throws Exception {
    TorturePlan plan =
        new TorturePlan(
            ROOT,
            directory.resolve("run"),
            Duration.ofMinutes(2),
            1,
            Optional.empty(),
            2,
            2,
            1,
            Optional.of(lie));

    Verdict verdict = new TortureRun(plan, line -> {}).run();

    assertThat(verdict.counts().get("fault " + lie.words())).isPositive();
    assertThat(verdict.passed()).as(verdict.report().toString()).isFalse();
    assertThat(verdict.report()).anyMatch(line -> line.contains(found));
  }
}
