// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e.large;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jgits3.server.e2e.process.Command;
import org.jgits3.server.e2e.process.ServedStore;
import org.jgits3.server.e2e.process.ServerProcess;
import org.jgits3.testing.GitClient;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The largest object that a repository may have, and one that is a byte larger. */
@Timeout(value = 60, unit = TimeUnit.MINUTES)
@Tag("long") // UnreadablePackTest has packs that only declare such sizes
class LargestObjectIT {
  private static final int MOST = Integer.MAX_VALUE - 8;
  private static final int FAILED = 1;

  @TempDir private Path scratch;
  private GitClient git;
  private ServedStore store;
  private GitClient largest;
  private GitClient larger;

  @BeforeEach
  void generate() throws IOException {
    store = ServedStore.directory(scratch);
    git = GitClient.in(scratch);
    largest = repository("largest.git", MOST);
    larger = repository("larger.git", MOST + 1L);
  }

  /** A repository with one file of zeros. */
  private GitClient repository(String name, long bytes) throws IOException {
    git.run("init", "-q", "--bare", name);
    GitClient made = git.at(name);
    made.run("config", "core.compression", "1");
    made.run(to -> write(to, bytes), "fast-import", "--quiet", "--done");
    return made;
  }

  private static void write(OutputStream out, long bytes) throws IOException {
    line(out, "commit refs/heads/main\ncommitter A <a@example.com> 1 +0000\ndata 5\nfirst");
    line(out, "M 644 inline file\ndata " + bytes);
    byte[] zeros = new byte[1 << 20];
    for (long left = bytes; left > 0; left -= zeros.length) {
      out.write(zeros, 0, (int) Math.min(left, zeros.length));
    }
    line(out, "\ndone");
  }

  private static void line(OutputStream out, String text) throws IOException {
    out.write((text + "\n").getBytes(US_ASCII));
  }

  private void isSound(String name) {
    assertThat(Command.run(store, "verify", name).succeeds().stdout()).contains("is sound");
  }

  /** Checks a repository of Git that has the object. */
  private void isWhole(String directory) {
    GitClient copy = git.at(directory);
    copy.run("fsck", "--strict", "--no-progress");
    assertThat(copy.run("rev-parse", "main:file")).isEqualTo(largest.run("rev-parse", "main:file"));
    assertThat(copy.run("cat-file", "-s", "main:file").strip()).isEqualTo("" + MOST);
  }

  @Test
  void largest_object_goes_everywhere_and_one_of_a_byte_more_nowhere() throws Exception {
    try (ServerProcess server = ServerProcess.start(store, "--create-on-push")) {
      largest.run("push", "-q", server.url("pushed"), "main");
      assertThat(larger.attempt("push", "-q", server.url("refused"), "main").toString())
          .contains("remote unpack failed: error object 3 of the pack: Object too large ")
          .contains("(2,147,483,640 bytes)", "limit is 2,147,483,639 bytes")
          .doesNotContain("RPC failed");
      git.run("clone", "-q", "--bare", server.url("pushed"), "clone.git");
      isWhole("clone.git");
      Command.run(store, "import", server.url("pushed"), "fetched").succeeds();
    }
    for (String name : new String[] {"pushed", "fetched"}) {
      Command.run(store, "gc", name).succeeds();
      isSound(name);
    }
    Command.run(store, "export", "pushed", scratch.resolve("export.git").toString()).succeeds();
    isWhole("export.git");
    Command.run(store, "import", scratch.resolve("export.git").toString(), "imported").succeeds();
    isSound("imported");
    Command refused =
        Command.run(store, "import", larger.directory().toString(), "r").failsInOneLine(FAILED);
    assertThat(refused.stderr()).contains((MOST + 1L) + " bytes", "" + MOST);
    assertThat(Command.run(store, "list").succeeds().stdout().lines())
        .containsExactlyInAnyOrder("fetched", "imported", "pushed", "refused"); // without refs
  }
}
