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
    ObjectNode suites = root.putObject("suites");
    for (SuiteResult suite : results.suites()) {
      ObjectNode node = suites.putObject(suite.suite());
      ObjectNode headline = node.putObject("headline");
      suite.headline().forEach((key, value) -> headline.put(key, rounded(value)));
      node.set("missing", MAPPER.valueToTree(suite.missing()));
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

  private static List<ObjectNode> rows(List<Row> rows) {
    return rows.stream().map(JsonReport::row).toList();
  }

  private static ObjectNode row(Row row) {
    ObjectNode node = MAPPER.createObjectNode().put("case", row.name()).put("engine", row.engine());
    node.put("value", row.figure().map(f -> rounded(f.median())).orElse(null));
    node.put("unit", row.unit().symbol());
    node.put("ratio_to", row.ratio().map(Row.Ratio::to).orElse(null));
    node.put("ratio", row.ratio().map(r -> rounded(r.value())).orElse(null));
    row.figure().ifPresent(f -> node.put("low", rounded(f.low())).put("high", rounded(f.high())));
    if (row.figure().isEmpty()) {
      node.put("missing", row.missing());
    }
    return node;
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
