// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.transfer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import org.jgits3.bench.FreeMemory;
import org.jgits3.bench.WriteBack;
import org.jgits3.bench.report.ErrorLine;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.Unit;
import org.jgits3.store.ObjectInfo;
import org.jgits3.store.ObjectStore;

/**
 * One size in one direction: all tools in turns, each round begun by another one, and each when the
 * one before is written back and as much memory as a transfer takes is at hand, so that all meet
 * the machine in the same state. What the first round of a tool has moved is compared with the
 * source, of later ones the size.
 */
final class TransferCase {
  private static final int CHUNK = 8 << 20;

  /** A tool that is slower than this, in MiB a second, beside a minute, is taken for hung. */
  private static final int SLOWEST = 4;

  /** Bytes that a tool and the server need beside the files: more than the hungriest has. */
  private static final long BESIDE_FILES = 768L << 20;

  /** A finished transfer of a tool, and the server's processor time for it. */
  private record Transfer(ToolProcess process, Optional<Duration> server) {}

  /**
   * Maximum number of rounds of transfers that are no whole process: they show bounds and are not
   * judged.
   */
  private static final int ROUNDS_BESIDE = 2;

  private final Direction direction;
  private final SourceFile source;
  private final ObjectStore store;
  private final Path directory;
  private final Supplier<Optional<Duration>> server;
  private final Map<Tool, List<Transfer>> runs = new LinkedHashMap<>();
  private final Map<Tool, String> failed = new LinkedHashMap<>();
  private final Map<Tool, String> hung = new LinkedHashMap<>();
  private final Duration limit;

  /**
   * A case. For a download the object is uploaded first.
   *
   * @param direction upload or download
   * @param source file that is uploaded, or was
   * @param store where the objects are
   * @param server processor time that the server has taken so far, if that is known
   * @param directory for files
   */
  TransferCase(
      Direction direction,
      SourceFile source,
      ObjectStore store,
      Supplier<Optional<Duration>> server,
      Path directory) {
    this(
        direction,
        source,
        store,
        server,
        directory,
        Duration.ofSeconds(60 + source.megabytes() / SLOWEST));
  }

  /**
   * A case.
   *
   * @param limit how long a tool may take
   */
  TransferCase(
      Direction direction,
      SourceFile source,
      ObjectStore store,
      Supplier<Optional<Duration>> server,
      Path directory,
      Duration limit) {
    this.limit = limit;
    this.server = server;
    this.direction = direction;
    this.source = source;
    this.store = store;
    this.directory = directory;
  }

  static String title(Direction direction, int megabytes) {
    return direction.title() + " of " + megabytes + " MB";
  }

  /** Name in the results for the time of a tool without its start-up. */
  static String withoutStartUp(String tool) {
    return tool + ", without start-up";
  }

  /** Name of the case that tells what a process needed. */
  private String title() {
    return title(direction, source.megabytes());
  }

  /**
   * Measures.
   *
   * @param tools what is compared
   * @param rounds how often each whole process is run
   * @return times, then memory, then what the server has worked if that is known
   */
  List<Row> run(List<Tool> tools, int rounds) throws IOException, InterruptedException {
    tools.stream().filter(t -> t.missing().isEmpty()).forEach(t -> runs.put(t, new ArrayList<>()));
    for (int round = 0; round < rounds; round++) {
      List<Tool> order = new ArrayList<>(runs.keySet());
      Collections.rotate(order, -round);
      for (Tool tool : order) {
        if (!failed.containsKey(tool) && (tool.wholeProcess() || round < ROUNDS_BESIDE)) {
          run(tool);
        }
      }
    }
    List<Row> rows = new ArrayList<>();
    tools.forEach(tool -> rows.addAll(times(tool)));
    tools.forEach(tool -> rows.add(memory(tool)));
    if (server.get().isPresent()) {
      tools.forEach(tool -> rows.add(served(tool)));
    }
    return rows;
  }

  /**
   * Tools that did not end.
   *
   * @return what to say of each
   */
  Map<Tool, String> hung() {
    return hung;
  }

