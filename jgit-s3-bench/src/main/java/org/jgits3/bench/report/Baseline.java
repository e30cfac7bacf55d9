// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Results of an earlier run, as {@link JsonReport} wrote them.
 *
 * @param file where they are from
 * @param os operating system of its machine, with its version
 * @param cpu processor of its machine
 * @param cpus processors of its machine
 * @param memoryMb memory of its machine, in MiB
 * @param started when that run began
 * @param refs its number of refs; empty if the file does not tell
 * @param figures what it measured, without what was missing
 */
public record Baseline(
    Path file,
    String os,
    String cpu,
    int cpus,
    long memoryMb,
    String started,
    OptionalInt refs,
    Map<Key, Figure> figures) {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** The same machine may report a little less memory after an update of its kernel. */
  private static final double SAME_MEMORY = 0.03;

  /**
   * What was measured.
   *
   * @param suite name of the suite
   * @param name the case
   * @param engine the engine
   */
  public record Key(String suite, String name, String engine) {}

  /**
   * Reads a file.
   *
   * @param file written by {@code --json}
   * @return the results in it
   * @throws IOException if it cannot be read or is something else, with one line that says so
   */
  public static Baseline read(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new IOException(file + ": no such file");
    }
    JsonNode root;
    try {
      root = MAPPER.readTree(Files.readString(file));
    } catch (JsonProcessingException e) {
      throw new IOException(file + " is no JSON: " + e.getOriginalMessage(), e);
    }
    JsonNode machine = root.path("machine");
    JsonNode suites = root.path("suites");
    if (!machine.path("cpu").isTextual() || !machine.path("cpus").isInt() || !suites.isObject()) {
      throw new IOException(file + " was not written by --json: it lacks a machine or suites");
    }
    Map<Key, Figure> figures = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> suite : suites.properties()) {
      for (JsonNode row : suite.getValue().path("rows")) {
        Key key = new Key(suite.getKey(), text(file, row, "case"), text(file, row, "engine"));
        figure(row).ifPresent(figure -> figures.put(key, figure));
      }
    }
    JsonNode refs = root.path("settings").path("refs");
    return new Baseline(
        file,
        machine.path("os").asText(),
        machine.path("cpu").asText(),
        machine.path("cpus").asInt(),
        machine.path("memory_mb").asLong(),
        machine.path("started").asText(),
        refs.isInt() ? OptionalInt.of(refs.asInt()) : OptionalInt.empty(),
        figures);
  }

  private static String text(Path file, JsonNode row, String field) throws IOException {
    JsonNode value = row.path(field);
    if (!value.isTextual()) {
      throw new IOException(file + " was not written by --json: a row lacks '" + field + "'");
    }
    return value.asText();
  }

  /** Of the median alone if the row has no samples. */
  private static Optional<Figure> figure(JsonNode row) {
    List<Double> samples = new ArrayList<>();
    row.path("samples").forEach(sample -> samples.add(sample.asDouble()));
    if (samples.isEmpty() && row.path("value").isNumber()) {
      samples.add(row.path("value").asDouble());
    }
    return samples.isEmpty() ? Optional.empty() : Optional.of(new Figure(samples));
  }

  /**
   * Why figures of a machine cannot be compared with these.
   *
   * @param machine the machine of another run
   * @return how this one's differs; empty if they are alike
   */
  public Optional<String> differsFrom(Machine machine) {
    List<String> differences = new ArrayList<>();
    if (!cpu.equals(machine.cpu())) {
      differences.add(String.format("processor %s, now %s", cpu, machine.cpu()));
    }
    if (cpus != machine.cpus()) {
      differences.add(String.format("%d processors, now %d", cpus, machine.cpus()));
    }
    if (Math.abs(memoryMb - machine.memoryMb()) > SAME_MEMORY * memoryMb) {
      differences.add(String.format("%d MiB of memory, now %d", memoryMb, machine.memoryMb()));
    }
    if (!system(os).equals(system(machine.os()))) {
      differences.add(String.format("%s, now %s", os, machine.os()));
    }
    return differences.isEmpty()
        ? Optional.empty()
        : Optional.of("of another machine: " + String.join("; ", differences));
  }

  /**
   * Why figures measured with some settings cannot be compared with these.
   *
   * @param settings of another run
   * @return how this one's differ; empty if they do not
   */
  public Optional<String> differsFrom(Settings settings) {
    return refs.isEmpty() || refs.getAsInt() == settings.refs()
        ? Optional.empty()
        : Optional.of(
            String.format("measured with --refs %d, not %d", refs.getAsInt(), settings.refs()));
  }

  /** Without the version. */
  private static String system(String os) {
    return os.replaceFirst(" .*", "");
  }
}
