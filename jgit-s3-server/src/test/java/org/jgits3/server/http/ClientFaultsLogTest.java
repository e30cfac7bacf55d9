// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.transport.PacketLineOut;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.server.terminal.Logging;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.testing.ForgedPack;
import org.jgits3.testing.aid.GitRequests;
import org.jgits3.testing.aid.RandomBytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Faults of clients are one line in the log of a server each, beside that of the access. */
class ClientFaultsLogTest {
  private static final String WANT = "want " + "1".repeat(40);
  private static final String PUSH = "receive-pack";
  private static final String FETCH = "upload-pack";

  private final Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
  private final Logger project = (Logger) LoggerFactory.getLogger("org.jgits3");
  private final Queue<ILoggingEvent> events = new ConcurrentLinkedQueue<>();
  private final Queue<ILoggingEvent> accesses = new ConcurrentLinkedQueue<>();
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          (event.getLoggerName().equals(Logging.ACCESS) ? accesses : events).add(event);
        }
      };

  private S3RepositoryManager manager;
  private GitHttpServer server;
  private Level before;

  @BeforeEach
  void start() throws Exception {
    before = project.getLevel();
    project.setLevel(Level.INFO); // as Logging.server
    appender.start();
    root.addAppender(appender);
    manager = TestRepositories.manager(new MemoryObjectStore());
    manager.createRepository("r").close();
    server = GitHttpServer.builder().createOnPush(true).maxPackSize(1 << 20).start(manager);
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
    manager.close();
    root.detachAppender(appender);
    project.setLevel(before);
  }

  /** Sends a request, and waits for its whole answer. */
  private String post(String service, byte[] body) throws IOException {
    return TestRequests.exchange(server.uri(), request(service, body, body.length));
  }

  /** Sends a part of a request, reads a part of its answer, and closes the connection. */
  private void hangUp(String service, byte[] body, int missing, int read) throws IOException {
    try (Socket socket = new Socket(server.uri().getHost(), server.uri().getPort())) {
      socket.getOutputStream().write(request(service, body, body.length + missing));
      assertThat(socket.getInputStream().readNBytes(read)).hasSize(read);
      socket.setSoLinger(true, 0);
    }
  }

  private byte[] request(String service, byte[] body, int length) {
    String head =
        """
        POST /r.git/git-%1$s HTTP/1.1
        Host: %2$s
        Connection: close
        Content-Type: application/x-git-%1$s-request
        Content-Length: %3$d
        Git-Protocol: version=%4$d

        """
            .replace("\n", "\r\n");
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    request.writeBytes(
        head.formatted(service, server.uri().getAuthority(), length, protocol(body))
            .getBytes(UTF_8));
    request.writeBytes(body);
    return request.toByteArray();
  }

  private static int protocol(byte[] body) {
    return new String(body, ISO_8859_1).startsWith("command=", 4) ? 2 : 0;
  }

  /** Waits for the requests in flight, and compares all lines that they logged. */
  private void assertLogged(String line) throws IOException {
    server.close();
    assertThat(events)
        .hasSize(1)
        .allSatisfy(
            event -> {
              assertThat(event.getFormattedMessage()).startsWith(line);
              assertThat(event.getLevel()).isEqualTo(Level.INFO);
              assertThat(event.getThrowableProxy()).isNull();
            });
  }

  /** Compares the lines of the one push, which failed, and of its one ref. */
  private void assertPushIsKnown() {
    List<String> lines =
        accesses.stream().map(line -> line.getMessage() + line.getKeyValuePairs()).toList();
    assertThat(lines).hasSize(4); // with start and stop
    assertThat(lines.get(1))
        .startsWith("push")
        .contains("repository=\"r\"", "refs=\"1\"", "outcome=\"failed\"");
    assertThat(lines.get(2))
        .startsWith("ref")
        .contains("ref=\"refs/heads/main\"", "outcome=\"not_attempted\"");
  }

  /** Waits until something is logged, since a client that is gone gets no answer to wait for. */
  private void awaitEvent() {
    ConcurrentTasks.waitWhile(events::isEmpty);
  }

  @Test
  void client_that_hangs_up_in_the_pack_of_a_push_is_one_line() throws Exception {
    byte[] push = ScriptedPush.firstCommit("file", RandomBytes.of(100_000, 1)).body();
    hangUp(PUSH, Arrays.copyOf(push, push.length / 2), push.length / 2, 0);
    awaitEvent();
    assertLogged("POST /r.git/git-receive-pack: the client is gone");
    assertPushIsKnown();
    assertThat(accesses).anyMatch(line -> line.getKeyValuePairs().toString().contains("cut_off"));
  }

  @Test
  void client_that_hangs_up_in_the_answer_of_a_fetch_is_one_line() throws Exception {
    ObjectId id;
    try (S3Repository r = manager.openRepository("r")) {
      id = TestRepositories.blob(r, RandomBytes.of(16 << 20, 1));
      TestRepositories.createRef(r, "refs/tags/large", id);
    }
    hangUp(FETCH, ("0032want " + id.name() + "\n00000009done\n").getBytes(UTF_8), 0, 1000);
    awaitEvent();
    assertLogged("POST /r.git/git-upload-pack: the client is gone");
  }

  @Test
  void push_with_a_damaged_pack_is_one_line() throws Exception {
    byte[] push = ScriptedPush.firstCommit("file", "content".getBytes(UTF_8)).body();
    push[push.length - 30] ^= 1;
    assertThat(post(PUSH, push)).contains("unpack error");
    assertLogged("receive-pack to r: ");
    assertPushIsKnown();
  }

  @Test
  void push_with_half_a_pack_is_one_line() throws Exception {
    byte[] push = ScriptedPush.firstCommit("file", RandomBytes.of(100_000, 1)).body();
    assertThat(post(PUSH, Arrays.copyOf(push, push.length / 2))).contains("unpack error");
    assertLogged("receive-pack to r: Packfile is truncated");
    assertPushIsKnown();
  }

  @Test
  void push_with_a_pack_that_is_too_large_is_one_line() throws Exception {
    byte[] push = ScriptedPush.firstCommit("file", RandomBytes.of(3 << 20, 1)).body();
    assertThat(post(PUSH, push)).contains("unpack error");
    assertLogged("receive-pack to r: Pack exceeds the limit of 1,048,576 bytes");
  }

  @Test
  void name_that_no_repository_can_have_is_no_error_of_the_server() throws Exception {
    for (String name :
        List.of(
            "../outside",
            "..%2foutside",
            "%2e%2e/outside",
            "a//b",
            "a%2F%2Fb",
            "a.lock",
            "a%00b",
            "a%0ab",
            "a%5Cb",
            "%ff%fe",
            "x".repeat(300))) {
      String get = "GET /" + name + "/info/refs?service=git-receive-pack HTTP/1.1\r\n";
      byte[] request = (get + "Host: localhost\r\nConnection: close\r\n\r\n").getBytes(UTF_8);
      assertThat(TestRequests.exchange(server.uri(), request))
          .as(name)
          .matches("(?s)HTTP/1\\.1 40[04] .*");
    }
    server.close();
    assertThat(events).noneMatch(event -> event.getThrowableProxy() != null);
    assertThat(manager.list()).containsExactly("r");
  }

  private static Stream<Arguments> unreadable() {
    String number = "expected a number of up to 2147483647 after ";
    return Stream.of(
        arguments("want x", "expected an object id after want"),
        arguments(WANT + " x", "expected an object id after want"),
        arguments("have 123", "expected an object id after have"),
        arguments("have ", "expected an object id after have"),
        arguments("shallow 123", "expected an object id after shallow"),
        arguments("shallow " + "1".repeat(40) + " x", "expected an object id after shallow"),
        arguments("deepen x", number + "deepen"),
        arguments("deepen ", number + "deepen"),
        arguments("deepen 99999999999", number + "deepen"),
        arguments("deepen-since 5 ", number + "deepen-since"),
        arguments("deepen-since 4000000000", number + "deepen-since"));
  }

  @ParameterizedTest
  @MethodSource("unreadable")
  void fetch_with_a_line_that_cannot_be_read_is_told_why(String line, String reason)
      throws Exception {
    assertTold(GitRequests.command("fetch", WANT, line, "done"), reason);
  }

  @ParameterizedTest
  @MethodSource("unreadable")
  void old_fetch_with_a_line_that_cannot_be_read_is_told_why(String line, String reason)
      throws Exception {
    assertTold(GitRequests.of(out -> writeAll(out, WANT, line)), reason);
  }

  /** As a client whose branch was rewritten does, which knows the old tip. */
  @ParameterizedTest
  @ValueSource(strings = {"deepen 1", "deepen-since 5"})
  void fetch_of_a_part_of_the_history_of_an_unknown_commit_is_told_why(String line)
      throws Exception {
    assertTold(GitRequests.command("fetch", WANT, line, "done"), WANT + " not valid");
  }

  @ParameterizedTest
  @ValueSource(strings = {"deepen 1", "deepen-since 5"})
  void old_fetch_of_a_part_of_the_history_of_an_unknown_commit_is_told_why(String line)
      throws Exception {
    assertTold(
        GitRequests.of(
            out -> {
              writeAll(out, WANT, line);
              out.end();
            }),
        WANT + " not valid");
  }

  @ParameterizedTest
  @ValueSource(strings = {"shallow", "have", "want"})
  void fetch_that_names_many_ids_of_one_hash_code_is_refused(String word) throws Exception {
    String[] lines =
        IntStream.range(0, 1_500)
            .mapToObj(i -> word + " %08x".formatted(i) + "0".repeat(32))
            .toArray(String[]::new);
    assertTold(GitRequests.command("fetch", lines), "too many object ids of the request are alike");
  }

  @ParameterizedTest
  @ValueSource(strings = {"%2$s %1$s", "%1$s %2$s", "shallow %1$s"})
  void push_that_names_many_ids_of_one_hash_code_is_refused(String line) throws Exception {
    byte[] push =
        GitRequests.of(
            out -> {
              for (int i = 0; i < 1_500; i++) {
                String id = "%08x".formatted(i) + "0".repeat(32);
                out.writeString(line.formatted(id, "0".repeat(40)) + " refs/heads/x" + i);
              }
            });
    assertThat(post(PUSH, push)).contains("too many object ids of the request are alike");
  }

  /** Commands that are refused, and such that change nothing, beside one that does. */
  @ParameterizedTest
  @ValueSource(strings = {"%3$s %1$s refs/heads/%2$d", "%1$s %1$s refs/heads/main"})
  void commands_of_a_push_that_change_nothing_are_a_hundred_lines(String line) throws Exception {
    String zero = ObjectId.zeroId().name();
    String main;
    String other;
    try (S3Repository r = manager.openRepository("r")) {
      List<ObjectId> commits = TestRepositories.history(r, "main", 2);
      TestRepositories.createRef(r, "refs/heads/main", commits.get(1));
      main = commits.get(1).name();
      other = commits.get(0).name();
    }
    byte[] push =
        GitRequests.of(
            out -> {
              for (int i = 0; i < 300; i++) {
                out.writeString(line.formatted(main, i, other));
              }
              out.writeString(zero + " " + main + " refs/heads/new");
            });
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    body.writeBytes(push);
    body.writeBytes(new ForgedPack(0).closed());
    post(PUSH, body.toByteArray());
    server.close();

    List<String> lines =
        accesses.stream().map(access -> access.getMessage() + access.getKeyValuePairs()).toList();
    assertThat(lines).hasSize(104); // with the one that changed, push, start and stop
    assertThat(lines.get(1)).startsWith("push").contains("refs=\"301\", left_out=\"200\"");
    assertThat(lines.get(102)).contains("ref=\"refs/heads/new\"", "outcome=\"ok\"");
  }

  /** Ends of a history: an id, a ref, and a branch without a commit. */
  private static Stream<Arguments> unknownEnds() {
    String id = "1".repeat(40);
    return Stream.of(
        arguments(id, "deepen-not " + id + " not valid"),
        arguments("refs/heads/none", "Invalid ref name: refs/heads/none"),
        arguments("HEAD", "Invalid ref name: HEAD"));
  }

  @ParameterizedTest
  @MethodSource("unknownEnds")
  void fetch_of_a_history_that_ends_before_an_unknown_commit_is_told_why(String end, String reason)
      throws Exception {
    assertTold(GitRequests.command("fetch", wantBranch(), "deepen-not " + end, "done"), reason);
  }

  @ParameterizedTest
  @MethodSource("unknownEnds")
  void old_fetch_of_a_history_that_ends_before_an_unknown_commit_is_told_why(
      String end, String reason) throws Exception {
    String want = wantBranch();
    assertTold(
        GitRequests.of(
            out -> {
              writeAll(out, want, "deepen-not " + end);
              out.end();
            }),
        reason);
  }

  /** Makes a branch that is not that of HEAD, and wants its commit. */
  private String wantBranch() throws Exception {
    try (S3Repository r = manager.openRepository("r")) {
      ObjectId commit = TestRepositories.history(r, "branch", 1).get(0);
      TestRepositories.createRef(r, "refs/heads/branch", commit);
      return "want " + commit.name();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"fetch", "ls-refs"})
  void command_for_another_object_format_is_told_why(String command) throws Exception {
    byte[] request =
        GitRequests.of(
            out -> {
              writeAll(out, "command=" + command, "agent=git/2", "object-format=sha256");
              out.writeDelim();
            });
    assertTold(request, "mismatched object format: server sha1; client sha256");
  }

  private void assertTold(byte[] fetch, String reason) throws IOException {
    assertThat(post(FETCH, fetch)).startsWith("HTTP/1.1 200").endsWith("ERR " + reason + "\n");
    assertLogged("S3Repository[");
  }

  private static void writeAll(PacketLineOut out, String... lines) throws IOException {
    for (String line : lines) {
      out.writeString(line + "\n");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "zzzz,a packet of the request begins without its length",
    "00,a packet of the request begins without its length",
    "0003,a packet of the request begins without its length",
    "0032want,the request ends within a packet"
  })
  void fetch_that_is_no_packets_is_told_why(String request, String reason) throws Exception {
    assertTold(request.getBytes(UTF_8), reason);
  }
}
