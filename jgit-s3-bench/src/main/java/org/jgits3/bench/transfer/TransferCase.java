// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.transfer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.Unit;
import org.jgits3.store.ObjectStore;

/**
 * One size in one direction: all tools in turns, so that each meets the machine in the same states.
 * What the first round of a tool has moved is compared with the source, of later ones the size.
 */
final class TransferCase {
  private static final int CHUNK = 8 << 20;

  private final Direction direction;
  private final SourceFile source;
  private final ObjectStore store;
  private final Path directory;
  private final Map<Tool, List<ToolProcess>> runs = new LinkedHashMap<>();
  private final Map<Tool, String> failed = new LinkedHashMap<>();

  /**
   * A case. For a download the object is uploaded first.
   *
   * @param direction upload or download
   * @param source file that is uploaded, or was
   * @param store where the objects are
   * @param directory for files
   */
  TransferCase(Direction direction, SourceFile source, ObjectStore store, Path directory) {
    this.direction = direction;
    this.source = source;
    this.store = store;
    this.directory = directory;
  }

  static String title(Direction direction, int megabytes) {
    return direction.title() + " of " + megabytes + " MB";
  }

  /** Name of the case that tells what a process needed. */
  private String title() {
    return title(direction, source.megabytes());
  }

  /**
   * Measures.
   *
   * @param tools what is compared
   * @param rounds how often each is run
   * @return times, and then memory
   */
  List<Row> run(List<Tool> tools, int rounds) throws IOException, InterruptedException {
    tools.stream().filter(t -> t.missing().isEmpty()).forEach(t -> runs.put(t, new ArrayList<>()));
    for (int round = 0; round < rounds; round++) {
      for (Tool tool : runs.keySet()) {
        if (!failed.containsKey(tool)) {
          run(tool);
        }
      }
    }
    List<Row> rows = new ArrayList<>();
    tools.forEach(tool -> rows.addAll(times(tool)));
    tools.forEach(tool -> rows.add(memory(tool)));
    return rows;
  }

  private void run(Tool tool) throws IOException, InterruptedException {
    String key = direction == Direction.UPLOAD ? "uploaded" : "source";
    Path file = direction == Direction.UPLOAD ? source.path() : directory.resolve("downloaded");
    if (direction == Direction.UPLOAD) {
      store.delete(List.of(key));
    } else {
      Files.deleteIfExists(file);
    }
    try {
      ToolProcess process =
          ToolProcess.run(
              tool.command(direction, file, key),
              tool.environment(),
              directory.resolve("tool.log"));
      check(tool, process, key, file);
      runs.get(tool).add(process);
    } catch (IOException e) {
      failed.put(tool, e.getMessage());
    } finally {
      if (direction == Direction.DOWNLOAD) {
        Files.deleteIfExists(file);
      }
    }
  }

  private void check(Tool tool, ToolProcess process, String key, Path file) throws IOException {
    boolean first = runs.get(tool).isEmpty();
    if (direction == Direction.UPLOAD) {
      long size = store.stat(key).orElseThrow(() -> new IOException("uploaded nothing")).size();
      same("bytes", source.size(), size);
      if (first) {
        same("CRC32C", tool.wholeProcess() ? source.crc32c() : process.said(), stored(key, size));
      }
    } else if (tool.wholeProcess()) {
      same("bytes", source.size(), Files.size(file));
      if (first) {
        same("CRC32C", source.crc32c(), SourceFile.crc32c(file));
      }
    } else if (process.said() != 0) {
      same("CRC32C", source.crc32c(), process.said());
    }
  }

  private static void same(String what, long expected, long actual) throws IOException {
    if (expected != actual) {
      throw new IOException(
          String.format("moved other content: %s %x instead of %x", what, actual, expected));
    }
  }

  private long stored(String key, long size) throws IOException {
    CRC32C crc = new CRC32C();
    byte[] chunk = new byte[CHUNK];
    for (long at = 0; at < size; at += CHUNK) {
      int n = (int) Math.min(CHUNK, size - at);
      store.read(key, at, chunk, 0, n, Optional.empty());
      crc.update(chunk, 0, n);
    }
    return crc.getValue();
  }

  private List<Row> times(Tool tool) {
    List<Row> rows = new ArrayList<>();
    if (tool.wholeProcess()) {
      rows.add(
          row(tool, title(), tool.name(), direction.title(), Unit.NANOSECONDS, wholeTimes(tool)));
    }
    if (!tool.wholeProcess() || !inner(tool).isEmpty()) {
      rows.add(
          row(
              tool,
              title(),
              tool.name() + ", without start-up",
              direction.title(),
              Unit.NANOSECONDS,
              inner(tool)));
    }
    return rows;
  }

  private List<Double> wholeTimes(Tool tool) {
    return runs.getOrDefault(tool, List.of()).stream().map(ToolProcess::nanos).toList();
  }

  private List<Double> inner(Tool tool) {
    return runs.getOrDefault(tool, List.of()).stream()
        .flatMap(process -> process.inner().stream().boxed())
        .toList();
  }

  private Row memory(Tool tool) {
    List<Double> peaks =
        runs.getOrDefault(tool, List.of()).stream()
            .flatMap(process -> process.peakMegabytes().stream().boxed())
            .toList();
    return row(
        tool,
        "peak memory of " + title(),
        tool.name(),
        "peak memory of " + direction.title(),
        Unit.MEGABYTES,
        peaks);
  }

  private Row row(
      Tool tool, String name, String engine, String chart, Unit unit, List<Double> samples) {
    Row row;
    if (tool.missing().isPresent()) {
      row = Row.missing(name, engine, unit, tool.missing().get());
    } else if (failed.containsKey(tool)) {
      row = Row.failed(name, engine, unit, failed.get(tool));
    } else if (samples.isEmpty()) {
      row = Row.missing(name, engine, unit, "this system does not say");
    } else {
      row = Row.of(name, engine, unit, new Figure(samples));
    }
    return row.at(chart, source.megabytes(), "MB");
  }
}
