// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.hot;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.bench.proxy.HttpMessage;

/**
 * Pushes one commit after the other to a branch of its own, by the two requests that Git makes of a
 * small push, over one connection. It takes next to no processor time: a commit is made by hand,
 * and of the list of refs only its own line is read. Used by one thread at a time.
 */
final class PushingClient {
  private static final int BUFFER = 1 << 16;

  private final URI server;
  private final String path;
  private final String ref;
  private final RandomGenerator random;
  private final List<Push> pushes = new ArrayList<>();
  private ObjectId head = ObjectId.zeroId();

  /**
   * A push that was acknowledged.
   *
   * @param ended when, by {@link System#nanoTime}
   * @param nanos how long it took
   */
  private record Push(long ended, long nanos) {}

  /** An open connection. */
  private record Connection(Socket socket, InputStream in) {
    HttpMessage exchange(HttpMessage request) throws IOException {
      request.writeTo(socket.getOutputStream());
      HttpMessage answer = HttpMessage.readAnswer(in, request);
      if (answer.status() != 200) {
        throw new IOException("answered " + answer.head().lines().findFirst().orElse(""));
      }
      return answer;
    }
  }

  /**
   * A client that has not pushed yet.
   *
   * @param server the server
   * @param path path of the repository there
   * @param ref its branch
   * @param random chooses contents
   */
  PushingClient(URI server, String path, String ref, RandomGenerator random) {
    this.server = server;
    this.path = path;
    this.ref = ref;
    this.random = random;
  }

  /** Its branch. */
  String ref() {
    return ref;
  }

  /** Commit of the last push; {@link ObjectId#zeroId} before the first. */
  ObjectId head() {
    return head;
  }

  /** Number of pushes until now. */
  synchronized int count() {
    return pushes.size();
  }

  /** Nanoseconds that each push took which ended between two times of {@link System#nanoTime}. */
  synchronized double[] latencies(long from, long to) {
    return pushes.stream()
        .filter(push -> push.ended() - from >= 0 && push.ended() - to < 0)
        .mapToDouble(Push::nanos)
        .toArray();
  }

  private synchronized void add(Push push) {
    pushes.add(push);
  }

  /**
   * Pushes until it is told to end.
   *
   * @param going returns false once no further push is to begin
   * @throws IOException if a push fails, or the server has another commit than was pushed last
   */
  void run(BooleanSupplier going) throws IOException {
    try (Socket socket = new Socket(server.getHost(), server.getPort())) {
      socket.setTcpNoDelay(true);
      Connection connection =
          new Connection(socket, new BufferedInputStream(socket.getInputStream(), BUFFER));
      while (going.getAsBoolean()) {
        SmallCommit commit = SmallCommit.on(head, random);
        long began = System.nanoTime();
        push(connection, commit);
        long ended = System.nanoTime();
        head = commit.id();
        add(new Push(ended, ended - began));
      }
    } catch (IOException e) {
      throw new IOException("a push to " + ref + ": " + e.getMessage(), e);
    }
  }

  private void push(Connection connection, SmallCommit commit) throws IOException {
    HttpMessage listing =
        connection.exchange(request("GET", "/info/refs?service=git-receive-pack", "", new byte[0]));
    if (!head.equals(ObjectId.zeroId()) && !lists(text(listing), head.name() + " " + ref)) {
      throw new IOException("the server does not list " + head.name() + ", which it acknowledged");
    }
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    String command = head.name() + " " + commit.id().name() + " " + ref + "\0report-status";
    body.write("%04x%s0000".formatted(command.length() + 4, command).getBytes(ISO_8859_1));
    body.write(commit.pack());
    HttpMessage report =
        connection.exchange(
            request(
                "POST",
                "/git-receive-pack",
                "Content-Type: application/x-git-receive-pack-request\r\n",
                body.toByteArray()));
    String text = text(report);
    if (!text.contains("unpack ok\n") || !text.contains("ok " + ref + "\n")) {
      throw new IOException("reported " + text.replace('\n', ' ').strip());
    }
  }

  /** Tests whether a ref is listed; the first one has the capabilities on its line. */
  private static boolean lists(String listing, String line) {
    return listing.contains(line + "\n") || listing.contains(line + "\0");
  }

  private HttpMessage request(String method, String service, String headers, byte[] body) {
    String head =
        "%s %s%s HTTP/1.1\r\nHost: %s\r\n%sContent-Length: %d\r\n\r\n"
            .formatted(method, path, service, server.getAuthority(), headers, body.length);
    return new HttpMessage(head, body);
  }

  private static String text(HttpMessage answer) throws IOException {
    return new String(answer.content(), ISO_8859_1);
  }
}
