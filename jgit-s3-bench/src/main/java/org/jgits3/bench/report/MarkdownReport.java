// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

/** Results for people. */
public final class MarkdownReport {
  private MarkdownReport() {}

  /**
   * Writes results.
   *
   * @param results what to write
   * @return Markdown
   */
  public static String of(Results results) {
    StringBuilder text = new StringBuilder();
    Machine machine = results.machine();
    line(
        text,
        "%s; %d processors (%s), %,d MiB",
        machine.os(),
        machine.cpus(),
        machine.cpu(),
        machine.memoryMb());
    line(text, "Java %s, JGit %s, %s", machine.java(), machine.jgit(), machine.started());
    for (SuiteResult suite : results.suites()) {
      line(text, "%n## %s%n", suite.suite());
      headline(text, suite);
      rows(text, suite);
    }
    return text.toString();
  }

  private static void headline(StringBuilder text, SuiteResult suite) {
    line(text, "| headline | |");
    line(text, "|---|---:|");
    suite.headline().forEach((key, value) -> line(text, "| `%s` | %s |", key, Unit.number(value)));
    suite.missing().forEach(key -> line(text, "| `%s` | missing |", key));
    line(text, "");
  }

  private static void rows(StringBuilder text, SuiteResult suite) {
    line(text, "| case | engine | median | lowest to highest | times better than |");
    line(text, "|---|---|---:|---:|---:|");
    for (Row row : suite.rows()) {
      line(
          text,
          "| %s | %s | %s | %s | %s |",
          row.name(),
          row.engine(),
          median(row),
          range(row),
          ratio(row));
    }
  }

  private static String median(Row row) {
    return row.figure()
        .map(f -> row.unit().format(f.median()))
        .orElseGet(() -> (row.failed() ? "failed: " : "missing: ") + row.missing());
  }

  private static String range(Row row) {
    return row.figure()
        .filter(f -> f.low() != f.high())
        .map(f -> row.unit().format(f.low()) + " - " + row.unit().format(f.high()))
        .orElse("");
  }

  private static String ratio(Row row) {
    return row.ratio()
        .filter(r -> !r.to().equals(row.engine()))
        .map(r -> Unit.number(r.value()) + " × " + r.to())
        .orElse("");
  }

  private static void line(StringBuilder text, String format, Object... values) {
    text.append(String.format(java.util.Locale.ROOT, format, values)).append('\n');
  }
}
