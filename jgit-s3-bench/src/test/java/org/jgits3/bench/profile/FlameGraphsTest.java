// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs({OS.LINUX, OS.MAC})
class FlameGraphsTest {
  @TempDir private Path directory;

  @Test
  void jvm_writes_a_flame_graph_as_it_ends() throws Exception {
    Path graphs = directory.resolve("graphs");
    FlameGraphs profiler = FlameGraphs.in(graphs, directory.resolve("tools"));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(profiler.jvmOptions("heap of s3, cold"));
    command.add("-version");

    Process jvm =
        new ProcessBuilder(command)
            .redirectError(directory.resolve("err").toFile())
            .redirectOutput(directory.resolve("out").toFile())
            .start();

    assertThat(jvm.waitFor()).isZero();
    assertThat(directory.resolve("out")).isEmptyFile();
    assertThat(directory.resolve("err")).content().doesNotContainIgnoringCase("profil");
    Path graph = graphs.resolve("heap-of-s3-cold-" + jvm.pid() + ".html");
    assertThat(Files.readString(graph)).contains("<html").contains("heap of s3");
  }

  @Test
  void this_jvm_is_profiled_for_a_while() throws Exception {
    FlameGraphs profiler = FlameGraphs.in(directory, directory.resolve("tools"));

    profiler.record("streams of 64 MB").close();
    profiler.record("again").close();

    assertThat(Files.readString(directory.resolve("streams-of-64-MB.html"))).contains("<html");
    assertThat(directory.resolve("again.html")).exists();
  }
}
