// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.jgits3.bench.Effort;
import org.jgits3.bench.report.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(600)
@Tag("long") // LedgerTest and StageTest have the parts
class LoadRunTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  private static final LoadPlan SMALLEST =
      LoadPlan.of(Effort.SMALLEST).withLength(Duration.ofMillis(100));

  @TempDir private Path directory;

  @BeforeEach
  void needServer() {
    assumeTrue(
        Stream.concat(
                Stream.of(ROOT.resolve("target/tools").toString()),
                Stream.of(System.getenv("PATH").split(File.pathSeparator, -1)))
            .anyMatch(place -> Files.isExecutable(Path.of(place, "versitygw"))),
        "no versitygw");
  }

  private LoadVerdict run(LoadPlan plan) throws Exception {
    return new LoadRun(plan, ROOT, directory.resolve("run"), line -> {}).run();
  }

  @Test
  void smallest_run_finds_nothing_and_measures_each_operation() throws Exception {
    LoadVerdict verdict = run(SMALLEST);

    assertThat(verdict.report()).isEmpty();
    assertThat(verdict.passed()).isTrue();
    assertThat(verdict.rows())
        .extracting(Row::name)
        .contains(
            "push: 99 %", "silent push: longest", "silent ls-refs: longest", "quarter 4: threads");
    assertThat(verdict.line(5))
        .isEqualTo(verdict.operations() + " operations, 0 rejected, 0 errors, 0 lost, seed 5");
    assertThat(directory.resolve("run/s3")).doesNotExist();
  }

  @Test
  void server_that_leaks_and_forgets_a_push_is_found() throws Exception {
    LoadVerdict verdict = run(SMALLEST.withProgram(FaultyServer.class));

    assertThat(verdict.passed()).isFalse();
    assertThat(verdict.lost())
        .anyMatch(line -> line.matches("lost: c\\d+ of pushed0 is missing, and was pushed as .*"))
        .allMatch(line -> line.contains("pushed0"));
    assertThat(verdict.errors()).anyMatch(line -> line.startsWith("error: quarter 2: "));
    assertThat(verdict.errors()).anyMatch(line -> line.startsWith("error: at the end: "));
    assertThat(directory.resolve("run/s3")).exists();
  }
}
