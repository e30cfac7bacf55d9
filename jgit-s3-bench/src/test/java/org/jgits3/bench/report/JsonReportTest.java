// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class JsonReportTest {
  private static final Machine MACHINE =
      new Machine("Linux 6 amd64", "Any CPU", 2, 4096, "17", "7.8", "2026-11-29T00:00:00Z");

  private static final List<Row> ROWS =
      List.of(
          Row.of("exact hit", "s3", Unit.NANOSECONDS, Figure.of(900_000, 1_000_000, 1_200_000)),
          Row.of("exact hit", "jgit-never", Unit.NANOSECONDS, Figure.of(250_000_000)),
          Row.missing("exact hit", "s3-window", Unit.NANOSECONDS, "no such setting"));

  private static final Settings SETTINGS = new Settings("quick", 500_000, 4096, "versitygw");

  private static Results results() {
    Map<String, Optional<Estimate>> headline = new LinkedHashMap<>();
    headline.put("known", Optional.of(Estimate.exactly(250.04)));
    headline.put("unknown", Optional.empty());
    SuiteResult suite =
        SuiteResult.of("refs", headline, ROWS, "jgit-never")
            .checkedAgainst(List.of("known", "unknown", "forgotten"));
    return new Results(MACHINE, SETTINGS, List.of(suite), Optional.empty());
  }

  private static JsonNode json() throws Exception {
    return new ObjectMapper().readTree(JsonReport.of(results()));
  }

  @Test
  void headline_has_only_what_was_measured_and_the_rest_is_named_as_missing() throws Exception {
    JsonNode suite = json().at("/suites/refs");

    assertThat(suite.at("/headline").toString()).isEqualTo("{\"known\":250.0}");
    assertThat(suite.at("/missing").toString()).isEqualTo("[\"unknown\",\"forgotten\"]");
  }

  @Test
  void row_has_the_median_and_how_many_times_better_it_is_than_the_reference() throws Exception {
    JsonNode row = json().at("/suites/refs/rows/0");

    assertThat(row.at("/case").asText()).isEqualTo("exact hit");
    assertThat(row.at("/engine").asText()).isEqualTo("s3");
    assertThat(row.at("/value").asDouble()).isEqualTo(1_000_000);
    assertThat(row.at("/unit").asText()).isEqualTo("ns");
    assertThat(row.at("/ratio_to").asText()).isEqualTo("jgit-never");
    assertThat(row.at("/ratio").asDouble()).isEqualTo(250);
  }

  @Test
  void missing_figure_is_null_and_says_why() throws Exception {
    JsonNode row = json().at("/suites/refs/rows/2");

    assertThat(row.at("/value").isNull()).isTrue();
    assertThat(row.at("/ratio").isNull()).isTrue();
    assertThat(row.at("/missing").asText()).isEqualTo("no such setting");
  }

  @Test
  void what_failed_in_several_lines_stays_in_its_cell() {
    Row row = Row.failed("clone", "c-git", Unit.NANOSECONDS, "git clone:\nerror a|b\r\nfatal");
    SuiteResult suite = SuiteResult.of("git", Map.of(), List.of(row), "");
    Results results = new Results(MACHINE, SETTINGS, List.of(suite), Optional.empty());

    assertThat(MarkdownReport.of(results))
        .contains("| clone | c-git | failed: git clone: error a\\|b fatal |");
    assertThat(row.missing()).isEqualTo("git clone: error a|b fatal");
  }

  @Test
  void machine_is_described() throws Exception {
    JsonNode machine = json().at("/machine");

    assertThat(machine.at("/cpus").asInt()).isEqualTo(2);
    assertThat(machine.at("/cpu").asText()).isEqualTo("Any CPU");
  }

  @Test
  void markdown_shows_missing_keys_and_missing_rows() {
    assertThat(MarkdownReport.of(results()))
        .contains("| `forgotten` | missing |")
        .contains("| exact hit | s3-window | missing: no such setting |")
        .contains(
            "| exact hit | s3 | 1 ms | 158 µs - 1.91 ms | 900 µs - 1.20 ms | 250 × jgit-never |");
  }

  @Test
  void row_has_its_samples_and_the_interval_of_their_mean() throws Exception {
    JsonNode row = json().at("/suites/refs/rows/0");

    assertThat(row.at("/samples").toString()).isEqualTo("[900000.0,1000000.0,1200000.0]");
    assertThat(row.at("/low").asDouble()).isEqualTo(900_000);
    assertThat(row.at("/high").asDouble()).isEqualTo(1_200_000);
    assertThat(row.at("/mean").asDouble()).isEqualTo(1_033_333);
    assertThat(row.at("/ci99_low").asDouble()).isEqualTo(158_044);
    assertThat(row.at("/ci99_high").asDouble()).isEqualTo(1_908_622);
  }

  private static Results estimated() {
    Map<String, Optional<Estimate>> headline = new LinkedHashMap<>();
    headline.put("ratio", Estimate.quotient(Figure.of(10, 10), Figure.of(5, 5)));
    headline.put("count", Optional.of(Estimate.exactly(3)));
    SuiteResult suite =
        SuiteResult.of("refs", headline, ROWS, "jgit-never")
            .checkedAgainst(List.of("ratio", "count"));
    SuiteResult other =
        SuiteResult.of("other", headline, ROWS, "jgit-never")
            .withoutHeadline(List.of("ratio", "count"), "half the size")
            .checkedAgainst(List.of("ratio", "count"));
    return new Results(MACHINE, SETTINGS, List.of(suite, other), Optional.empty());
  }

  @Test
  void headline_ratios_have_intervals_and_those_of_another_size_a_reason() throws Exception {
    JsonNode suites = new ObjectMapper().readTree(JsonReport.of(estimated())).at("/suites");

    assertThat(suites.at("/refs/headline").toString()).isEqualTo("{\"ratio\":2.0,\"count\":3.0}");
    assertThat(suites.at("/refs/headline_ci99").toString())
        .isEqualTo("{\"ratio\":{\"low\":2.0,\"high\":2.0}}");
    assertThat(suites.at("/other/headline")).isEmpty();
    assertThat(suites.at("/other/missing").toString()).isEqualTo("[\"ratio\",\"count\"]");
    assertThat(suites.at("/other/missing_why/ratio").asText()).isEqualTo("half the size");
    assertThat(MarkdownReport.of(estimated()))
        .contains("| `ratio` | 2 | 2 - 2 |")
        .contains("| `count` | 3 |  |")
        .contains("| `ratio` | missing: half the size | |");
  }

  @Test
  void settings_are_told() throws Exception {
    assertThat(json().at("/settings/effort").asText()).isEqualTo("quick");
    assertThat(json().at("/settings/refs").asInt()).isEqualTo(500_000);
  }
}
