// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.JsonReport;
import org.jgits3.bench.report.Machine;
import org.jgits3.bench.report.Results;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.Settings;
import org.jgits3.bench.report.SuiteResult;
import org.jgits3.bench.report.Unit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class BenchCommandTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "nonsense | no suite 'nonsense'",
        "'' | no suite ''",
        "refs --refs 999 | --refs 999 is not from 1000 to 4000000",
        "refs --refs 4000001 | --refs 4000001 is not from 1000 to 4000000",
        "all nonsense | no suite 'nonsense'",
        "refs --refs many | --refs",
        "refs --json nowhere/out.json | --json nowhere/out.json cannot be written",
        "refs --html nowhere/out.html | --html nowhere/out.html cannot be written",
        "refs --json src | --json src cannot be written: it is a directory",
        "refs --html /proc/out.html | --html /proc/out.html cannot be written",
        "refs --json out.x --html out.x | --json and --html are the same file",
        "refs --baseline nowhere.json | --baseline nowhere.json: no such file",
        "refs --baseline pom.xml | --baseline pom.xml is no JSON",
        "refs --quick --smallest | --smallest and --quick exclude each other",
        "refs --max 1 | --max 1 is less than 16",
        "refs --endpoint elsewhere | --endpoint elsewhere is no URL of a server",
        "refs --endpoint ftp://127.0.0.1/ | --endpoint ftp://127.0.0.1/ is no URL of a server",
        "refs --flamegraph pom.xml | --flamegraph pom.xml is no directory",
        "refs --slow | --slow",
        "refs --repository nowhere.git | --repository nowhere.git: fatal: 'nowhere.git' does not",
        "refs --repository -x | --repository -x: fatal: strange pathname",
        "refs --repository . --refs 1000 | --repository is for refs alone",
        "refs git --repository . | --repository is for refs alone",
        "--quick | SUITE",
      })
  void wrong_usage_is_one_line_and_exit_code_2(String line, String message) {
    assertThat(refused(line.split(" "))).contains(message);
  }

  /** The one line that refuses to measure. */
  private static String refused(String... arguments) {
    CommandLine command = BenchCommand.commandLine(Suites.BENCHMARKS);
    StringWriter err = new StringWriter();
    command.setErr(new PrintWriter(err));

    int code = command.execute(arguments);

    assertThat(code).isEqualTo(2);
    assertThat(err.toString()).startsWith("jgit-s3-bench: ");
    assertThat(err.toString().strip().lines()).hasSize(1);
    return err.toString();
  }

  @Test
  void baseline_of_other_settings_is_refused() throws Exception {
    Machine other =
        new Machine("Other 1", "Other CPU", 999, 1, "17", "7.8", "2026-11-29T00:00:00Z");
    Settings settings = new Settings("full", 1000, 4096, "versitygw on this machine");
    Path file = directory.resolve("before.json");
    Files.writeString(
        file, JsonReport.of(new Results(other, settings, List.of(), Optional.empty())));

    assertThat(refused("refs", "--refs", "2000", "--baseline", file.toString()))
        .contains("before.json is measured with --refs 1000, not 2000");
    assertThat(refused("refs", "--quick", "--refs", "1000", "--baseline", file.toString()))
        .contains("before.json is measured by a full run, not a quick one");
  }

  @Test
  void baseline_of_other_suites_is_refused() throws Exception {
    Settings settings = new Settings("full", 1000, 4096, "versitygw on this machine");
    Row row = Row.of("a case", "s3", Unit.REQUESTS, Figure.exactly(1));
    SuiteResult requests = SuiteResult.of("requests", Map.of(), List.of(row), "");
    Path file = directory.resolve("before.json");
    Files.writeString(
        file,
        JsonReport.of(new Results(Machine.here(), settings, List.of(requests), Optional.empty())));

    assertThat(refused("refs", "memory", "--refs", "1000", "--baseline", file.toString()))
        .contains("before.json has nothing of refs, memory");
  }

  @Test
  void every_suite_is_a_part_of_all() {
    assertThat(Suites.BENCHMARKS.names())
        .containsExactlyInAnyOrder(
            "refs", "memory", "express", "transfer", "requests", "git", "hot");
  }

  @Test
  void results_of_jmh_itself_are_no_baseline() throws Exception {
    Path file = directory.resolve("express-jmh.json");
    Files.writeString(
        file,
        """
        [{"jmhVersion": "1.37", "benchmark": "org.jgits3.bench.express.ExpressBenchmark.get_object",
          "mode": "ss", "forks": 1, "primaryMetric": {"score": 1.0, "scoreUnit": "ns/op"}}]
        """);

    assertThat(refused("express", "--baseline", file.toString()))
        .contains("express-jmh.json was not written by --json");
  }
}
