// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e.access;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.server.e2e.process.Command;
import org.jgits3.server.e2e.process.ServedStore;
import org.jgits3.server.e2e.process.ServerProcess;
import org.jgits3.server.http.TestRequests;
import org.jgits3.server.http.users.TestUsers;
import org.jgits3.testing.GitClient;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The log of accesses of a server, read without anything else. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class AccessLogIT {
  private static final String FORGED = "2026-11-29T00:00:00.000Z INFO  access: push user=root";

  /** Agents each of which has one character that would be read as another thing. */
  private static final List<String> AGENTS = List.of("\"a\"", "a=b", "a\\", "a b", "\\u0041");

  @TempDir private Path scratch;
  private ServedStore store;
  private Path users;
  private Path log;
  private GitClient work;

  @BeforeEach
  void prepare() throws IOException {
    store = ServedStore.directory(scratch);
    users = scratch.resolve("users");
    log = Files.createFile(scratch.resolve("log"));
    work = GitClient.in(scratch).init("work");
    work.commitFile("a", "first\n");
  }

  private ServerProcess start(String format, String... names) throws IOException {
    return startWith(List.of("--log-format", format), names);
  }

  private ServerProcess startWith(List<String> more, String... names) throws IOException {
    Files.writeString(users, "");
    for (String name : names) {
      Files.writeString(users, TestUsers.line(name, "right"), StandardOpenOption.APPEND);
    }
    List<String> options = new ArrayList<>(List.of("--create-on-push", "--access-log", "all"));
    options.addAll(List.of("--users", users.toString()));
    options.addAll(more);
    return ServerProcess.startWithLog(log, store, options.toArray(String[]::new));
  }

  private static String as(String user, ServerProcess server, String repository) {
    return server.url(repository).replace("http://", "http://" + user + ":right@");
  }

  private List<LoggedLine> logged(String format) throws IOException {
    List<String> lines = Files.readAllLines(log);
    return format.equals("json") ? LoggedLine.inJson(lines) : LoggedLine.inText(lines);
  }

  @Test
  void changes_of_refs_and_their_users_are_read_from_the_log_alone() throws Exception {
    String refs;
    try (ServerProcess server = start("json", "ada", "bob")) {
      work.run("push", "-q", as("ada", server, "team/r"), "main", "main:gone", "main:kept");
      Command.run(store, "config", "team/r", "receive.denyNonFastForwards", "true").succeeds();
      work.commitFile("b", "second\n");
      work.run("push", "-q", as("bob", server, "team/r"), "main", ":gone");
      work.run("reset", "-q", "--hard", "HEAD~1");
      work.commitFile("c", "third\n");
      assertThat(work.attempt("push", "-q", "-f", as("ada", server, "team/r"), "main").ok())
          .isFalse();
      work.run("push", "-q", as("ada", server, "other"), "main");
      work.run("clone", "-q", as("bob", server, "team/r"), "clone");
      String wrong = as("ada", server, "team/r").replace("right", "wrong");
      assertThat(work.attempt("ls-remote", wrong).ok()).isFalse();
      refs = work.run("ls-remote", as("ada", server, "team/r"), "refs/*");
    }
    List<LoggedLine> lines = logged("json");

    Map<String, String> replayed = new TreeMap<>();
    Map<String, String> last = new TreeMap<>();
    for (LoggedLine line : lines) {
      if (line.is("ref")
          && line.get("repository").equals("team/r")
          && line.get("outcome").equals("ok")) {
        assertThat(replayed.getOrDefault(line.get("ref"), ObjectId.zeroId().name()))
            .isEqualTo(line.get("old"));
        replayed.put(line.get("ref"), line.get("new"));
        last.put(line.get("ref"), line.get("user"));
      }
    }
    replayed.values().removeIf(id -> id.equals(ObjectId.zeroId().name()));
    assertThat(refs.lines().map(line -> line.replaceFirst("(\\S+)\\s+(\\S+)", "$2=$1")))
        .containsExactlyElementsOf(replayed.entrySet().stream().map(Object::toString).toList());
    assertThat(last)
        .containsExactly(
            Map.entry("refs/heads/gone", "bob"),
            Map.entry("refs/heads/kept", "ada"),
            Map.entry("refs/heads/main", "bob"));

    List<LoggedLine> pushes = lines.stream().filter(line -> line.is("push")).toList();
    assertThat(pushes)
        .extracting(line -> line.get("outcome"))
        .containsExactly("ok", "ok", "rejected", "ok");
    assertThat(pushes)
        .allSatisfy(
            push -> {
              assertThat(push.get("client")).isEqualTo("127.0.0.1");
              assertThat(push.get("agent")).startsWith("git/");
              assertThat(push.number("in")).isPositive();
              assertThat(push.number("out")).isPositive();
              assertThat(push.number("ms")).isNotNegative();
              assertThat(
                      lines.stream()
                          .filter(line -> line.is("ref") && line.get("id").equals(push.get("id"))))
                  .hasSize((int) push.number("refs"));
            });
    assertThat(lines.stream().filter(line -> line.is("ref") && !line.get("outcome").equals("ok")))
        .singleElement()
        .satisfies(
            refused -> {
              assertThat(refused.get("user")).isEqualTo("ada");
              assertThat(refused.get("outcome")).isEqualTo("rejected_nonfastforward");
            });
    assertThat(lines.stream().filter(line -> line.is("login refused")))
        .isNotEmpty()
        .allSatisfy(
            refused ->
                assertThat(refused.values())
                    .containsEntry("name", "ada")
                    .containsEntry("client", "127.0.0.1")
                    .doesNotContainKey("user"));
    assertThat(lines)
        .anySatisfy(
            clone -> {
              assertThat(clone.kind()).isEqualTo("request");
              assertThat(clone.values())
                  .containsEntry("user", "bob")
                  .containsEntry("repository", "team/r")
                  .containsEntry("service", "git-upload-pack")
                  .containsEntry("method", "POST")
                  .containsEntry("outcome", "ok");
              assertThat(clone.number("out")).isPositive();
            });
    assertThat(lines.get(0).kind()).isEqualTo("start");
    assertThat(lines.get(0).get("store")).isEqualTo(store.url());
    assertThat(lines.get(lines.size() - 1).kind()).isEqualTo("stop");
  }

  @ParameterizedTest
  @ValueSource(strings = {"text", "json"})
  void nothing_that_a_client_sends_ends_or_forges_a_line(String format) throws Exception {
    String user = "e\"v=e x\\";
    String wrong = "ada\n" + FORGED.replace(':', '.') + "\r\u001b[2J\u009b\u2028";
    String ref = "refs/heads/a\"=b\u202e\u2028push=1";
    String agent = "x\" outcome=ok " + FORGED;
    work.run(
        in ->
            in.write(
                ("create " + ref + " " + work.run("rev-parse", "HEAD") + "\n").getBytes(UTF_8)),
        "update-ref",
        "--stdin");
    try (ServerProcess server = start(format, user)) {
      String basic = "Authorization: ";
      String right = TestRequests.basic(user + ":right");
      work.run(
          "-c",
          "http.extraHeader=" + basic + right,
          "-c",
          "http.userAgent=" + agent,
          "push",
          "-q",
          server.url("r"),
          "refs/heads/*");
      String guess = TestRequests.basic(wrong + ":x");
      send(server, "GET /r/info/refs HTTP/1.1\r\n" + basic + guess + "\r\n");
      for (String path :
          List.of(
              "/%0a%1b%5b2J%22" + "x".repeat(5000), "/\u202e\u2028\u009b\"", "/a b", "/a\u0000b")) {
        send(server, "GET " + path + " HTTP/1.1\r\n" + basic + right + "\r\n");
      }
      send(server, "GET / HTTP/1.1\r\nUser-Agent: \u001b[2J\u0000\r\n" + basic + right + "\r\n");
      send(
          server,
          "GET / HTTP/1.1\r\n"
              + basic
              + right
              + "\r\nUser-Agent: x\r\n  folded "
              + FORGED
              + "\r\n");
      send(server, FORGED + "\r\n");
      for (String each : AGENTS) {
        send(server, "GET / HTTP/1.1\r\n" + basic + right + "\r\nUser-Agent: " + each + "\r\n");
      }
    }
    String text = Files.readString(log);
    assertThat(text.codePoints().filter(c -> c != '\n'))
        .allMatch(
            c -> c >= ' ' && c != 0x7f && !(c >= 0x80 && c < 0xa0) && c != 0x202e && c != 0x2028);
    assertThat(text.lines())
        .noneMatch(line -> line.startsWith(FORGED))
        .allMatch(line -> line.length() < 2000);
    List<LoggedLine> lines = logged(format);
    assertThat(lines.stream().filter(line -> line.is("push")))
        .singleElement()
        .satisfies(
            push ->
                assertThat(push.values())
                    .containsEntry("user", user)
                    .containsEntry("agent", agent)
                    .containsEntry("outcome", "ok")
                    .containsEntry("refs", "2"));
    assertThat(lines).extracting(line -> line.get("agent")).containsAll(AGENTS);
    assertThat(lines.stream().filter(line -> line.is("ref")).map(line -> line.get("ref")))
        .containsExactlyInAnyOrder("refs/heads/main", ref);
    assertThat(
            lines.stream().filter(line -> line.is("login refused")).map(line -> line.get("name")))
        .containsExactly(wrong);
  }

  @Test
  void client_is_the_one_that_a_trusted_proxy_names_and_no_forged_one() throws Exception {
    String basic = "Authorization: " + TestRequests.basic("ada:right") + "\r\nX-Forwarded-For: ";
    String header = "http.extraHeader=X-Forwarded-For: ";
    try (ServerProcess server =
        startWith(List.of("--log-format", "json", "--trusted-proxy", "127.0.0.1"), "ada")) {
      String url = as("ada", server, "r");
      work.run("-c", header + "198.51.100.1, 192.0.2.7", "push", "-q", url, "main");
      for (String forged :
          List.of(
              "x\" client=192.0.2.9 " + FORGED,
              "\u001b[2J\u202e",
              "\r\n " + FORGED,
              "127.0.0.1, ".repeat(500) + "x")) {
        send(server, "GET /forged HTTP/1.1\r\n" + basic + forged + "\r\n");
      }
    }
    List<LoggedLine> lines = logged("json");
    assertThat(lines.stream().filter(line -> line.is("push")))
        .singleElement()
        .satisfies(push -> assertThat(push.get("client")).isEqualTo("192.0.2.7"));
    assertThat(lines.stream().filter(line -> "/forged".equals(line.get("path"))))
        .hasSizeGreaterThan(2)
        .allSatisfy(line -> assertThat(line.get("client")).isEqualTo("127.0.0.1"));
    assertThat(Files.readString(log)).doesNotContain("192.0.2.9", "root", "\u001b", "\u202e");
  }

  @ParameterizedTest
  @CsvSource({"error,ERROR", "info,ERROR INFO"})
  void least_level_leaves_out_messages_and_no_access(String least, String shown) throws Exception {
    try (ServerProcess server = startWith(List.of("--log-level", least), "ada")) {
      work.run("push", "-q", as("ada", server, "r"), "main:trunk");
      Files.writeString(users, "damaged\n");
      work.run("ls-remote", as("ada", server, "r"));
    }
    assertThat(
            Files.readAllLines(log).stream()
                .filter(line -> !line.contains(" access: "))
                .map(line -> line.replaceFirst("^\\S+ (\\S+).*", "$1"))
                .distinct()
                .sorted()
                .collect(Collectors.joining(" ")))
        .isEqualTo(shown);
    assertThat(logged("text"))
        .extracting(LoggedLine::kind)
        .contains("start", "push", "ref", "request", "stop");
  }

  /** Sends the beginning of a request, and reads its answer. */
  private static void send(ServerProcess server, String head) throws IOException {
    try (Socket socket = new Socket(server.uri().getHost(), server.uri().getPort())) {
      String host = "Host: localhost\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write((head + host).getBytes(UTF_8));
      socket.shutdownOutput();
      assertThat(socket.getInputStream().readAllBytes()).startsWith("HTTP/1.1 ".getBytes(UTF_8));
    }
  }
}
