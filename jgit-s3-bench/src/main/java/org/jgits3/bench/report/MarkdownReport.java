// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import java.util.Locale;

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
    line(text, "%s", machine.description());
    line(text, "Java %s, JGit %s, %s", machine.java(), machine.jgit(), machine.started());
    Settings settings = results.settings();
    line(
        text,
        "%s run; %,d refs; objects of up to %,d MB; S3: %s",
        settings.effort(),
        settings.refs(),
        settings.maxMegabytes(),
        settings.server());
    for (SuiteResult suite : results.suites()) {
      line(text, "%n## %s%n", suite.suite());
      headline(text, suite);
      rows(text, suite);
    }
    results.comparison().ifPresent(comparison -> comparison(text, comparison));
    return text.toString();
  }

  private static void comparison(StringBuilder text, Comparison comparison) {
    Baseline baseline = comparison.baseline();
    line(text, "%n## Compared with %s%n", baseline.file());
    line(text, "Measured %s, on %s.", baseline.machine().started(), baseline.machine().cpu());
    comparison
        .otherMachine()
        .ifPresent(how -> line(text, "**The baseline is %s.** Changes say little.", how));
    line(text, "Means; significant by Welch's t-test at %s %%.%n", Comparison.LEVEL * 100);
    line(text, "| suite | case | engine | before | now | change | p | verdict |");
    line(text, "|---|---|---|---:|---:|---:|---:|---|");
    comparison.changes().forEach(change -> change(text, change));
    for (Baseline.Key key : comparison.absent()) {
      line(text, "| %s | %s | %s | | missing | | | |", key.suite(), key.name(), key.engine());
    }
    line(
        text,
        "%n%d better, %d worse, %d not significant, %d unknown",
        comparison.count(Comparison.Verdict.BETTER),
        comparison.count(Comparison.Verdict.WORSE),
        comparison.count(Comparison.Verdict.NOT_SIGNIFICANT),
        comparison.count(Comparison.Verdict.UNKNOWN));
  }

  private static void change(StringBuilder text, Comparison.Change change) {
    line(
        text,
        "| %s | %s | %s | %s | %s | %+.1f %% | %s | %s |",
        change.key().suite(),
        change.key().name(),
        change.key().engine(),
        change.unit().format(change.before()),
        change.unit().format(change.now()),
        change.percent(),
        Double.isNaN(change.p()) ? "" : String.format(Locale.ROOT, "%.3f", change.p()),
        change.verdict().words());
  }

  private static void headline(StringBuilder text, SuiteResult suite) {
    if (suite.headline().isEmpty() && suite.missing().isEmpty()) {
      return;
    }
    line(text, "| headline | | 99 %% interval |");
    line(text, "|---|---:|---:|");
    suite
        .headline()
        .forEach(
            (key, estimate) ->
                line(
                    text,
                    "| `%s` | %s | %s |",
                    key,
                    Unit.number(estimate.value()),
                    estimate
                        .interval()
                        .map(i -> Unit.number(i.low()) + " - " + Unit.number(i.high()))
                        .orElse("")));
    suite
        .missing()
        .forEach(
            (key, why) ->
                line(text, "| `%s` | missing%s | |", key, why.isEmpty() ? "" : ": " + cell(why)));
    line(text, "");
  }

  private static void rows(StringBuilder text, SuiteResult suite) {
    line(
        text,
        "| case | engine | median | 99 %% interval of the mean | lowest to highest"
            + " | times better than |");
    line(text, "|---|---|---:|---:|---:|---:|");
    for (Row row : suite.rows()) {
      line(
          text,
          "| %s | %s | %s | %s | %s | %s |",
          row.name(),
          row.engine(),
          median(row),
          interval(row),
          range(row),
          ratio(row));
    }
  }

  private static String median(Row row) {
    return row.figure()
        .map(f -> row.unit().format(f.median()))
        .orElseGet(() -> (row.failed() ? "failed: " : "missing: ") + cell(row.missing()));
  }

  /** Escapes text for one cell of a table. */
  private static String cell(String text) {
    return text.replace("|", "\\|");
  }

  private static String interval(Row row) {
    return row.figure()
        .flatMap(Figure::interval)
        .map(i -> row.unit().format(i.low()) + " - " + row.unit().format(i.high()))
        .orElse("");
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
    text.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
