// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class HtmlReportTest {
  private static final String WHY = "</script><b>\"no\" & 'never'</b>";

  private static String page() {
    Row placed =
        Row.of("upload 128 MB", "ours", Unit.NANOSECONDS, Figure.of(1, 2, 3))
            .at("upload", 128, "MB");
    Row failed = Row.failed("upload 128 MB", "other", Unit.NANOSECONDS, WHY);
    SuiteResult suite =
        new SuiteResult("transfer", Map.of(), Map.of("lost", ""), List.of(placed, failed));
    Machine machine = new Machine("Linux", "Any CPU", 2, 4096, "17", "7.8", "2026-11-29T00:00:00Z");
    Settings settings = new Settings("quick", 1000, 4096, "versitygw");
    return HtmlReport.of(new Results(machine, settings, List.of(suite), Optional.empty()));
  }

  @Test
  void page_needs_no_network() {
    assertThat(page())
        .contains("Chart.js v4")
        .doesNotContain("sourceMappingURL")
        .doesNotContainPattern("(?i)<(script|link|img|iframe)[^>]+(src|href)\\s*=")
        .doesNotContainPattern("@import|url\\(\\s*['\"]?http")
        .doesNotContainPattern("@(STYLE|LIBRARY|SCRIPT|RESULTS)@");
  }

  @Test
  void page_carries_all_results_whatever_is_in_them() throws Exception {
    Matcher json = Pattern.compile("id=\"results\">(.*?)</script>", Pattern.DOTALL).matcher(page());

    assertThat(json.find()).isTrue();
    JsonNode rows = new ObjectMapper().readTree(json.group(1)).at("/suites/transfer/rows");
    assertThat(rows.at("/0/chart").asText()).isEqualTo("upload");
    assertThat(rows.at("/0/x").asDouble()).isEqualTo(128);
    assertThat(rows.at("/0/x_unit").asText()).isEqualTo("MB");
    assertThat(rows.at("/1/missing").asText()).isEqualTo(WHY);
    assertThat(rows.at("/1/failed").asBoolean()).isTrue();
  }
}
