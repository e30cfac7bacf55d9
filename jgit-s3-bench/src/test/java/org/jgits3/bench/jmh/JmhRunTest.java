// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.jmh;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jgits3.bench.refs.GetRefsBenchmark;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.runner.RunnerException;

class JmhRunTest {
  @TempDir private Path directory;

  @ParameterizedTest(name = "forked JVMs: {0}")
  @ValueSource(ints = {0, 1})
  void failure_is_told_in_the_words_of_the_benchmark(int forks) {
    JmhRun jmh = new JmhRun(List.of(), directory.resolve("log"), Optional.empty());
    Map<String, String> unknown = Map.of("engine", "cvs", "refs", "10");
    Schedule once = new Schedule(Mode.SingleShotTime, forks, 0, 1, 1);

    assertThatThrownBy(() -> jmh.measure(GetRefsBenchmark.class, "hit", unknown, once))
        .isInstanceOf(RunnerException.class)
        .hasMessage("no engine cvs");
  }

  @ParameterizedTest
  @ValueSource(strings = "-Xmx1k")
  void jvm_that_does_not_start_is_told(String option) {
    JmhRun jmh = new JmhRun(List.of(option), directory.resolve("log"), Optional.empty());
    Schedule once = new Schedule(Mode.SingleShotTime, 1, 0, 1, 1);

    assertThatThrownBy(() -> jmh.measure(GetRefsBenchmark.class, "hit", Map.of(), once))
        .isInstanceOf(RunnerException.class)
        .hasMessageContaining("exit code 1");
  }
}
