// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jgits3.server.e2e.process.ServedStore;
import org.jgits3.server.e2e.process.ServerProcess;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.GitResult;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * More clones of a repository without bitmaps at a time than the heap of the server has room for.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class ManyClonesIT {
  private static final int CLIENTS = 8;

  /** Heap of the server, in MiB. */
  private static final int HEAP = 80;

  /** One clone takes less than a quarter of the heap, as many as are served at a time too much. */
  private static final int FILES = 90_000;

  private static final int FILES_OF_DIRECTORY = 300;
  @TempDir private Path scratch;

  private static void writeHistory(OutputStream out) throws IOException {
    StringBuilder text = new StringBuilder();
    text.append("commit refs/heads/main\ncommitter A <a@example.com> 1 +0000\ndata 4\nmany\n");
    for (int i = 0; i < FILES; i++) {
      String content = "%06d".formatted(i);
      text.append("M 644 inline ").append(i / FILES_OF_DIRECTORY).append('/').append(content);
      text.append("\ndata 6\n").append(content).append('\n');
    }
    text.append("done\n");
    out.write(text.toString().getBytes(StandardCharsets.US_ASCII));
  }

  /** Clones, and again while the server says that it is busy. */
  private static GitResult fetch(GitClient git, String url, String into) {
    return BusyServer.retry(() -> git.attempt("clone", "-q", "--bare", url, into));
  }

  @Tag("long") // TransferLimitsTest: a_clone_waits_for_all_of_its_memory_before_it_takes_any
  @Test
  void clones_at_once_succeed_within_the_memory_there_is() throws Exception {
    ServedStore store = ServedStore.directory(scratch);
    GitClient git = GitClient.in(scratch);
    git.run("init", "-q", "--bare", "source.git");
    GitClient source = git.at("source.git");
    source.run(ManyClonesIT::writeHistory, "fast-import", "--quiet", "--done");
    ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    try (ServerProcess server = ServerProcess.startWithWholeHeap(HEAP, store, "--create-on-push")) {
      String url = server.url("r");
      source.run("push", "-q", url, "main");
      List<Future<GitResult>> clones = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        String into = "clone" + i;
        clones.add(clients.submit(() -> fetch(git, url, into)));
      }
      for (Future<GitResult> clone : clones) {
        assertThat(clone.get().ok()).as("%s", clone.get()).isTrue();
      }
      assertThat(server.log()).doesNotContain("OutOfMemoryError");
    } finally {
      clients.shutdownNow();
    }
  }
}
