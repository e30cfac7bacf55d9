// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jgits3.bench.profile.FlameGraphs;

/** Request of a test to a suite. */
public final class SmallestContext {
  private static final String GRAPHS = "graphs";

  /** Frames below the root. */
  private static final Pattern FRAMES = Pattern.compile("(?m)^[fun]\\(.*\\R[fun]\\(");

  private SmallestContext() {}

  /** The smallest run, with all data in a directory. */
  public static SuiteContext in(Path directory) {
    return in(directory, Optional.empty());
  }

  private static SuiteContext in(Path directory, Optional<FlameGraphs> profiler) {
    Path root = Path.of(System.getProperty("project.root", ".."));
    return new SuiteContext(
        Effort.SMALLEST,
        1000,
        Optional.empty(),
        false,
        16,
        root,
        directory,
        Optional.empty(),
        profiler,
        new Progress(line -> {}, System::nanoTime));
  }

  /** The same with a profiler, whose flame graphs are in that directory too. */
  public static SuiteContext profiled(Path directory) throws IOException {
    return in(
        directory,
        Optional.of(FlameGraphs.in(directory.resolve(GRAPHS), directory.resolve("tools"))));
  }

  /** Names of the flame graphs, each of which has frames. */
  public static List<String> flameGraphs(Path directory) throws IOException {
    try (Stream<Path> graphs = Files.list(directory.resolve(GRAPHS))) {
      List<Path> all = graphs.toList();
      for (Path graph : all) {
        assertThat(Files.readString(graph))
            .as("%s", graph)
            .startsWith("<!DOCTYPE html>")
            .containsPattern(FRAMES);
      }
      return all.stream().map(graph -> graph.getFileName().toString()).toList();
    }
  }
}
