// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * Results for scripts. A figure that is missing has a null {@code value} and says why in {@code
 * missing}; a headline key that is missing is absent and named in {@code missing} of its suite.
 * {@code low} and {@code high} are the lowest and the highest of {@code samples}, {@code ci99_low}
 * and {@code ci99_high} the interval of {@code mean}; {@code headline_ci99} has the intervals of
 * headline figures that are ratios, and {@code missing_why} the reasons why others are missing.
 */
public final class JsonReport {
  private static final ObjectMapper MAPPER =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private JsonReport() {}

  /**
   * Writes results.
   *
   * @param results what to write
   * @return JSON
   */
  public static String of(Results results) {
    ObjectNode root = MAPPER.createObjectNode();
    root.set("machine", machine(results.machine()));
    root.set("settings", settings(results.settings()));
    results.comparison().ifPresent(c -> root.set("baseline", comparison(c)));
    ObjectNode suites = root.putObject("suites");
    for (SuiteResult suite : results.suites()) {
      ObjectNode node = suites.putObject(suite.suite());
      ObjectNode headline = node.putObject("headline");
      suite.headline().forEach((key, value) -> headline.put(key, rounded(value)));
      ObjectNode intervals = node.putObject("headline_ci99");
      suite
          .intervals()
          .forEach(
              (key, interval) ->
                  intervals
                      .putObject(key)
                      .put("low", rounded(interval.low()))
                      .put("high", rounded(interval.high())));
      node.set("missing", MAPPER.valueToTree(suite.missing()));
      node.set("missing_why", MAPPER.valueToTree(suite.reasons()));
      node.set("rows", MAPPER.valueToTree(rows(suite.rows())));
    }
    try {
      return MAPPER.writeValueAsString(root) + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree of numbers and strings can always be written", e);
    }
  }

  private static ObjectNode machine(Machine machine) {
    return MAPPER
        .createObjectNode()
        .put("os", machine.os())
        .put("cpu", machine.cpu())
        .put("cpus", machine.cpus())
        .put("memory_mb", machine.memoryMb())
        .put("java", machine.java())
        .put("jgit", machine.jgit())
        .put("started", machine.started().toString());
  }

  private static ObjectNode settings(Settings settings) {
    return MAPPER
        .createObjectNode()
        .put("effort", settings.effort())
        .put("refs", settings.refs())
        .put("max_mb", settings.maxMegabytes())
        .put("server", settings.server());
  }

  private static ObjectNode comparison(Comparison comparison) {
    ObjectNode node =
        MAPPER
            .createObjectNode()
            .put("file", comparison.baseline().file().toString())
            .put("started", comparison.baseline().started())
            .put("other_machine", comparison.otherMachine().orElse(null));
    node.set(
        "changes",
        MAPPER.valueToTree(comparison.changes().stream().map(JsonReport::change).toList()));
    node.set(
        "absent",
        MAPPER.valueToTree(
            comparison.absent().stream().map(k -> key(MAPPER.createObjectNode(), k)).toList()));
    return node;
  }

  private static ObjectNode key(ObjectNode node, Baseline.Key key) {
    return node.put("suite", key.suite()).put("case", key.name()).put("engine", key.engine());
  }

  private static ObjectNode change(Comparison.Change change) {
    ObjectNode node =
        key(MAPPER.createObjectNode(), change.key())
            .put("unit", change.unit().symbol())
            .put("before", rounded(change.before()))
            .put("now", rounded(change.now()))
            .put("verdict", change.verdict().words());
    node.put("percent", finite(change.percent()));
    node.put("p", change.p().isPresent() ? rounded(change.p().getAsDouble()) : null);
    return node;
  }

  private static List<ObjectNode> rows(List<Row> rows) {
    return rows.stream().map(JsonReport::row).toList();
  }

  private static ObjectNode row(Row row) {
    ObjectNode node = MAPPER.createObjectNode().put("case", row.name()).put("engine", row.engine());
    node.put("value", row.figure().map(f -> rounded(f.median())).orElse(null));
    node.put("unit", row.unit().symbol());
    node.put("ratio_to", row.ratio().map(Row.Ratio::to).orElse(null));
    node.put("ratio", row.ratio().map(r -> rounded(r.value())).orElse(null));
    row.figure().ifPresent(figure -> spread(node, figure));
    if (row.figure().isEmpty()) {
      node.put("missing", row.missing()).put("failed", row.failed());
    }
    row.place()
        .ifPresent(p -> node.put("chart", p.chart()).put("x", p.x()).put("x_unit", p.unit()));
    row.curve().ifPresent(curve -> node.set("curve", curve(curve)));
    return node;
  }

  private static void spread(ObjectNode node, Figure figure) {
    node.put("low", rounded(figure.low())).put("high", rounded(figure.high()));
    node.put("mean", rounded(figure.mean())).put("jvms", figure.jvms());
    figure
        .interval()
        .ifPresent(i -> node.put("ci99_low", rounded(i.low())).put("ci99_high", rounded(i.high())));
    node.set(
        "samples", MAPPER.valueToTree(figure.samples().stream().map(JsonReport::rounded).toList()));
  }

  private static ObjectNode curve(Row.Curve curve) {
    ObjectNode node =
        MAPPER
            .createObjectNode()
            .put("chart", curve.chart())
            .put("x_unit", curve.xUnit())
            .put("y_unit", curve.yUnit());
    node.set("points", MAPPER.valueToTree(curve.points()));
    return node;
  }

  /** JSON has no infinity. */
  private static Double finite(double value) {
    return Double.isFinite(value) ? rounded(value) : null;
  }

  /** Four significant digits, and no digit of a larger number lost. */
  private static Double rounded(double value) {
    if (value == 0 || Double.isNaN(value) || Double.isInfinite(value)) {
      return value;
    }
    double scale = Math.pow(10, Math.max(0, 3 - Math.floor(Math.log10(Math.abs(value)))));
    return Math.round(value * scale) / scale;
  }
}
