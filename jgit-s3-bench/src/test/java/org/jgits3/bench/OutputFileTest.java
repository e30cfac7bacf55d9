// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jgits3.bench.report.Machine;
import org.jgits3.bench.report.Results;
import org.jgits3.bench.report.Settings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class OutputFileTest {
  private static final Results NOTHING =
      new Results(
          new Machine("Linux", "Any CPU", 2, 4096, "17", "7.8", "2026-11-29T00:00:00Z"),
          new Settings("quick", 1000, 4096, "versitygw"),
          List.of(),
          Optional.empty());

  @TempDir private Path directory;

  private static OutputFile file(Path path) {
    return new OutputFile("--json", path, results -> "results");
  }

  @Test
  void looking_leaves_no_file_and_changes_none() throws Exception {
    Path there = Files.writeString(directory.resolve("there"), "earlier results");

    file(there).check();
    file(directory.resolve("new")).check();

    assertThat(there).hasContent("earlier results");
    assertThat(directory.toFile().list()).containsExactly("there");
  }

  @Test
  void results_replace_what_was_there() throws Exception {
    Path there =
        Files.writeString(directory.resolve("there"), "earlier results, which were longer");

    file(there).write(NOTHING);

    assertThat(there).hasContent("results");
  }

  @Test
  void what_cannot_be_written_is_wrong_usage() {
    assertThatThrownBy(() -> file(directory).check())
        .isInstanceOf(WrongUsageException.class)
        .hasMessage("--json " + directory + " cannot be written: it is a directory");
    assertThatThrownBy(() -> file(directory.resolve("a/b")).check())
        .isInstanceOf(WrongUsageException.class)
        .hasMessageEndingWith("cannot be written: there is no directory " + directory.resolve("a"));
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void full_disk_is_one_line_with_the_name() {
    OutputFile full = file(Path.of("/dev/full"));
    full.check();

    assertThatThrownBy(() -> full.write(NOTHING))
        .isInstanceOf(IOException.class)
        .hasMessage("--json /dev/full was not written: No space left on device");
  }
}
