// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jgits3.internal.store.metrics.RequestCounts;

/** The tables of requests in the documentation, which tests compare with what is done. */
final class RoundTrips {
  private static final Path ROOT = Path.of(System.getProperty("project.root", ".."));
  private static final Pattern KIND = Pattern.compile("(\\d+) ([A-Z_]+)");

  /**
   * A row of a table.
   *
   * @param operation its first column
   * @param requests number of requests by kind, in words
   * @param depth requests that are made one after the other
   * @param tests names of methods, or of classes and methods
   */
  record Row(String operation, String requests, String depth, List<String> tests) {
    private Map<String, Long> byKind() {
      return KIND.matcher(requests)
          .results()
          .collect(toMap(found -> found.group(2), found -> Long.valueOf(found.group(1))));
    }
  }

  private RoundTrips() {}

  /** All rows that say which test asserts them. */
  static List<Row> rows() throws IOException {
    List<Row> rows = new ArrayList<>();
    for (String line : Files.readAllLines(ROOT.resolve("src/site/markdown/roundtrips.md"))) {
      String[] cells = line.split(" *\\| *", -1);
      if (cells.length == 6 && !cells[4].equals("test") && !cells[4].startsWith("--")) {
        List<String> tests = Arrays.asList(cells[4].replace("`", "").split(", ", -1));
        rows.add(new Row(cells[1], cells[2], cells[3], tests));
      }
    }
    return rows;
  }

  /** Asserts that an operation has made the requests that its row says, and no others. */
  static void assertCost(String operation, RequestCounts.Snapshot cost, int depth)
      throws IOException {
    assertThat(rows()).extracting(Row::operation).containsOnlyOnce(operation);
    Row row =
        rows().stream().filter(r -> r.operation().equals(operation)).findFirst().orElseThrow();
    Map<String, Long> made =
        cost.requests().entrySet().stream()
            .filter(each -> each.getValue() > 0)
            .collect(toMap(each -> each.getKey().name(), Map.Entry::getValue));
    assertThat(made).as(operation).isEqualTo(row.byKind());
    assertThat(String.valueOf(depth)).as("depth: %s", operation).isEqualTo(row.depth());
  }
}
