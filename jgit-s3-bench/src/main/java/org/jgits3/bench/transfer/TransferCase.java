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
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Function;
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

  /** Bytes that a tool and the server need beside the files: more than the hungriest has. */
  private static final long BESIDE_FILES = 768L << 20;

  /** A finished transfer of a tool, and the server's processor time for it. */
  private record Transfer(ToolProcess process, Optional<Duration> server) {}

  private final Direction direction;
  private final SourceFile source;
  private final ObjectStore store;
  private final Path directory;
  private final Supplier<Optional<Duration>> server;
  private final Map<Tool, List<Transfer>> runs = new LinkedHashMap<>();
  private final Map<Tool, String> failed = new LinkedHashMap<>();
  private final Duration limit;

  /**
   * A case. For a download the object is uploaded first.
   *
   * @param direction upload or download
   * @param source file that is uploaded, or was
   * @param store where the objects are
   * @param server processor time that the server has taken so far, if that is known
   * @param directory for files
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

  /** Name of the case that tells what a process needed. */
  private String title() {
    return title(direction, source.megabytes());
  }

  /**
   * Measures.
   *
   * @param tools what is compared
   * @param rounds how often each is run
   * @return times, then memory, then what the server has worked if that is known
   */
  List<Row> run(List<Tool> tools, int rounds) throws IOException, InterruptedException {
    tools.stream().filter(t -> t.missing().isEmpty()).forEach(t -> runs.put(t, new ArrayList<>()));
    for (int round = 0; round < rounds; round++) {
      List<Tool> order = new ArrayList<>(runs.keySet());
      Collections.rotate(order, -round);
      for (Tool tool : order) {
        if (!failed.containsKey(tool)) {
          run(tool);
        }
      }
    }
    List<Row> rows = new ArrayList<>();
    tools.forEach(
        tool ->
            rows.add(row(tool, "", Unit.NANOSECONDS, t -> OptionalDouble.of(t.process().nanos()))));
    tools.forEach(tool -> rows.add(row(tool, "peak memory of ", Unit.MEGABYTES, this::peak)));
    if (server.get().isPresent()) {
      // No client can be faster than that, divided by the processors.
      tools.forEach(
          tool ->
              rows.add(
                  row(tool, "processor time of the server, ", Unit.NANOSECONDS, this::served)));
    }
    return rows;
  }

  private OptionalDouble peak(Transfer transfer) {
    OptionalLong bytes = transfer.process().peak();
    return bytes.isPresent()
        ? OptionalDouble.of(bytes.getAsLong() / (double) (1 << 20))
        : OptionalDouble.empty();
  }

  private OptionalDouble served(Transfer transfer) {
    return transfer.server().stream().mapToDouble(Duration::toNanos).findFirst();
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
      check(tool, key, file);
      runs.get(tool).add(new Transfer(process, after.flatMap(a -> before.map(a::minus))));
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

  private void check(Tool tool, String key, Path file) throws IOException {
    boolean first = runs.get(tool).isEmpty();
    boolean upload = direction == Direction.UPLOAD;
    same("bytes", source.size(), upload ? stored(key) : Files.size(file));
    if (first) {
      long moved = upload ? crc32c(key) : SourceFile.crc32c(file);
      same("CRC32C", source.crc32c(), moved);
    }
  }

  private static void same(String what, long expected, long actual) throws IOException {
    if (expected != actual) {
      throw new IOException(
          String.format("moved other content: %s %x instead of %x", what, actual, expected));
    }
  }

  /** Size of what a tool has uploaded. That it cannot be read is not the tool's fault. */
  private long stored(String key) throws IOException {
    try {
      Optional<ObjectInfo> info = store.stat(key);
      if (info.isPresent()) {
        return info.get().size();
      }
    } catch (IOException e) {
      throw new IOException(
          "ended well, but what it has moved cannot be read for comparison: " + e.getMessage(), e);
    }
    throw new IOException("uploaded nothing");
  }

  private long crc32c(String key) throws IOException {
    CRC32C crc = new CRC32C();
    byte[] chunk = new byte[CHUNK];
    for (long at = 0; at < source.size(); at += CHUNK) {
      int n = (int) Math.min(CHUNK, source.size() - at);
      store.read(key, at, chunk, 0, n, Optional.empty());
      crc.update(chunk, 0, n);
    }
    return crc.getValue();
  }

  /** The row of a figure, on a line of its chart. */
  private Row row(Tool tool, String what, Unit unit, Function<Transfer, OptionalDouble> figure) {
    List<Double> samples =
        runs.getOrDefault(tool, List.of()).stream()
            .flatMap(transfer -> figure.apply(transfer).stream().boxed())
            .toList();
    String name = what + title();
    Row row;
    if (tool.missing().isPresent()) {
      row = Row.missing(name, tool.name(), unit, tool.missing().get());
    } else if (failed.containsKey(tool)) {
      row = Row.failed(name, tool.name(), unit, failed.get(tool));
    } else if (samples.isEmpty()) {
      row = Row.missing(name, tool.name(), unit, "this system does not say");
    } else {
      row = Row.of(name, tool.name(), unit, new Figure(samples));
    }
    return row.at(what + direction.title(), source.megabytes(), "MB");
  }
}
