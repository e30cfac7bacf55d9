// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jgits3.bench.report.Comparison.Verdict;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ComparisonTest {
  private static final Machine MACHINE = machine("Any CPU", 2, 24_105);
  private static final Settings SETTINGS = new Settings("quick", 1000, 4096, "versitygw");

  @TempDir private Path directory;

  private static Machine machine(String cpu, int cpus, long memory) {
    return new Machine("Linux 6.1 amd64", cpu, cpus, memory, "17", "7.8", "2026-11-29T00:00:00Z");
  }

  private static Results results(Row... rows) {
    SuiteResult suite = SuiteResult.of("refs", Map.of(), List.of(rows), "");
    return new Results(MACHINE, SETTINGS, List.of(suite), Optional.empty());
  }

  private static Row time(String engine, double... samples) {
    return Row.of("hit", engine, Unit.NANOSECONDS, Figure.of(samples));
  }

  private Baseline baseline(Results results) throws IOException {
    return Baseline.read(
        Files.writeString(directory.resolve("before.json"), JsonReport.of(results)));
  }

  private Comparison compare(Row before, Row now) throws IOException {
    return results(now).comparedWith(baseline(results(before))).comparison().orElseThrow();
  }

  private Verdict verdict(Row before, Row now) throws IOException {
    return compare(before, now).changes().get(0).verdict();
  }

  @Test
  void difference_beyond_the_noise_is_significant_in_its_direction() throws Exception {
    Row slow = time("s3", 200, 205, 195, 201, 199);
    Row fast = time("s3", 100, 105, 95, 101, 99);

    assertThat(verdict(slow, fast)).isEqualTo(Verdict.BETTER);
    assertThat(verdict(fast, slow)).isEqualTo(Verdict.WORSE);
    assertThat(compare(slow, fast).changes().get(0).percent()).isEqualTo(-50);
  }

  @Test
  void difference_within_the_noise_is_not_significant() throws Exception {
    assertThat(verdict(time("s3", 90, 130, 100, 80, 150), time("s3", 95, 140, 105, 85, 160)))
        .isEqualTo(Verdict.NOT_SIGNIFICANT);
  }

  /** Iterations that hardly waver within each JVM say nothing about a difference between JVMs. */
  @Test
  void jvms_count_once_each_however_many_iterations_they_measured() throws Exception {
    List<Double> before = List.of(100.0, 101.0, 102.0, 140.0, 141.0, 142.0, 90.0, 91.0, 92.0);
    List<Double> after = before.stream().map(value -> value + 40).toList();

    assertThat(verdict(jvms(3, before), jvms(3, after))).isEqualTo(Verdict.NOT_SIGNIFICANT);
    assertThat(verdict(jvms(1, before), jvms(1, after))).isEqualTo(Verdict.WORSE);
  }

  private static Row jvms(int count, List<Double> samples) {
    return Row.of("hit", "s3", Unit.NANOSECONDS, new Figure(samples, count));
  }

  @Test
  void more_is_better_for_rates() throws Exception {
    Row slow = Row.of("up", "s3", Unit.MEGABYTES_PER_SECOND, Figure.of(100, 101, 99));
    Row fast = Row.of("up", "s3", Unit.MEGABYTES_PER_SECOND, Figure.of(200, 201, 199));

    assertThat(verdict(slow, fast)).isEqualTo(Verdict.BETTER);
  }

  @Test
  void one_sample_does_not_tell_but_a_count_does() throws Exception {
    assertThat(verdict(time("s3", 100), time("s3", 200))).isEqualTo(Verdict.UNKNOWN);
    Row one = Row.of("update", "s3", Unit.REQUESTS, Figure.exactly(1));
    Row two = Row.of("update", "s3", Unit.REQUESTS, Figure.exactly(2));
    assertThat(verdict(one, two)).isEqualTo(Verdict.WORSE);
    assertThat(verdict(one, one)).isEqualTo(Verdict.NOT_SIGNIFICANT);
  }

  @Test
  void figure_that_is_missing_now_is_named() throws Exception {
    Comparison comparison =
        compare(time("s3", 1, 2), Row.failed("hit", "s3", Unit.NANOSECONDS, "broken"));

    assertThat(comparison.changes()).isEmpty();
    assertThat(comparison.absent()).containsExactly(new Baseline.Key("refs", "hit", "s3"));
  }

  @Test
  void reports_have_the_changes() throws Exception {
    Results results =
        results(time("s3", 100, 105, 95))
            .comparedWith(baseline(results(time("s3", 200, 205, 195))));

    assertThat(MarkdownReport.of(results))
        .contains("| refs | hit | s3 | 200 ns | 100 ns | -50.0 % | 0.000 | better |")
        .contains("1 better, 0 worse");
    JsonNode change = new ObjectMapper().readTree(JsonReport.of(results)).at("/baseline/changes/0");
    assertThat(change.at("/percent").asDouble()).isEqualTo(-50);
    assertThat(change.at("/verdict").asText()).isEqualTo("better");
  }

  @Test
  void other_machine_is_told_from_the_same_with_another_kernel() throws Exception {
    Baseline baseline = baseline(results(time("s3", 1)));

    assertThat(baseline.differsFrom(MACHINE)).isEmpty();
    assertThat(baseline.differsFrom(machine("Any CPU", 2, 24_100))).isEmpty();
    for (Machine other :
        List.of(
            machine("Any CPU", 8, 24_105),
            machine("Other CPU", 2, 24_105),
            machine("Any CPU", 2, 64_000))) {
      assertThat(baseline.differsFrom(other))
          .contains("of another machine: Linux 6.1 amd64; 2 processors (Any CPU), 24,105 MiB");
    }
  }

  @Test
  void other_number_of_refs_cannot_be_compared() throws Exception {
    Baseline baseline = baseline(results(time("s3", 1)));

    assertThat(baseline.differsFrom(SETTINGS)).isEmpty();
    assertThat(baseline.differsFrom(new Settings("quick", 2000, 4096, "versitygw")))
        .contains("measured with --refs 1000, not 2000");
  }

  @Test
  void other_effort_or_server_cannot_be_compared() throws Exception {
    Baseline baseline = baseline(results(time("s3", 1)));

    assertThat(baseline.differsFrom(new Settings("full", 1000, 4096, "versitygw")))
        .contains("measured by a quick run, not a full one");
    assertThat(baseline.differsFrom(new Settings("quick", 1000, 128, "https://s3.amazonaws.com")))
        .contains("measured with versitygw, not https://s3.amazonaws.com");
  }

  @Test
  void baseline_knows_how_many_jvms_have_measured() throws Exception {
    Baseline baseline = baseline(results(jvms(3, List.of(1.0, 2.0, 3.0))));

    assertThat(baseline.figures().values()).containsExactly(new Figure(List.of(1.0, 2.0, 3.0), 3));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[]",
        "{}",
        "{\"machine\":{},\"suites\":{}}",
        "{\"machine\":{\"cpu\":\"x\",\"cpus\":2},\"suites\":[]}",
        "{\"machine\":{\"cpu\":\"x\",\"cpus\":2},\"suites\":{\"refs\":{\"rows\":[{}]}}}",
        "{\"machine\":{\"cpu\":\"x\",\"cpus\":2},\"suites\":{\"refs\":{\"rows\":[1]}}}",
        "{\"machine\":{\"cpu\":\"x\",\"cpus\":2},\"suites\":{\"refs\":{\"rows\":[null]}}}",
        "{\"machine\":{\"cpu\":\"x\",\"cpus\":2},\"suites\":{\"refs\":{\"rows\":["
            + "{\"case\":\"a\",\"engine\":\"b\",\"samples\":[1,2,3],\"jvms\":2}]}}}",
        "{\"machine\":{\"cpu\":\"x\",\"cpus\":2},\"suites\":{\"refs\":{\"rows\":["
            + "{\"case\":\"a\",\"engine\":\"b\",\"samples\":[\"c\"]}]}}}",
      })
  void file_of_another_shape_is_refused_by_name(String content) throws Exception {
    Path file = Files.writeString(directory.resolve("other.json"), content);

    assertThatIOException()
        .isThrownBy(() -> Baseline.read(file))
        .withMessageContaining("other.json");
  }
}
