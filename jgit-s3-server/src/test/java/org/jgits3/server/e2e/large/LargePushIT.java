// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e.large;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jgits3.server.e2e.process.Command;
import org.jgits3.server.e2e.process.PausingProxy;
import org.jgits3.server.e2e.process.ServedStore;
import org.jgits3.server.e2e.process.ServerProcess;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.Holds;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Pushes of packs that are larger than the heap of the server. {@code -Dpush.megabytes=N} makes
 * them larger than CI has time for, {@code -Dpush.streams=N} makes more at once, for which {@code
 * -Dpush.heap=N} gives the server more MiB.
 */
@Holds(
    "PackUploads, ReadBack, Quarantine: Large pushes take no more memory than the server's heap "
        + "allows. If it is killed, the repository stays sound.")
@Timeout(value = 60, unit = TimeUnit.MINUTES)
class LargePushIT {
  private static final int MEGABYTES = Integer.getInteger("push.megabytes", 128);
  private static final int STREAMS = Integer.getInteger("push.streams", 2);

  /** The heap that the packs have to get through, in MiB. */
  private static final int HEAP = Integer.getInteger("push.heap", 96);

  /**
   * Memory of a JVM beside its heap, in MiB, however much is pushed: code, threads, buffers of
   * connections. Measured: some 140.
   */
  private static final int BESIDE_HEAP = 256;

  /**
   * Memory that a JVM takes after a third of the bytes, in MiB, however many there are: compiled
   * code and stacks. Measured: 1 to 4. One pack alone would be {@link #MEGABYTES}.
   */
  private static final int LATER = 64;

  private static final int BLOB = 1 << 20;

  @TempDir private Path scratch;
  private GitClient source;
  private S3Server s3;
  private ServedStore store;

  @BeforeEach
  void generate() throws IOException {
    s3 = S3Servers.require();
    store = ServedStore.bucket(s3, scratch);
    GitClient git = GitClient.in(scratch);
    git.run("init", "-q", "--bare", "source.git");
    source = git.at("source.git");
    source.run("config", "core.compression", "0");
    source.run("config", "pack.window", "0"); // no delta makes these smaller
    source.run(LargePushIT::writeHistory, "fast-import", "--quiet", "--done", "--depth=0");
  }

  /** Two commits: a small one, and one of bytes that cannot be compressed. */
  private static void writeHistory(OutputStream out) throws IOException {
    line(out, "commit refs/heads/small\ncommitter A <a@example.com> 1 +0000\ndata 5\nsmall\n");
    line(out, "commit refs/heads/large\ncommitter A <a@example.com> 2 +0000\ndata 5\nlarge");
    line(out, "from refs/heads/small");
    Random random = new Random(MEGABYTES);
    byte[] content = new byte[BLOB];
    for (int i = 0; i < MEGABYTES; i++) {
      random.nextBytes(content);
      line(out, "M 644 inline file-" + i + "\ndata " + BLOB);
      out.write(content);
      line(out, "");
    }
    line(out, "done");
  }

  private static void line(OutputStream out, String text) throws IOException {
    out.write((text + "\n").getBytes(StandardCharsets.US_ASCII));
  }

  private void isSound(String name) {
    assertThat(Command.run(store, "verify", name).succeeds().stdout()).contains("is sound");
  }

  private void push(ServerProcess server, String name, String branch) {
    source.run("push", "-q", server.url(name), branch);
  }

  @Test
  @Tag("long") // SharedPartBuffersTest has streams of more than all buffers
  void packs_larger_than_the_heap_are_pushed_at_once_and_memory_stays_bounded() throws Exception {
    ExecutorService clients = Executors.newFixedThreadPool(STREAMS);
    long third = MEGABYTES * (long) BLOB * STREAMS / 3;
    try (ServerProcess server = ServerProcess.startWithWholeHeap(HEAP, store, "--create-on-push");
        PausingProxy proxy = PausingProxy.before(server.uri(), third)) {
      List<Future<?>> pushes = new ArrayList<>();
      for (int i = 0; i < STREAMS; i++) {
        String url = proxy.url("r" + i);
        pushes.add(clients.submit(() -> source.run("push", "-q", url, "large")));
      }
      proxy.awaitPause();
      int first = server.mostResidentMegabytes();
      proxy.resume();
      for (Future<?> push : pushes) {
        push.get();
      }
      int most = server.mostResidentMegabytes();
      assertThat(first).isGreaterThanOrEqualTo(HEAP);
      assertThat(most - first).isLessThanOrEqualTo(LATER);
      assertThat(most).isLessThanOrEqualTo(HEAP + BESIDE_HEAP);
    } finally {
      clients.shutdownNow();
    }
    for (int i = 0; i < STREAMS; i++) {
      isSound("r" + i);
    }
  }

  @Test
  @Tag("long") // GitEndToEndIT kills servers, SweepTest ends uploads
  void a_server_killed_amid_a_large_push_leaves_a_sound_repository() throws Exception {
    try (ServerProcess server = ServerProcess.start(store, "--create-on-push")) {
      push(server, "r", "small");
    }
    ExecutorService client = Executors.newSingleThreadExecutor();
    try (PausingProxy proxy = PausingProxy.before(s3.endpoint(), MEGABYTES * (BLOB / 2L))) {
      ServedStore slow = store.through(proxy.uri(), Files.createDirectory(scratch.resolve("c")));
      try (ServerProcess doomed = ServerProcess.start(slow)) {
        Future<Boolean> pushing =
            client.submit(() -> source.attempt("push", "-q", doomed.url("r"), "large").ok());
        proxy.awaitPause();
        doomed.kill();
        proxy.resume();
        assertThat(pushing.get()).isFalse();
      }
    } finally {
      client.shutdownNow();
    }
    isSound("r");
    assertThat(store.unfinishedUploads()).isOne(); // TransferIT has what the doctor says of it
    try (ServerProcess server = ServerProcess.start(store)) {
      assertThat(source.run("ls-remote", server.url("r"))).doesNotContain("large");
      push(server, "r", "large");
    }
    isSound("r");
    Command.run(store, "sweep", "r", "--grace-hours", "0").succeeds();
    Command.run(store, "sweep", "r", "--grace-hours", "0").succeeds();
    assertThat(store.unfinishedUploads()).isZero();
    isSound("r");
  }
}
