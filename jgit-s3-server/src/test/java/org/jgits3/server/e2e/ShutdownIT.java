// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jgits3.server.e2e.process.Command;
import org.jgits3.server.e2e.process.PausingProxy;
import org.jgits3.server.e2e.process.RunningServer;
import org.jgits3.server.e2e.process.ServedStore;
import org.jgits3.server.e2e.process.ServerInJvm;
import org.jgits3.server.e2e.process.ServerProcess;
import org.jgits3.server.http.RefusedConnections;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.testing.GitAssertions;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.GitResult;
import org.jgits3.testing.Holds;
import org.jgits3.testing.RandomSeed;
import org.jgits3.testing.S3Servers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes that are told to stop when some parts of a large pack are in the store, and its client
 * or its source holds back the rest.
 */
@Holds(
    "GitHttpServer, ServeCommand, PackUploads: A stopping server gives running requests time before it aborts "
        + "uploads, and ends when they end")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@ExtendWith(RandomSeed.Named.class)
class ShutdownIT {
  private static final long SEED = RandomSeed.first();
  private static final int PACK = 24 << 20;

  /** Exit code of a JVM that ended because of SIGTERM. */
  private static final int TERMINATED = 128 + 15;

  private final ExecutorService background = Executors.newSingleThreadExecutor();
  @TempDir private Path scratch;
  private ServedStore store;
  private GitClient git;
  private GitClient work;

  @BeforeEach
  void prepare() throws IOException {
    store = ServedStore.bucket(S3Servers.require(), scratch);
    git = GitClient.in(scratch);
    git.run("init", "-q", "work");
    work = git.at("work");
    work.commitFile("a.txt", "first\n");
    Command.run(store, "init", "r").succeeds();
  }

  @AfterEach
  void end() {
    background.shutdownNow();
  }

  @Test
  void push_of_several_parts_succeeds_when_the_server_is_told_to_stop() throws Exception {
    work.commitRandomFile("large", PACK, SEED);
    try (ServerProcess server = ServerProcess.start(store, "--shutdown-timeout", "60");
        PausingProxy proxy = PausingProxy.before(server.uri(), PACK / 2)) {
      Future<GitResult> push = pushInBackground(proxy);
      proxy.awaitPause();
      awaitUploads(1);
      server.terminate();
      RefusedConnections.await(server.uri());
      proxy.resume();
      GitResult result = push.get();
      assertThat(result.ok()).as("%s\n%s", result, server.log()).isTrue();
      assertThat(server.awaitEnd()).isEqualTo(TERMINATED);
      assertThat(server.complaints()).isEmpty();
    }
    assertThat(store.unfinishedUploads()).isZero();
    try (RunningServer server = ServerInJvm.start(store)) {
      GitAssertions.assertSound(git, server.url("r"));
      assertThat(git.run("ls-remote", server.url("r"), "refs/heads/main"))
          .startsWith(work.run("rev-parse", "main"));
    }
  }

  @Test
  void push_beyond_the_wait_of_a_stopping_server_is_cut_and_leaves_nothing() throws Exception {
    try (RunningServer server = ServerInJvm.start(store)) {
      work.run("push", "-q", server.url("r"), "main");
    }
    String stats = Command.run(store, "stats", "r", "--json").succeeds().stdout();
    List<String> keys = store.keys();
    work.commitRandomFile("large", PACK, SEED);
    try (ServerProcess server = ServerProcess.start(store, "--shutdown-timeout", "1");
        PausingProxy proxy = PausingProxy.before(server.uri(), PACK / 2)) {
      Future<GitResult> push = pushInBackground(proxy);
      proxy.awaitPause();
      awaitUploads(1);
      server.terminate();
      assertThat(server.awaitEnd()).isEqualTo(TERMINATED);
      assertThat(store.unfinishedUploads()).isZero();
      proxy.resume();
      GitResult result = push.get();
      assertThat(result.ok()).as("%s", result).isFalse();
      assertThat(result.stderr().lines().filter(line -> line.startsWith("fatal: ")))
          .as("%s", result)
          .containsExactly("fatal: the remote end hung up unexpectedly");
      assertThat(server.complaints())
          .hasSize(2)
          .anyMatch(line -> line.endsWith("requests still in flight after PT1S are cut off"))
          .anyMatch(line -> line.endsWith("POST /r.git/git-receive-pack: the client is gone"));
    }
    assertThat(Command.run(store, "stats", "r", "--json").succeeds().stdout()).isEqualTo(stats);
    assertThat(store.keys()).isEqualTo(keys);
  }

  @Holds(
      "ShutdownHook: A manager that is closed, or a command that is told to stop, aborts its open "
          + "uploads")
  @Test
  @Tag("long") // TransferIT kills an import
  void import_that_is_told_to_stop_leaves_nothing_and_says_so_in_one_line() throws Exception {
    work.commitRandomFile("large", PACK, SEED);
    Path err = Files.createFile(scratch.resolve("import.err"));
    try (ServerProcess server = ServerProcess.start(store)) {
      work.run("push", "-q", server.url("r"), "main");
      try (PausingProxy proxy = PausingProxy.after(server.uri(), PACK / 2)) {
        Path out = scratch.resolve("import.out");
        Process process = store.start(out, err, "import", proxy.url("r"), "copy");
        try {
          proxy.awaitPause();
          awaitUploads(1);
          process.toHandle().destroy();
          awaitUploads(0);
          proxy.resume();
          assertThat(process.waitFor()).isEqualTo(TERMINATED);
        } finally {
          process.destroyForcibly().waitFor();
        }
      }
    }
    assertThat(Files.readAllLines(err))
        .hasSize(1)
        .allMatch(line -> line.startsWith("jgit-s3: told to stop: "));
    assertThat(Command.run(store, "list").succeeds().stdout()).isEqualTo("r\n");
    assertThat(store.unfinishedUploads()).isZero();
  }

  private Future<GitResult> pushInBackground(PausingProxy proxy) {
    return background.submit(() -> work.attempt("push", "-q", proxy.url("r"), "main"));
  }

  private void awaitUploads(int count) {
    ConcurrentTasks.waitWhile(() -> store.unfinishedUploads() != count);
  }
}
