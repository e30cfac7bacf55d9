// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Results for scripts. A figure that is missing has a null {@code value} and says why in {@code
 * missing}; a headline key that is missing is absent and named in {@code missing} of its suite.
 * {@code low} and {@code high} are the lowest and the highest of {@code samples}, {@code ci99_low}
 * and {@code ci99_high} the interval of {@code mean}; {@code headline_ci99} has the intervals of
 * headline figures that are ratios, and {@code missing_why} the reasons why others are missing.
 */
public final class JsonReport {
  private static final ObjectMapper MAPPER =
      new ObjectMapper()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .registerModule(
              new SimpleModule()
                  .addSerializer(Double.class, new Rounded())
                  .addSerializer(double.class, new Rounded()));

  private JsonReport() {}

  /** Four significant digits, and no digit of a larger number lost. JSON has no infinity. */
  private static final class Rounded extends StdSerializer<Double> {
    private static final long serialVersionUID = 1;

    Rounded() {
      super(Double.class);
    }

    @Override
    public void serialize(Double value, JsonGenerator out, SerializerProvider provider)
        throws IOException {
      if (Double.isNaN(value) || Double.isInfinite(value)) {
        out.writeNull();
      } else if (value == 0) {
        out.writeNumber(0.0);
      } else {
        double scale = Math.pow(10, Math.max(0, 3 - Math.floor(Math.log10(Math.abs(value)))));
        out.writeNumber(Math.round(value * scale) / scale);
      }
    }
  }

  /**
   * Writes results.
   *
   * @param results what to write
   * @return JSON
   */
  public static String of(Results results) {
    Map<String, Object> root = new LinkedHashMap<>();
    root.put("machine", results.machine());
    root.put("settings", results.settings());
    results.comparison().ifPresent(comparison -> root.put("baseline", comparison(comparison)));
    Map<String, Object> suites = new LinkedHashMap<>();
    results.suites().forEach(suite -> suites.put(suite.suite(), suite(suite)));
    root.put("suites", suites);
    try {
      return MAPPER.writeValueAsString(root) + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("numbers and strings can always be written", e);
    }
  }

  private static Map<String, Object> comparison(Comparison comparison) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("file", comparison.baseline().file().toString());
    json.put("started", comparison.baseline().machine().started());
    json.put("other_machine", comparison.otherMachine().orElse(null));
    json.put("changes", comparison.changes());
    json.put("absent", comparison.absent());
    return json;
  }

  private static Map<String, Object> suite(SuiteResult suite) {
    Map<String, Double> headline = new LinkedHashMap<>();
    Map<String, Figure.Interval> intervals = new LinkedHashMap<>();
    suite
        .headline()
        .forEach(
            (key, estimate) -> {
              headline.put(key, estimate.value());
              estimate.interval().ifPresent(interval -> intervals.put(key, interval));
            });
    Map<String, String> why = new LinkedHashMap<>(suite.missing());
    why.values().removeIf(String::isEmpty);
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("headline", headline);
    json.put("headline_ci99", intervals);
    json.put("missing", suite.missing().keySet());
    json.put("missing_why", why);
    json.put("rows", suite.rows().stream().map(JsonReport::row).toList());
    return json;
  }

  private static Map<String, Object> row(Row row) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("case", row.name());
    json.put("engine", row.engine());
    json.put("value", row.figure().map(Figure::median).orElse(null));
    json.put("unit", row.unit());
    json.put("ratio_to", row.ratio().map(Row.Ratio::to).orElse(null));
    json.put("ratio", row.ratio().map(Row.Ratio::value).orElse(null));
    if (row.figure().isEmpty()) {
      json.put("missing", row.missing());
      json.put("failed", row.failed());
    }
    row.figure().ifPresent(figure -> spread(json, figure));
    row.place()
        .ifPresent(
            place -> {
              json.put("chart", place.chart());
              json.put("x", place.x());
              json.put("x_unit", place.unit());
            });
    return json;
  }

  private static void spread(Map<String, Object> json, Figure figure) {
    json.put("low", figure.low());
    json.put("high", figure.high());
    json.put("mean", figure.mean());
    json.put("jvms", figure.jvms());
    figure
        .interval()
        .ifPresent(
            interval -> {
              json.put("ci99_low", interval.low());
              json.put("ci99_high", interval.high());
            });
    json.put("samples", figure.samples());
  }
}
