// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.jgits3.server.e2e.process.Command;
import org.jgits3.server.e2e.process.ServedStore;
import org.jgits3.server.e2e.process.ServerProcess;
import org.jgits3.testing.GitAssertions;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.GitResult;
import org.jgits3.testing.RandomSeed;
import org.jgits3.testing.S3Servers;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A push to a server whose local disk has no room for the pack while it is received. */
@EnabledOnOs(OS.LINUX) // where a process lets others see what it has open
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@ExtendWith(RandomSeed.Named.class)
class FullDiskIT {
  private static final long SEED = RandomSeed.first();

  /** Largest file that the server can write, in MiB. */
  private static final int LARGEST_FILE = 20;

  /** Bytes of a pack of which some parts are in the store already when the disk is full. */
  private static final int PACK = 40 << 20;

  @TempDir private Path scratch;
  private Path spills;
  private ServedStore store;
  private GitClient git;
  private GitClient work;

  @BeforeEach
  void prepare() throws IOException {
    spills = Files.createDirectory(scratch.resolve("spills"));
    store = ServedStore.bucket(S3Servers.require(), scratch);
    Files.writeString(
        store.config().orElseThrow(),
        "[s3 \"receive\"]\n\tspillDirectory = " + spills + "\n",
        StandardOpenOption.APPEND);
    git = GitClient.in(scratch);
    git.run("init", "-q", "work");
    work = git.at("work");
    work.commitFile("a.txt", "first\n");
  }

  @Test
  void push_that_fills_the_disk_is_refused_in_one_line_and_leaves_nothing() throws Exception {
    try (ServerProcess server =
        ServerProcess.startWithLargestFile(LARGEST_FILE, store, "--create-on-push")) {
      work.run("push", "-q", server.url("r"), "main", "main:small");
      String refs = git.run("ls-remote", server.url("r"));
      String stats = Command.run(store, "stats", "r", "--json").succeeds().stdout();
      work.commitRandomFile("large", PACK, SEED);

      GitResult refused = work.attempt("push", "-q", server.url("r"), "main");

      String reason =
          "the file for a received pack in "
              + spills
              + " cannot be written, see [s3 \"receive\"] spillDirectory: File too large";
      assertThat(refused.ok()).as("%s", refused).isFalse();
      assertThat(refused.stderr().lines().filter(line -> line.contains(spills.toString())))
          .as("%s", refused)
          .containsExactly("error: remote unpack failed: error " + reason);
      assertThat(server.complaints())
          .hasSize(1)
          .allSatisfy(line -> assertThat(line).contains(" WARN ", "receive-pack to r", reason));
      assertThat(server.filesInUse(spills)).isEmpty();
      assertThat(spills).isEmptyDirectory();
      assertThat(git.run("ls-remote", server.url("r"))).isEqualTo(refs);
      assertThat(Command.run(store, "stats", "r", "--json").succeeds().stdout()).isEqualTo(stats);
      assertThat(store.unfinishedUploads()).isZero();

      work.run("checkout", "-q", "HEAD~");
      work.commitFile("b.txt", "second\n");
      work.run("push", "-q", server.url("r"), "HEAD:small");
      GitAssertions.assertSound(git, server.url("r"));
    }
    assertThat(Command.run(store, "verify", "r").succeeds().stdout()).contains("is sound");
  }
}
