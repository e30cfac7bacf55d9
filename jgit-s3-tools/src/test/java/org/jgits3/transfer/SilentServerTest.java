// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.internal.concurrent.DaemonThreads;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.MemoryObjectStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Imports from servers that accept a connection and then say nothing. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class SilentServerTest {
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private final ExecutorService threads =
      Executors.newCachedThreadPool(DaemonThreads.named("silent-server"));
  private ServerSocket listener;

  @BeforeEach
  void listen() throws IOException {
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  @AfterEach
  void close() throws IOException {
    listener.close();
    threads.shutdownNow();
  }

  private void assertGivenUp(String scheme) throws Exception {
    String url = scheme + "://127.0.0.1:" + listener.getLocalPort() + "/r.git";
    try (S3RepositoryManager manager =
            new S3RepositoryManager(new MemoryObjectStore(), S3Settings.ofUser());
        ImportSource source = ImportSource.open(url, PATIENCE)) {
      Importer importer = new Importer(manager, NullProgressMonitor.INSTANCE);
      assertThatIOException()
          .isThrownBy(() -> importer.run(source, RepositoryName.of("r")))
          .withMessage(url + ": the server was silent for 1 s, which is --timeout");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "git"})
  void server_that_sends_nothing_is_given_up(String scheme) throws Exception {
    assertGivenUp(scheme);
  }

  @Test
  void server_that_sends_refs_and_then_nothing_is_given_up() throws Exception {
    threads.execute(this::acceptAll);
    assertGivenUp("http");
  }

  private void acceptAll() {
    try {
      while (true) {
        Socket client = listener.accept();
        threads.execute(() -> answerGet(client));
      }
    } catch (IOException closed) {
      return;
    }
  }

  /** Answers the request for the refs, and no other. */
  private static void answerGet(Socket client) {
    String refs =
        "001e# service=git-upload-pack\n00000050"
            + "1".repeat(40)
            + " refs/heads/main\0multi_ack_detailed\n0000";
    try {
      BufferedReader in =
          new BufferedReader(new InputStreamReader(client.getInputStream(), ISO_8859_1));
      if (in.readLine().startsWith("GET")) {
        String head =
            "HTTP/1.1 200 OK\r\nContent-Type: application/x-git-upload-pack-advertisement\r\n"
                + ("Connection: close\r\nContent-Length: " + refs.length() + "\r\n\r\n");
        client.getOutputStream().write((head + refs).getBytes(ISO_8859_1));
      }
    } catch (IOException gone) {
      return;
    }
  }
}
