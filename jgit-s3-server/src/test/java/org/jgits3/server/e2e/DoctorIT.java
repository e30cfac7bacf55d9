// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.eclipse.jgit.api.Git;
import org.jgits3.server.e2e.process.Command;
import org.jgits3.server.e2e.process.ServedStore;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.jgits3.testing.UnsafeS3Servers;
import org.jgits3.testing.signed.UnsafeProxy;
import org.jgits3.testing.signed.UnsafeProxy.Fault;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
  void cache_directory_that_cannot_be_made_is_refused() throws IOException {
    Path file = Files.writeString(scratch.resolve("file"), "");
    ServedStore store = ServedStore.directory(scratch);
    Files.writeString(
        store.config().orElseThrow(),
        "[s3 \"cache\"]\n\tdirectory = " + file.resolve("cache") + "\n",
        StandardOpenOption.APPEND);
    Command doctor = Command.run(store, "doctor").failsInOneLine(2);
    assertThat(doctor.stderr()).contains("[s3 \"cache\"] directory", file + " is no directory");
  }

  @Test
  @Tag("long") // s3rver is refused as well, and StoreProbeTest has races
  void s3proxy_is_refused_with_the_race_it_loses() throws IOException {
    try (S3Server server = UnsafeS3Servers.s3proxy()) {
      ServedStore store = ServedStore.unknownBucket(server, server.endpoint(), scratch);
      assertRefused(Command.run(store, "doctor"), "-race' failed");
    }
  }

  @Test
  void s3rver_is_refused_by_every_command_that_would_write() throws IOException {
    try (S3Server server = UnsafeS3Servers.s3rver()) {
      ServedStore store = ServedStore.unknownBucket(server, server.endpoint(), scratch);
      Command doctor = Command.run(store, "doctor");
      assertRefused(doctor, "check 'create-if-absent' failed");
      assertThat(doctor.stdout())
          .contains("FAILED  create-if-absent", "use a store", "that honours If-Match");
      assertRefused(Command.run(store, "init", "hello"), "check '");
      assertRefused(Command.run(store, "serve", "--listen", "127.0.0.1:0"), "check '");
    }
  }

  /** Races take seconds: each command meets one share of the faults, and FirstUseTest has all. */
  @ParameterizedTest
  @CsvSource({
    "CHECKS_FIRST, 1, -race, init",
    "CHECKS_FIRST, 0.1, -race, serve",
    "CHECKS_FIRST, 0.01, -race, import",
    "STRIPS_CONDITIONS, 1, create-if-absent, init serve import"
  })
  void store_that_loses_writes_is_refused_before_the_first_write(
      Fault fault, double share, String check, String commands) throws Exception {
    Path source = scratch.resolve("source.git");
    Git.init().setBare(true).setDirectory(source.toFile()).call().close();
    Map<String, List<String>> lines =
        Map.of(
            "init", List.of("init", "hello"),
            "serve", List.of("serve", "--listen", "127.0.0.1:0"),
            "import", List.of("import", source.toString(), "copy"));
    S3Server server = S3Servers.require();
    long seed = ThreadLocalRandom.current().nextLong();
    try (UnsafeProxy proxy = new UnsafeProxy(server, fault, share, seed)) {
      ServedStore store = ServedStore.unknownBucket(server, proxy.endpoint(), scratch);
      for (String command : commands.split(" ", -1)) {
        String[] line = lines.get(command).toArray(String[]::new);
        assertRefused(Command.run(store, line), check + "' failed");
      }
      assertThat(store.keys()).as("%s", proxy).isEmpty();
    }
  }

  @Test
  void sweep_deletes_what_a_killed_probe_left() throws IOException {
    ServedStore store = ServedStore.directory(scratch);
    Command.run(store, "init", "r").succeeds();
    Path left = scratch.resolve("store/probe/1-killed/conditions");
    Files.createDirectories(left.getParent());
    Files.writeString(left, "left");
    Command planned = Command.run(store, "sweep", "--all", "--dry-run").succeeds();
    assertThat(planned.stdout()).contains("probes of the store: would delete 1 object ");
    assertThat(left).exists();
    Command.run(store, "sweep", "--all").succeeds();
    assertThat(left).doesNotExist();
  }

  private static void assertRefused(Command command, String why) {
    assertThat(command.exitCode()).as("%s", command).isEqualTo(1);
    assertThat(command.stderr().lines()).as("%s", command).hasSize(1);
    assertThat(command.stderr()).startsWith("jgit-s3: s3://").contains("refused", why);
  }
}
