// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InstallerTest {
  @TempDir private Path directory;

  private Path script(String text) throws Exception {
    Path script = directory.resolve("script");
    Files.writeString(script, "#!/bin/sh\n" + text + "\n");
    return Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
  }

  @Test
  void exit_code_is_told() throws Exception {
    assertThat(Installer.run(script("exit 3"))).isEqualTo("ended with 3");
  }

  @Test
  void script_that_does_not_end_in_time_is_ended_with_what_it_started() throws Exception {
    Path child = directory.resolve("child");
    Path script = script("sleep 3600 & echo $! >'" + child + "'; wait");

    for (int seconds : List.of(2, 20, 120)) { // more if it was not even begun
      assertThat(Installer.run(script, Duration.ofSeconds(seconds)))
          .isEqualTo("did not end within " + seconds + " s");
      if (Files.exists(child) && Files.size(child) > 0) {
        break;
      }
    }
    long pid = Long.parseLong(Files.readString(child).strip());
    assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
  }
}
