// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.profile;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;
import one.profiler.AsyncProfiler;

/**
 * Attaches async-profiler to JVMs, each of which writes a flame graph as it ends.
 *
 * @param directory where flame graphs go
 * @param library the profiler's native library
 */
public record FlameGraphs(Path directory, Path library) {
  /**
   * Processor time, with the frames of the kernel; without them, by a timer, where the system
   * forbids perf events.
   */
  private static final String EVENT = "cpu";

  /**
   * Gets the profiler ready.
   *
   * @param directory where flame graphs go; created
   * @param tools where the native library goes
   * @return the profiler
   * @throws IOException if there is no profiler for this system
   */
  public static FlameGraphs in(Path directory, Path tools) throws IOException {
    Files.createDirectories(directory);
    Files.createDirectories(tools);
    String name = "libasyncProfiler.so";
    Path library = tools.resolve(name);
    try (InputStream in =
        AsyncProfiler.class.getClassLoader().getResourceAsStream(platform() + "/" + name)) {
      if (in == null) {
        throw new IOException("async-profiler does not run on " + platform());
      }
      Files.copy(in, library, StandardCopyOption.REPLACE_EXISTING);
    }
    return new FlameGraphs(directory.toAbsolutePath(), library.toAbsolutePath());
  }

  private static String platform() {
    String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    if (os.startsWith("mac")) {
      return "macos";
    }
    String arch = System.getProperty("os.arch");
    return os + (arch.equals("aarch64") ? "-arm64" : arch.equals("amd64") ? "-x64" : "-" + arch);
  }

  /**
   * Profiles this JVM.
   *
   * @param name what it does; its flame graph gets that name
   * @return ends the recording and writes the flame graph
   * @throws IOException if it cannot be recorded
   */
  public Closeable record(String name) throws IOException {
    AsyncProfiler profiler = AsyncProfiler.getInstance(library.toString());
    profiler.execute("start,event=" + EVENT);
    return () -> profiler.execute("stop," + output(name, ""));
  }

  /** The part of the options that says where the flame graph goes. */
  private String output(String name, String suffix) {
    String file = name.replaceAll("[^A-Za-z0-9._-]+", "-") + suffix + ".html";
    return "file=" + directory.resolve(file) + ",title=" + name.replace(',', ' ');
  }

  /**
   * Options that attach the profiler to a JVM from its start.
   *
   * @param name what the JVM does; its flame graph gets that name and the process id
   * @return options for the command line
   */
  public List<String> jvmOptions(String name) {
    // What the program prints is its own.
    return List.of(
        "-agentpath:"
            + library
            + "=start,event="
            + EVENT
            + ",loglevel=none,"
            + output(name, "-%p"));
  }
}
