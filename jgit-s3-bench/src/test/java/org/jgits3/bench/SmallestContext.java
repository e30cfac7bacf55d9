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
        Optional.empty(),
        new Progress(line -> {}, System::nanoTime));
  }

  /**
   * The same with a profiler, whose flame graphs are in that directory too. It samples by a timer,
   * as where the system forbids perf events.
   */
  public static SuiteContext profiled(Path directory) throws IOException {
    FlameGraphs profiler = FlameGraphs.in(directory.resolve(GRAPHS), directory.resolve("tools"));
    return in(directory)
        .with(
            Optional.of(
                new FlameGraphs(profiler.directory(), profiler.library(), FlameGraphs.TIMER)));
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
