// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link ClassArchive} of programs that fail, or that it can make none of. */
class ClassArchiveTest {
  @TempDir private Path directory;

  /** A program that fails if it is told to. */
  static final class Program {
    public static void main(String[] args) {
      System.exit(Integer.parseInt(args[0]));
    }
  }

  @Test
  void what_is_there_is_used() throws IOException {
    ClassArchive archive = new ClassArchive(directory.resolve("a.jsa"));
    assertThat(archive.options()).isEmpty();
    Files.writeString(archive.file(), "some");
    assertThat(archive.options()).containsExactly("-XX:SharedArchiveFile=" + archive.file());
  }

  @Test
  void classes_in_directories_are_not_archived_and_the_log_is_named() {
    refused(0);
  }

  @Test
  void of_a_program_that_fails_nothing_is_kept() throws IOException {
    Files.write(directory.resolve("a.jsa"), "of an earlier run".getBytes(UTF_8));
    refused(3);
  }

  private void refused(int exitCode) {
    ClassArchive archive = new ClassArchive(directory.resolve("a.jsa"));
    Path log = directory.resolve("log");
    JvmProgram program = new JvmProgram(List.of(), Program.class, List.of("" + exitCode));
    assertThatThrownBy(() -> archive.write(program, log))
        .isInstanceOf(IOException.class)
        .hasMessage("no classes are archived; see " + log);
    assertThat(archive.options()).isEmpty();
  }
}
