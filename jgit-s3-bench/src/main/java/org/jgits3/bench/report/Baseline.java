// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.exc.StreamReadException;
import com.fasterxml.jackson.databind.DatabindException;
import com.fasterxml.jackson.databind.DeserializationFeature;
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
 * @param machine the machine of that run
 * @param settings what that run was asked to do; empty if the file does not tell
 * @param figures what it measured, without what was missing
 */
public record Baseline(
    Path file, Machine machine, Optional<Settings> settings, Map<Key, Figure> figures) {
  private static final ObjectMapper MAPPER =
      new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  /** The same machine may report a little less memory after an update of its kernel. */
  private static final double SAME_MEMORY = 0.03;

  /**
   * Key of a figure.
   *
   * @param suite name of the suite
   * @param name the case
   * @param engine the engine
   */
  public record Key(String suite, @JsonProperty("case") String name, String engine) {}

  /** The part of a file that counts. */
  record Written(Machine machine, Settings settings, Map<String, WrittenSuite> suites) {}

  /** That of a suite. */
  record WrittenSuite(List<WrittenRow> rows) {
    WrittenSuite {
      rows = rows == null ? List.of() : rows;
    }
  }

  /** That of a row. */
  record WrittenRow(
      @JsonProperty("case") String name,
      String engine,
      Double value,
      List<Double> samples,
      Integer jvms) {
    /** Of the median alone if the row has no samples. */
    Optional<Figure> figure() {
      if (samples != null && samples.contains(null)) {
        throw new IllegalArgumentException("a sample is no number");
      }
      if (samples != null && !samples.isEmpty()) {
        return Optional.of(new Figure(samples, jvms == null ? 1 : jvms));
      }
      return Optional.ofNullable(value).map(Figure::exactly);
    }
  }

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
    Written written;
    try {
      written = MAPPER.readValue(Files.readAllBytes(file), Written.class);
    } catch (StreamReadException e) {
      throw new IOException(file + " is no JSON: " + e.getOriginalMessage(), e);
    } catch (CharConversionException e) {
      throw new IOException(file + " is no JSON: " + e.getMessage(), e);
    } catch (DatabindException e) {
      throw new IOException(file + " was not written by --json: " + e.getOriginalMessage(), e);
    }
    if (written.machine() == null || written.machine().cpu() == null || written.suites() == null) {
      throw new IOException(file + " was not written by --json: it lacks a machine or suites");
    }
    return new Baseline(
        file,
        written.machine(),
        Optional.ofNullable(written.settings()),
        figures(file, written.suites()));
  }

  private static Map<Key, Figure> figures(Path file, Map<String, WrittenSuite> suites)
      throws IOException {
    Map<Key, Figure> figures = new LinkedHashMap<>();
    for (Map.Entry<String, WrittenSuite> suite : suites.entrySet()) {
      for (WrittenRow row : suite.getValue().rows()) {
        if (row == null || row.name() == null || row.engine() == null) {
          throw new IOException(file + " was not written by --json: a row lacks case or engine");
        }
        Key key = new Key(suite.getKey(), row.name(), row.engine());
        try {
          row.figure().ifPresent(figure -> figures.put(key, figure));
        } catch (IllegalArgumentException e) {
          throw new IOException(file + " was not written by --json: " + e.getMessage(), e);
        }
      }
    }
    return figures;
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
   * Says that the figures are of another machine, so that changes say little.
   *
   * @param now the machine of another run
   * @return what this one is; empty if they are alike
   */
  public Optional<String> differsFrom(Machine now) {
    boolean alike =
        machine.cpu().equals(now.cpu())
            && machine.cpus() == now.cpus()
            && Math.abs(machine.memoryMb() - now.memoryMb()) <= SAME_MEMORY * machine.memoryMb()
            && system(machine.os()).equals(system(now.os()));
    return alike ? Optional.empty() : Optional.of("of another machine: " + machine.description());
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
    return os == null ? "" : os.replaceFirst(" .*", "");
  }
}
