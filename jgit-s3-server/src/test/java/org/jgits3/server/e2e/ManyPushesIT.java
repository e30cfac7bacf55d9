// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
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
import org.jgits3.testing.GitAssertions;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.GitResult;
import org.jgits3.testing.Holds;
import org.jgits3.testing.RandomSeed;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * More pushes at a time than the heap of the server has room for. {@code -Dpush.clients=N} makes
 * more, for which {@code -Dpush.heap=N} gives the server more MiB.
 */
@Holds(
    "GitRequestLimit, TransferLimits, PushParser, DeltaBases, S3Reader, LimitedRequest, "
        + "SendingReader: Requests, pushes and fetches stay within their shares of the heap. One that "
        + "does not fit is refused at once; only a clone waits.")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
@ExtendWith(RandomSeed.Named.class)
class ManyPushesIT {
  private static final long SEED = RandomSeed.first();
  private static final int CLIENTS = Integer.getInteger("push.clients", 40);

  /** Heap of the server, in MiB. */
  private static final int HEAP = Integer.getInteger("push.heap", 80);

  private static final int PACK = 3 << 20;

  /** Bytes of all packs after which all that clients send is held back at the same time. */
  private static final long HELD_BACK = 4L * PACK;

  @TempDir private Path scratch;
  private ServedStore store;
  private GitClient git;

  @BeforeEach
  void prepare() throws IOException {
    store = ServedStore.directory(scratch);
    git = GitClient.in(scratch);
    Random random = new Random(SEED);
    byte[] content = new byte[PACK];
    for (int i = 0; i < CLIENTS; i++) {
      git.run("init", "-q", name(i));
      random.nextBytes(content);
      Files.write(git.at(name(i)).directory().resolve("large"), content);
      git.at(name(i)).run("add", "large");
      git.at(name(i)).run("commit", "-q", "-m", "Add a large file");
    }
  }

  private static String name(int client) {
    return "r" + client;
  }

  /** Pushes, and again while the server says that it is busy. */
  private GitResult push(int client, PausingProxy proxy) {
    GitClient work = git.at(name(client));
    return BusyServer.retry(() -> work.attempt("push", "-q", proxy.url(name(client)), "main"));
  }

  @Test
  @Tag("long") // TransferLimitsTest has the waits
  void pushes_at_once_are_received_or_refused_within_the_memory_there_is() throws Exception {
    ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    try (ServerProcess server = ServerProcess.startWithWholeHeap(HEAP, store, "--create-on-push");
        PausingProxy proxy = PausingProxy.before(server.uri(), HELD_BACK)) {
      List<Future<GitResult>> pushes = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        int client = i;
        pushes.add(clients.submit(() -> push(client, proxy)));
      }
      proxy.awaitPause();
      proxy.resume();
      for (Future<GitResult> push : pushes) {
        assertThat(push.get().ok()).as("%s", push.get()).isTrue();
      }
      assertThat(server.log()).doesNotContain("OutOfMemoryError");
      GitAssertions.assertSound(git, server.url(name(0)));
    } finally {
      clients.shutdownNow();
    }
    assertThat(Command.run(store, "list").succeeds().stdout().lines()).hasSize(CLIENTS);
  }
}
