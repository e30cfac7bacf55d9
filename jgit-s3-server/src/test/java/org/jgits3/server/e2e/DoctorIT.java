// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.jgits3.server.e2e.process.Command;
import org.jgits3.server.e2e.process.ServedStore;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.UnsafeS3Servers;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The doctor and the servers it must refuse, as an administrator meets them. {@link SecretsIT} has
 * one that it passes.
 */
class DoctorIT {
  @TempDir Path scratch;

  @Test
  void a_directory_passes() throws IOException {
    Command doctor = Command.run(ServedStore.directory(scratch), "doctor");
    assertThat(doctor.exitCode()).as("%s", doctor).isZero();
  }

  @Test
  @Tag("long") // s3rver is refused as well, and StoreProbeTest has races
  void s3proxy_is_refused_with_the_race_it_loses() throws IOException {
    try (S3Server server = UnsafeS3Servers.s3proxy()) {
      ServedStore store = ServedStore.bucket(server, scratch);
      assertRefused(Command.run(store, "doctor"), "-race' failed");
    }
  }

  @Test
  void s3rver_is_refused_by_every_command_that_would_write() throws IOException {
    try (S3Server server = UnsafeS3Servers.s3rver()) {
      ServedStore store = ServedStore.bucket(server, scratch);
      assertRefused(Command.run(store, "doctor"), "check '");
      assertRefused(Command.run(store, "init", "hello"), "check '");
      assertRefused(Command.run(store, "serve", "--listen", "127.0.0.1:0"), "check '");
    }
  }

  private static void assertRefused(Command command, String why) {
    assertThat(command.exitCode()).as("%s", command).isEqualTo(1);
    assertThat(command.stderr().lines()).as("%s", command).hasSize(1);
    assertThat(command.stderr()).startsWith("jgit-s3: s3://").contains("refused", why);
  }
}
