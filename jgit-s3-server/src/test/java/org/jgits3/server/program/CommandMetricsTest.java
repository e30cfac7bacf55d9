// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.program;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommandMetricsTest {
  @TempDir Path dir;

  private void write(Path file) throws IOException {
    CommandMetrics.write(file, "sweep", Instant.now(), 0);
  }

  @Test
  void file_is_readable_by_all_and_nothing_else_is_left() throws IOException {
    Path file = dir.resolve("sweep.prom");
    write(file);
    write(file);
    assertThat(file).content().contains("jgits3_command_exit_code{command=\"sweep\"} 0\n");
    assertThat(Files.getPosixFilePermissions(file)).contains(PosixFilePermission.OTHERS_READ);
    try (Stream<Path> files = Files.list(dir)) {
      assertThat(files).containsExactly(file);
    }
  }

  @Test
  void link_that_another_user_has_put_there_is_replaced_and_not_followed() throws IOException {
    Path victim = Files.writeString(dir.resolve("victim"), "precious");
    Path file = Files.createSymbolicLink(dir.resolve("sweep.prom"), victim);
    Files.createSymbolicLink(dir.resolve("sweep.prom.part"), victim);
    write(file);
    assertThat(victim).content().isEqualTo("precious");
    assertThat(file).isRegularFile();
    assertThat(Files.isSymbolicLink(file)).isFalse();
  }
}
