// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Opens the page in a real browser, where there is one. */
class BrowserTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @TempDir private Path directory;

  private static Optional<Path> browser() {
    return Stream.of("chromium", "chromium-browser", "google-chrome")
        .flatMap(
            name ->
                Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
                    .map(place -> Path.of(place, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** The document after its script has run. */
  private String drawn(Results results) throws Exception {
    Optional<Path> browser = browser();
    assumeTrue(browser.isPresent(), "no Chromium");
    Path page = Files.writeString(directory.resolve("page.html"), HtmlReport.of(results));
    Path dom = directory.resolve("dom");
    Process process =
        new ProcessBuilder(
                browser.get().toString(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--user-data-dir=" + directory.resolve("profile"),
                "--virtual-time-budget=10000",
                "--dump-dom",
                page.toUri().toString())
            .redirectOutput(dom.toFile())
            .redirectError(directory.resolve("err").toFile())
            .start();
    try {
      assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().onExit().join();
    }
    return Files.readString(dom);
  }

  @Test
  void figures_are_in_the_table_and_charts_where_they_say_more() throws Exception {
    List<Row> rows = new ArrayList<>();
    for (int megabytes : List.of(128, 256)) {
      rows.add(
          Row.of("upload of " + megabytes, "ours", Unit.NANOSECONDS, Figure.of(1e9, 2e9, 3e9))
              .at("upload", megabytes, "MB"));
      rows.add(
          Row.failed("upload of " + megabytes, "a tool", Unit.NANOSECONDS, "did not end")
              .at("upload", megabytes, "MB"));
    }
    rows.add(Row.of("smallest -Xmx", "ours", Unit.MEGABYTES, Figure.exactly(43)));
    rows.add(Row.of("get_object", "sdk", Unit.NANOSECONDS, Figure.of(1, 2, 3, 4, 5, 6, 7, 8, 900)));
    rows.add(Row.of("look-up", "s3", Unit.REQUESTS, Figure.exactly(1)));
    rows.add(Row.of("look-up", "directory", Unit.REQUESTS, Figure.exactly(2)));
    SuiteResult suite =
        new SuiteResult("all", Map.of("a_vs_b", Estimate.exactly(2)), Map.of("lost", ""), rows);
    Machine machine = new Machine("Linux", "Any CPU", 2, 4096, "17", "7.8", "2026-11-29T00:00:00Z");
    Settings settings = new Settings("quick", 1000, 4096, "versitygw");

    String dom = drawn(new Results(machine, settings, List.of(suite), Optional.empty()));

    assertThat(dom)
        .as("one over size, three of bars, one distribution; none of counts")
        .contains("data-charts=\"5\"");
    assertThat(dom.split("<canvas", -1)).hasSize(1 + 5);
    assertThat(dom)
        .contains("<b>2 ×</b>", "failed: did not end", "<td>get_object</td>", "<td>look-up</td>");
  }
}
