// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.CharConversionException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Results of an earlier run, as {@link JsonReport} wrote them.
 *
 * @param file where they are from
 * @param os operating system of its machine, with its version
 * @param cpu processor of its machine
 * @param cpus processors of its machine
 * @param memoryMb memory of its machine, in MiB
 * @param started when that run began
 * @param settings what that run was asked to do; empty if the file does not tell
 * @param figures what it measured, without what was missing
 */
public record Baseline(
    Path file,
    String os,
    String cpu,
    int cpus,
    long memoryMb,
    String started,
    Optional<Settings> settings,
    Map<Key, Figure> figures) {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** The same machine may report a little less memory after an update of its kernel. */
  private static final double SAME_MEMORY = 0.03;

  /**
   * Key of a figure.
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
      root = MAPPER.readTree(Files.readAllBytes(file));
    } catch (JsonProcessingException e) {
      throw new IOException(file + " is no JSON: " + e.getOriginalMessage(), e);
    } catch (CharConversionException e) {
      throw new IOException(file + " is no JSON: " + e.getMessage(), e);
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
        figure(file, row).ifPresent(figure -> figures.put(key, figure));
      }
    }
    return new Baseline(
        file,
        machine.path("os").asText(),
        machine.path("cpu").asText(),
        machine.path("cpus").asInt(),
        machine.path("memory_mb").asLong(),
        machine.path("started").asText(),
        settings(root.path("settings")),
        figures);
  }

  private static Optional<Settings> settings(JsonNode node) {
    return node.isObject()
        ? Optional.of(
            new Settings(
                node.path("effort").asText(),
                node.path("refs").asInt(),
                node.path("max_mb").asInt(),
                node.path("server").asText()))
        : Optional.empty();
  }

  private static String text(Path file, JsonNode row, String field) throws IOException {
    JsonNode value = row.path(field);
    if (!value.isTextual()) {
      throw new IOException(file + " was not written by --json: a row lacks '" + field + "'");
    }
    return value.asText();
  }

  /** Of the median alone if the row has no samples. */
  private static Optional<Figure> figure(Path file, JsonNode row) throws IOException {
    List<Double> samples = new ArrayList<>();
    for (JsonNode sample : row.path("samples")) {
      if (!sample.isNumber()) {
        throw new IOException(file + " was not written by --json: a sample is no number");
      }
      samples.add(sample.asDouble());
    }
    if (samples.isEmpty() && row.path("value").isNumber()) {
      samples.add(row.path("value").asDouble());
    }
    if (samples.isEmpty()) {
      return Optional.empty();
    }
    int jvms = row.path("jvms").asInt(1);
    if (jvms < 1 || samples.size() % jvms != 0) {
      throw new IOException(
          file + " was not written by --json: " + samples.size() + " samples of " + jvms + " JVMs");
    }
    return Optional.of(new Figure(samples, jvms));
  }

  /**
   * Tests whether the earlier run has figures of a suite.
   *
   * @param suite its name
   * @return whether the earlier run has measured something of it
   */
  public boolean has(String suite) {
    return figures.keySet().stream().anyMatch(key -> key.suite().equals(suite));
  }

  /**
   * Explains the differences of a machine that forbid a comparison.
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
   * Explains the differences of settings that forbid a comparison. Sizes of objects do not matter,
   * since each is a case of its own.
   *
   * @param now settings of another run
   * @return how this one's differ; empty if they do not
   */
  public Optional<String> differsFrom(Settings now) {
    if (settings.isEmpty()) {
      return Optional.empty();
    }
    Settings then = settings.get();
    List<String> differences = new ArrayList<>();
    if (then.refs() != now.refs()) {
      differences.add(String.format("with --refs %d, not %d", then.refs(), now.refs()));
    }
    if (!then.effort().equals(now.effort())) {
      differences.add(String.format("by a %s run, not a %s one", then.effort(), now.effort()));
    }
    if (!then.server().equals(now.server())) {
      differences.add(String.format("with %s, not %s", then.server(), now.server()));
    }
    return differences.isEmpty()
        ? Optional.empty()
        : Optional.of("measured " + String.join("; ", differences));
  }

  /** Without the version. */
  private static String system(String os) {
    return os.replaceFirst(" .*", "");
  }
}
