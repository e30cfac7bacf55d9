// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgits3.internal.concurrent.DaemonThreads;
import org.jgits3.server.e2e.process.ServedStore;
import org.jgits3.server.e2e.process.ServerProcess;
import org.jgits3.server.http.TestRequests;
import org.jgits3.server.http.users.TestUsers;
import org.jgits3.testing.GitClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients that guess passwords on many connections, beside a user of a server with a small heap.
 */
class PasswordGuessersIT {
  private static final int GUESSERS = 200;
  private static final int HEAP_MEGABYTES = 256;

  /** Cost that {@code htpasswd -B -C 10} gives. */
  private static final int COST = 10;

  @TempDir private Path scratch;

  @Test
  void two_hundred_guessers_fail_no_request_of_a_user() throws Exception {
    Path users = Files.writeString(scratch.resolve("users"), TestUsers.line("ada", COST, "right"));
    GitClient git = GitClient.in(scratch);
    GitClient work = git.init("work");
    String[] options = {"--create-on-push", "--users", users.toString(), "--shutdown-timeout", "0"};
    try (ServerProcess server =
            ServerProcess.startWithWholeHeap(
                HEAP_MEGABYTES, ServedStore.directory(scratch), options);
        Guessers guessers = new Guessers(server.uri())) {
      guessers.awaitAnswer();
      String url = server.url("r").replace("http://", "http://ada:right@");
      do {
        work.run("commit", "-q", "--allow-empty", "-m", "A change");
        work.run("push", "-q", url, "HEAD:refs/heads/main");
        work.run("fetch", "-q", url, "main");
      } while (guessers.answered() < GUESSERS);
      git.run("clone", "-q", url, "clone");
      assertThat(guessers.answers()).contains(401).isSubsetOf(401, 503);
      assertThat(server.log()).doesNotContain("OutOfMemoryError");
    }
  }

  /** Clients that post wrong passwords from an address of their own, each on one connection. */
  private static final class Guessers implements Closeable {
    private final URI server;
    private final Set<Integer> answers = ConcurrentHashMap.newKeySet();
    private final AtomicInteger answered = new AtomicInteger();
    private final List<Socket> sockets = new ArrayList<>();
    private final CountDownLatch first = new CountDownLatch(1);
    private final ExecutorService threads =
        Executors.newFixedThreadPool(GUESSERS, DaemonThreads.named("guesser"));

    Guessers(URI server) throws IOException {
      this.server = server;
      InetAddress address = InetAddress.getByName("127.0.0.2");
      for (int i = 0; i < GUESSERS; i++) {
        Socket socket = new Socket(server.getHost(), server.getPort(), address, 0);
        sockets.add(socket);
        String name = i % 2 == 0 ? "ada" : "user" + i;
        threads.execute(() -> guess(socket, name));
      }
    }

    private void guess(Socket socket, String name) {
      try {
        OutputStream out = socket.getOutputStream();
        BufferedReader in =
            new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII));
        for (int i = 0; ; i++) {
          out.write(post(name + ":" + i).getBytes(US_ASCII));
          answers.add(answer(in));
          answered.incrementAndGet();
          first.countDown();
        }
      } catch (IOException closed) {
        return; // at the end of the test
      }
    }

    private String post(String credentials) {
      return "POST /r.git/git-receive-pack HTTP/1.1\r\nHost: "
          + server.getAuthority()
          + "\r\nContent-Type: application/x-git-receive-pack-request\r\nContent-Length: 4\r\n"
          + "Authorization: "
          + TestRequests.basic(credentials)
          + "\r\n\r\n0000";
    }

    /** Reads an answer, and returns its status. */
    private static int answer(BufferedReader in) throws IOException {
      String status = line(in);
      int length = 0;
      for (String header = line(in); !header.isEmpty(); header = line(in)) {
        if (header.regionMatches(true, 0, "Content-Length:", 0, 15)) {
          length = Integer.parseInt(header.substring(15).strip());
        }
      }
      for (int i = 0; i < length; i++) {
        in.read();
      }
      return Integer.parseInt(status.split(" ", 3)[1]);
    }

    private static String line(BufferedReader in) throws IOException {
      String line = in.readLine();
      if (line == null) {
        throw new IOException("closed");
      }
      return line;
    }

    /** Waits until a guess has been answered. */
    void awaitAnswer() throws InterruptedException {
      assertThat(first.await(1, TimeUnit.MINUTES)).isTrue();
    }

    /** Number of guesses that have been answered. */
    int answered() {
      return answered.get();
    }

    /** Statuses of their answers. */
    Set<Integer> answers() {
      return answers;
    }

    @Override
    public void close() throws IOException {
      for (Socket socket : sockets) {
        socket.close();
      }
      threads.shutdown();
    }
  }
}