  private void run(Tool tool) throws IOException, InterruptedException {
    String key = direction == Direction.UPLOAD ? "uploaded" : "source";
    Path file = direction == Direction.UPLOAD ? source.path() : directory.resolve("downloaded");
    if (direction == Direction.UPLOAD) {
      store.delete(List.of(key));
    } else {
      Files.deleteIfExists(file);
    }
    WriteBack.finish();
    FreeMemory.touch(copies() * ((long) source.megabytes() << 20) + BESIDE_FILES);
    try {
      Optional<Duration> before = server.get();
      ToolProcess process =
          ToolProcess.run(
              tool.command(direction, file, key),
              tool.environment(),
              directory.resolve("tool.log"),
              limit);
      Optional<Duration> after = server.get();
      check(tool, process, key, file);
      runs.get(tool).add(new Transfer(process, after.flatMap(a -> before.map(a::minus))));
    } catch (ToolProcess.HungException e) {
      failed.put(tool, ErrorLine.of(e));
      hung.put(tool, "not tried again: its " + title() + " " + e.getMessage());
    } catch (IOException e) {
      failed.put(tool, ErrorLine.of(e));
    } finally {
      if (direction == Direction.DOWNLOAD) {
        Files.deleteIfExists(file);
      }
    }
  }

  /** Number of copies of the content in the page cache: a server joins an upload from its parts. */
  private int copies() {
    return direction == Direction.UPLOAD ? 2 : 1;
  }

  private void check(Tool tool, ToolProcess process, String key, Path file) throws IOException {
    boolean first = runs.get(tool).isEmpty();
    if (direction == Direction.UPLOAD) {
      Stored stored = stored(key, first);
      same("bytes", source.size(), stored.size());
      if (first) {
        same("CRC32C", tool.wholeProcess() ? source.crc32c() : process.said(), stored.crc32c());
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

  /** A stored object; the checksum is 0 if it was not asked for. */
  private record Stored(long size, long crc32c) {}

  /** Reads what a tool has uploaded. That this may fail is not the tool's fault, and told apart. */
  private Stored stored(String key, boolean whole) throws IOException {
    try {
      Optional<ObjectInfo> info = store.stat(key);
      if (info.isPresent()) {
        long size = info.get().size();
        return new Stored(size, whole ? crc32c(key, size) : 0);
      }
    } catch (IOException e) {
      throw new IOException(
          "ended well, but what it has moved cannot be read for comparison: " + e.getMessage(), e);
    }
    throw new IOException("uploaded nothing");
  }

  private long crc32c(String key, long size) throws IOException {
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
              withoutStartUp(tool.name()),
              direction.title(),
              Unit.NANOSECONDS,
              inner(tool)));
    }
    return rows;
  }

  private List<Double> wholeTimes(Tool tool) {
    return runs.getOrDefault(tool, List.of()).stream().map(t -> t.process().nanos()).toList();
  }

  private List<Double> inner(Tool tool) {
    return runs.getOrDefault(tool, List.of()).stream()
        .flatMap(t -> t.process().inner().stream().boxed())
        .toList();
  }

  private Row memory(Tool tool) {
    List<Double> peaks =
        runs.getOrDefault(tool, List.of()).stream()
            .flatMap(t -> t.process().peakMegabytes().stream().boxed())
            .toList();
    return row(
        tool,
        "peak memory of " + title(),
        tool.name(),
        "peak memory of " + direction.title(),
        Unit.MEGABYTES,
        peaks);
  }

  /** No client can be faster than that, divided by the processors. */
  private Row served(Tool tool) {
    List<Double> times =
        runs.getOrDefault(tool, List.of()).stream()
            .flatMap(t -> t.server().stream())
            .map(time -> (double) time.toNanos())
            .toList();
    return row(
        tool,
        "processor time of the server, " + title(),
        tool.name(),
        "processor time of the server, " + direction.title(),
        Unit.NANOSECONDS,
        times);
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
