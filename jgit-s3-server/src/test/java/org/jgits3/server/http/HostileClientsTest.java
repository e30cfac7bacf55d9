// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.transport.PacketLineOut;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.server.http.users.TestUsers;
import org.jgits3.server.http.users.UsersFile;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.testing.ForgedPack;
import org.jgits3.testing.PackBytes;
import org.jgits3.testing.aid.GitRequests;
import org.jgits3.testing.aid.Unchecked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What clients try that mean harm, byte by byte. */
class HostileClientsTest {
  private static final String REFS = "/r.git/info/refs?service=git-upload-pack";
  private static final String PUSH_REFS = "/r.git/info/refs?service=git-receive-pack";
  private static final String PUSH = "application/x-git-receive-pack-request";
  private static final String FETCH = "application/x-git-upload-pack-request";

  /** Time within which the server closes the connection of a refused request. */
  private static final int SECONDS_TO_CLOSE = 60;

  private final MemoryObjectStore store = new MemoryObjectStore();
  private final List<Socket> sockets = new ArrayList<>();
  @AutoClose private S3RepositoryManager manager;

  @BeforeEach
  void open() throws Exception {
    open("memoryLimit", "8m");
  }

  private void open(String key, String value) throws Exception {
    manager = TestRepositories.manager(store, "[s3 \"receive\"]\n" + key + " = " + value);
  }

  private ObjectId repository(String name) throws IOException {
    try (S3Repository r = manager.createRepository(name)) {
      ObjectId id = TestRepositories.commit(r, "secret of " + name);
      TestRepositories.update(r, "refs/heads/main", id);
      return id;
    }
  }

  private GitHttpServer start(GitHttpServer.Builder builder) throws IOException {
    return builder.start(manager);
  }

  private static GitHttpServer.Builder withUsers(Path directory) throws IOException {
    return withUser(directory, "ada");
  }

  private static GitHttpServer.Builder withUser(Path directory, String name) throws IOException {
    Path users = Files.writeString(directory.resolve("users"), TestUsers.line(name, "right"));
    return GitHttpServer.builder().users(UsersFile.open(users));
  }

  /** A file of a user whose password is checked quickly, and of one for whom that takes long. */
  private static UsersFile quickAndSlow(Path directory) throws IOException {
    String lines = TestUsers.line("ada", "right") + TestUsers.line("eve", 13, "x");
    return UsersFile.open(Files.writeString(directory.resolve("users"), lines));
  }

  /** Opens a connection, which is closed at the end of the test. */
  private Socket connect(GitHttpServer server) throws IOException {
    return connect(server.uri());
  }

  private Socket connect(URI server) throws IOException {
    Socket socket = new Socket(server.getHost(), server.getPort());
    sockets.add(socket);
    return socket;
  }

  @AfterEach
  void disconnect() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  /** Sends bytes, and returns everything that is answered until the server closes. */
  private static String exchange(GitHttpServer server, byte[] request) throws IOException {
    return TestRequests.exchange(server.uri(), request);
  }

  private static String exchange(GitHttpServer server, String method, String target, String host)
      throws IOException {
    String head = method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\n";
    return exchange(
        server, (head + "Content-Length: 0\r\nConnection: close\r\n\r\n").getBytes(UTF_8));
  }

  private static String exchange(GitHttpServer server, String method, String target)
      throws IOException {
    return exchange(server, method, target, server.uri().getAuthority());
  }

  private static String post(
      GitHttpServer server, String target, String type, byte[] body, String... headers)
      throws IOException {
    String head =
        "POST "
            + target
            + " HTTP/1.1\r\nHost: "
            + server.uri().getAuthority()
            + "\r\n"
            + "Content-Type: "
            + type
            + "\r\nContent-Length: "
            + body.length
            + "\r\n"
            + String.join("", List.of(headers).stream().map(h -> h + "\r\n").toList())
            + "Connection: close\r\n\r\n";
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    request.writeBytes(head.getBytes(UTF_8));
    request.writeBytes(body);
    return exchange(server, request.toByteArray());
  }

  private static int status(String answer) {
    return Integer.parseInt(answer.split(" ", 3)[1]);
  }

  // Access

  @Test
  void no_method_and_no_form_of_a_path_gets_past_authentication(@TempDir Path directory)
      throws Exception {
    ObjectId secret = repository("r");
    List<String> paths =
        List.of(
            REFS,
            PUSH_REFS,
            "/r/info/refs?service=git-upload-pack",
            "/R.git/info/refs",
            "/r.git/HEAD",
            "/r.git/git-upload-pack",
            "/r.git/git-receive-pack",
            "/metrics",
            "/metrics/",
            "/METRICS",
            "/%6detrics",
            "/healthz/../metrics",
            "/healthz/..%2fmetrics",
            "/healthz;/../metrics",
            "/healthz/%2e%2e/metrics",
            "/healthz/r.git/info/refs",
            "/HEALTHZ/../r.git/info/refs",
            "//r.git/info/refs",
            "/healthz%00/../metrics",
            "/./metrics",
            "/healthz/../r.git/info/refs?service=git-upload-pack",
            "/%2e/metrics",
            "/metrics;healthz",
            "/metrics%3bhealthz",
            "/metrics?/healthz",
            "/metrics#/healthz",
            "/\\metrics",
            "/healthz\\..\\metrics",
            "*",
            "http://localhost/metrics");
    try (GitHttpServer server = start(withUsers(directory))) {
      String methods = "GET HEAD POST PUT DELETE OPTIONS PATCH TRACE get PROPFIND";
      for (String method : methods.split(" ", -1)) {
        for (String path : paths) {
          String answer = exchange(server, method, path);
          assertThat(answer).as("%s %s", method, path).isNotEmpty();
          assertThat(status(answer)).as("%s %s", method, path).isBetween(400, 499);
          assertThat(answer)
              .as("%s %s", method, path)
              .doesNotContain(secret.name(), "service=git", "jvm_memory");
        }
      }
      assertThat(status(exchange(server, "GET", "/healthz"))).isEqualTo(200);
    }
  }

  @Test
  void wrong_passwords_take_no_place_of_verified_users(@TempDir Path directory) throws Exception {
    repository("r");
    UsersFile users = quickAndSlow(directory);
    GitHttpServer.Builder builder =
        GitHttpServer.builder().users(users).maxRequests(1).shutdownLimit(Duration.ZERO);

    try (GitHttpServer server = start(builder)) {
      String head = "GET " + REFS + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
      byte[] right = (head + basic("ada:right")).getBytes(US_ASCII);
      assertThat(status(exchange(server, right))).isEqualTo(200);
      for (int i = 0; i < 60; i++) {
        connect(server).getOutputStream().write((head + basic("eve:" + i)).getBytes(US_ASCII));
      }
      for (int i = 0; i < 30; i++) {
        assertThat(status(exchange(server, right))).isEqualTo(200);
      }
    }
  }

  @Test
  void guessers_do_not_put_off_the_first_check_of_a_user_elsewhere(@TempDir Path directory)
      throws Exception {
    assertFirstCheckIsNotPutOff(
        directory, GitHttpServer.builder(), InetAddress.getByName("127.0.0.2"), "");
  }

  @Test
  void guessers_do_not_put_off_a_user_behind_the_same_proxy(@TempDir Path directory)
      throws Exception {
    assertFirstCheckIsNotPutOff(
        directory,
        GitHttpServer.builder().trustedProxies(List.of("127.0.0.1")),
        InetAddress.getLoopbackAddress(),
        "X-Forwarded-For: 2001:db8:0:1::%x\r\n");
  }

  /**
   * Lets clients guess, and then a user log in from 127.0.0.1.
   *
   * @param from address that guessers connect from
   * @param forwarded header of the proxy that they come through, with a place for a number
   */
  private void assertFirstCheckIsNotPutOff(
      Path directory, GitHttpServer.Builder builder, InetAddress from, String forwarded)
      throws Exception {
    repository("r");
    UsersFile users = quickAndSlow(directory);

    builder.users(users).shutdownLimit(Duration.ZERO);
    try (GitHttpServer server = start(builder)) {
      String head = "GET " + REFS + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
      for (int i = 0; i < 300; i++) {
        Socket socket = new Socket(server.uri().getHost(), server.uri().getPort(), from, 0);
        sockets.add(socket);
        String guess = head + forwarded.formatted(i) + basic((i % 2 == 0 ? "ada:" : "eve:") + i);
        socket.getOutputStream().write(guess.getBytes(US_ASCII));
      }
      awaitRefusalOfAny();
      assertThat(status(exchange(server, (head + basic("ada:right")).getBytes(US_ASCII))))
          .isEqualTo(200);
    }
  }

  /** Waits until a request on one of the connections is refused because too many wait. */
  private void awaitRefusalOfAny() {
    ConcurrentTasks.waitWhile(() -> sockets.stream().noneMatch(HostileClientsTest::isRefused));
  }

  private static boolean isRefused(Socket socket) {
    byte[] answered =
        Unchecked.call(
            () -> socket.getInputStream().readNBytes(socket.getInputStream().available()));
    return new String(answered, ISO_8859_1).contains(" 503 ");
  }

  private static String basic(String pair) {
    return "Authorization: " + TestRequests.basic(pair) + "\r\n\r\n";
  }

  @Test
  void body_of_a_client_without_password_is_not_waited_for(@TempDir Path directory)
      throws Exception {
    String head =
        "POST /r.git/git-receive-pack HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
            + (PUSH + "\r\nContent-Length: 1000\r\nConnection: close\r\n\r\n00ff");
    try (GitHttpServer server = start(withUsers(directory).maxRequests(1))) {
      assertThat(status(exchange(server, head.getBytes(US_ASCII)))).isEqualTo(401);
    }
  }

  @Test
  void headers_that_do_not_end_end_their_connection() throws Exception {
    repository("r");
    GitHttpServer.Builder builder = GitHttpServer.builder().headerTimeout(Duration.ofMillis(1));
    String unfinished = "GET " + REFS + " HTTP/1.1\r\nHost: local";
    String whole = "GET " + REFS + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    try (GitHttpServer server = start(builder)) {
      assertThat(untilClosed(server, unfinished)).isEmpty();
      assertThat(untilClosed(server, whole + unfinished)).startsWith("HTTP/1.1 200");
      assertThat(untilClosed(server, "")).isEmpty();
    }
  }

  /** Sends text, and returns what is answered until the server closes or resets the connection. */
  private static String untilClosed(GitHttpServer server, String text) throws IOException {
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    try (Socket socket = new Socket(server.uri().getHost(), server.uri().getPort())) {
      socket.setSoTimeout(SECONDS_TO_CLOSE * 1000);
      socket.getOutputStream().write(text.getBytes(US_ASCII));
      socket.getInputStream().transferTo(answer);
    } catch (SocketException e) {
      assertThat(e).hasMessageContaining("reset");
    }
    return answer.toString(ISO_8859_1);
  }

  @Test
  void connections_that_send_no_request_keep_no_client_out() throws Exception {
    repository("r");

    try (GitHttpServer server = start(GitHttpServer.builder().maxConnections(10))) {
      for (int i = 0; i < 100; i++) {
        connect(server).getOutputStream().write("GET /".getBytes(US_ASCII));
        if (i % 10 == 0) {
          assertThat(status(exchange(server, "GET", REFS))).isEqualTo(200);
          assertThat(status(exchange(server, "GET", "/healthz"))).isEqualTo(200);
        }
      }
      sockets.get(0).setSoTimeout(SECONDS_TO_CLOSE * 1000);
      assertThat(endOf(sockets.get(0))).isTrue();
    }
  }

  @Test
  void connections_that_send_no_request_keep_no_monitor_out() throws Exception {
    repository("r");
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    byte[] scrape =
        "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".getBytes(UTF_8);

    try (GitHttpServer server = start(GitHttpServer.builder().monitor(any))) {
      URI monitor = server.monitorUri().orElseThrow();
      for (int i = 0; i < 200; i++) {
        connect(monitor).getOutputStream().write("GET /".getBytes(US_ASCII));
        if (i % 20 == 0) {
          assertThat(status(TestRequests.exchange(monitor, scrape))).isEqualTo(200);
          assertThat(status(exchange(server, "GET", REFS))).isEqualTo(200);
        }
      }
      sockets.get(0).setSoTimeout(SECONDS_TO_CLOSE * 1000);
      assertThat(endOf(sockets.get(0))).isTrue();
    }
  }

  private static boolean endOf(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketException e) {
      assertThat(e).hasMessageContaining("reset");
      return true;
    }
  }

  @Test
  void request_in_flight_is_not_closed_for_others() throws Exception {
    manager.createRepository("r").close();
    byte[] body = ScriptedPush.firstCommit("file", "content".getBytes(UTF_8)).body();
    String head =
        "POST /r.git/git-receive-pack HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
            + (PUSH + "\r\nConnection: close\r\nExpect: 100-continue\r\n")
            + ("Content-Length: " + body.length + "\r\n\r\n");

    GitHttpServer.Builder builder =
        GitHttpServer.builder().maxConnections(2).headerTimeout(Duration.ofMillis(1));
    try (GitHttpServer server = start(builder);
        Socket push = new Socket(server.uri().getHost(), server.uri().getPort())) {
      push.getOutputStream().write(head.getBytes(US_ASCII));
      byte[] goAhead = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(US_ASCII);
      assertThat(push.getInputStream().readNBytes(goAhead.length)).isEqualTo(goAhead);
      for (int i = 0; i < 20; i++) {
        connect(server);
      }
      assertThat(endOf(sockets.get(0))).isTrue();
      push.getOutputStream().write(body);
      assertThat(new String(push.getInputStream().readAllBytes(), ISO_8859_1))
          .contains("ok refs/heads/main");
    }
  }

  private static String pushAs(GitHttpServer server, String branch, String... headers)
      throws IOException {
    byte[] body = ScriptedPush.firstCommit("file", branch.getBytes(UTF_8)).body();
    byte[] renamed = new String(body, ISO_8859_1).replace("main", branch).getBytes(ISO_8859_1);
    return post(server, "/r.git/git-receive-pack", PUSH, renamed, headers);
  }

  private String pusher(String branch) throws IOException {
    try (S3Repository r = manager.openRepository("r")) {
      return r.getRefDatabase()
          .getReflogReader("refs/heads/" + branch)
          .getLastEntry()
          .getWho()
          .getEmailAddress();
    }
  }

  @Test
  void address_of_a_client_is_that_of_a_proxy_only_if_so_configured() throws Exception {
    manager.createRepository("r").close();
    String[] claimed = {"X-Forwarded-For: 192.0.2.7", "X-Forwarded-Host: evil.example"};
    try (GitHttpServer server = start(GitHttpServer.builder())) {
      assertThat(pushAs(server, "gone", claimed)).contains("unpack ok");
      assertThat(pusher("gone")).isEqualTo("anonymous@127.0.0.1");
    }
    try (GitHttpServer server =
        start(GitHttpServer.builder().trustedProxies(List.of("127.0.0.1")))) {
      assertThat(pushAs(server, "seen", claimed)).contains("unpack ok");
      assertThat(pusher("seen")).isEqualTo("anonymous@192.0.2.7");
    }
    try (GitHttpServer server =
        start(GitHttpServer.builder().trustedProxies(List.of("10.0.0.0/8", "127.0.0.2")))) {
      assertThat(pushAs(server, "none", claimed)).contains("unpack ok");
      assertThat(pusher("none")).isEqualTo("anonymous@127.0.0.1");
    }
    String[] chain = {
      "X-Forwarded-For: 198.51.100.1, 127.0.0.9",
      "X-Forwarded-For: 192.0.2.7, 127.0.0.9",
      "Forwarded: for=198.51.100.2"
    };
    try (GitHttpServer server =
        start(GitHttpServer.builder().trustedProxies(List.of("127.0.0.0/8")))) {
      assertThat(pushAs(server, "last", chain)).contains("unpack ok");
      assertThat(pusher("last")).isEqualTo("anonymous@192.0.2.7");
    }
  }

  @Test
  void user_name_with_an_at_sign_does_not_hide_the_address(@TempDir Path directory)
      throws Exception {
    manager.createRepository("r").close();
    try (GitHttpServer server = start(withUser(directory, "root@192.0.2.7"))) {
      assertThat(pushAs(server, "main", basic("root@192.0.2.7:right").strip()))
          .contains("unpack ok");
    }
    assertThat(pusher("main")).isEqualTo("root@192.0.2.7@127.0.0.1");
  }

  @Test
  void methods_that_no_git_client_uses_are_refused() throws Exception {
    repository("r");
    try (GitHttpServer server = start(GitHttpServer.builder())) {
      for (String path : List.of(REFS, "/metrics", "/healthz", "/", "/healthz/store")) {
        for (String method : List.of("TRACE", "OPTIONS", "PUT", "DELETE", "PATCH", "PROPFIND")) {
          String answer = exchange(server, method, path);
          assertThat(status(answer)).as("%s %s", method, path).isEqualTo(405);
          assertThat(answer).contains("Allow: GET, HEAD, POST").doesNotContain("Host:");
        }
      }
    }
  }

  @Test
  void page_of_another_site_does_not_reach_a_server_without_users() throws Exception {
    repository("r");
    try (GitHttpServer server = start(GitHttpServer.builder().host("git.example"))) {
      for (String host :
          List.of(
              "evil.example",
              "evil.example:80",
              "localhost.evil.example",
              "127.0.0.1.evil.example",
              "127.evil",
              "10.0.0.1",
              "[::2]")) {
        String answer = exchange(server, "GET", REFS, host);
        assertThat(status(answer)).as(host).isEqualTo(421);
        assertThat(answer).contains("this server is not ", "--host").doesNotContain("service=git");
      }
      assertThat(status(exchange(server, "GET", "http://evil.example/metrics"))).isIn(400, 421);
      for (String host :
          List.of(
              "localhost",
              "LOCALHOST:8417",
              "127.0.0.1",
              "127.1.2.3:1",
              "[::1]:8417",
              "git.example",
              "GIT.example:8417")) {
        assertThat(status(exchange(server, "GET", REFS, host))).as(host).isEqualTo(200);
      }
    }
  }

  @Test
  void server_with_users_answers_to_any_name(@TempDir Path directory) throws Exception {
    try (GitHttpServer server = start(withUsers(directory))) {
      assertThat(status(exchange(server, "GET", REFS, "git.example"))).isEqualTo(401);
    }
  }

  @Test
  void name_is_used_by_a_push_and_not_by_the_question_before_it() throws Exception {
    ScriptedPush push = ScriptedPush.firstCommit("file", "content".getBytes(UTF_8));
    try (GitHttpServer server = start(GitHttpServer.builder().createOnPush(true))) {
      for (String method : List.of("GET", "HEAD", "OPTIONS", "PUT")) {
        exchange(server, method, PUSH_REFS);
        exchange(server, method, "/r.git/git-receive-pack");
      }
      assertThat(exchange(server, "GET", PUSH_REFS))
          .startsWith("HTTP/1.1 200")
          .contains("capabilities^{}", "atomic", "report-status");
      post(server, "/r.git/git-receive-pack", "text/plain", push.body());
      assertThat(manager.list()).isEmpty();
      for (String prefix : List.of("repos/", "names/")) {
        store.list(prefix, object -> assertThat(object.key()).isNull());
      }

      assertThat(post(server, "/r.git/git-receive-pack", PUSH, push.body())).contains("unpack ok");
      assertThat(manager.list()).containsExactly("r");
      try (S3Repository r = manager.openRepository("r")) {
        assertThat(r.resolve("refs/heads/main")).isEqualTo(push.commit());
      }
    }
  }

  @Test
  void object_of_one_repository_is_in_no_answer_of_another() throws Exception {
    ObjectId secret = repository("r");
    repository("public");
    byte[] fetch = GitRequests.fetch(secret);
    try (GitHttpServer server = start(GitHttpServer.builder())) {
      String own = post(server, "/r.git/git-upload-pack", FETCH, fetch, "Git-Protocol: version=2");
      assertThat(own).contains("PACK");
      for (String path :
          List.of(
              "/public.git/git-upload-pack",
              "/public.git/../r.git/git-upload-pack",
              "/public.git/..%2fr.git/git-upload-pack",
              "/public.git%2f..%2fr.git/git-upload-pack",
              "/public.git/%2e%2e/r.git/git-upload-pack",
              "/public.git/..\\r.git/git-upload-pack")) {
        String answer = post(server, path, FETCH, fetch, "Git-Protocol: version=2");
        assertThat(answer).as(path).doesNotContain("PACK");
      }
    }
  }

  // Responses

  @Test
  void line_breaks_of_a_client_end_no_header() throws Exception {
    repository("r");
    try (GitHttpServer server = start(GitHttpServer.builder())) {
      for (String target :
          List.of(
              "/a%0d%0aX-Evil:%201/info/refs?service=git-upload-pack",
              "/r.git/info/refs?service=git-upload-pack%0d%0aX-Evil:%201",
              "/%0aX-Evil:1.git/git-upload-pack",
              "/r.git%0d%0aX-Evil:%201")) {
        String answer = exchange(server, "GET", target);
        String head = answer.substring(0, answer.indexOf("\r\n\r\n"));
        assertThat(head.lines()).as(target).noneMatch(line -> line.startsWith("X-Evil"));
        assertThat(answer.substring(head.length() + 4).lines().filter(l -> l.startsWith("X-Evil")))
            .as(target)
            .isEmpty();
      }
    }
  }

  @Test
  void request_whose_length_can_be_read_in_two_ways_is_refused() throws Exception {
    repository("r");
    String second = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
    try (GitHttpServer server = start(GitHttpServer.builder())) {
      for (String lengths :
          List.of(
              "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
              "Content-Length: 5\r\nContent-Length: 6\r\n",
              "Content-Length: +5\r\n",
              "Content-Length : 5\r\n",
              "Transfer-Encoding: chunked, identity\r\n",
              "Transfer-Encoding: xchunked\r\n")) {
        String head = "POST /r.git/git-upload-pack HTTP/1.1\r\nHost: localhost\r\n" + lengths;
        String answer =
            exchange(
                server, (head + "Connection: close\r\n\r\n0\r\n\r\n" + second).getBytes(US_ASCII));
        assertThat(status(answer)).as(lengths).isIn(400, 501);
        assertThat(answer).as(lengths).doesNotContain("jvm_memory");
      }
    }
  }

  @Test
  @Tag("long") // a minute; LeastDataRateTest has the rule
  void client_that_drips_is_dropped() throws Exception {
    repository("r");
    String head =
        "POST /r.git/git-upload-pack HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
            + (FETCH + "\r\nContent-Length: 1000\r\n\r\n00ff");
    try (GitHttpServer server = start(GitHttpServer.builder());
        Socket socket = new Socket(server.uri().getHost(), server.uri().getPort())) {
      socket.setSoTimeout(1000);
      socket.getOutputStream().write(head.getBytes(US_ASCII));
      long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
      while (!hasAnswer(socket)) {
        assertThat(System.nanoTime()).as("deadline").isLessThan(deadline);
        socket.getOutputStream().write('x');
      }
    }
  }

  /** Waits a second for an answer, or the end of the connection. */
  private static boolean hasAnswer(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() != 0;
    } catch (SocketTimeoutException notYet) {
      return false;
    }
  }

  // Bodies

  private static String chunked(GitHttpServer server, String service, String type, String chunks)
      throws IOException {
    String head =
        "POST /r.git/git-" + service + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + type;
    return exchange(
        server,
        (head + "\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n" + chunks)
            .getBytes(US_ASCII));
  }

  @ParameterizedTest
  @CsvSource({"upload-pack, " + FETCH, "receive-pack, " + PUSH})
  void body_that_cannot_be_decoded_is_the_fault_of_its_client(String service, String type)
      throws Exception {
    repository("r");
    String target = "/r.git/git-" + service;
    boolean push = service.equals("receive-pack");
    String command = ObjectId.zeroId().name() + " " + "1".repeat(40) + " refs/heads/x";
    byte[] head = line(push ? command + "\0report-status" : "command=ls-refs");
    byte[] each = line(push ? command : "agent=git");
    byte[] whole = gzip(head, 100, each, "0000".getBytes(UTF_8));
    byte[] torn = Arrays.copyOf(whole, whole.length / 2);
    byte[] plain = "0000".getBytes(US_ASCII);
    try (GitHttpServer server = start(GitHttpServer.builder())) {
      for (byte[] body : List.of(plain, torn, new byte[0])) {
        String answer = post(server, target, type, body, "Content-Encoding: gzip");
        assertThat(status(answer)).isEqualTo(400);
        assertThat(answer).endsWith("the body of the request is no valid gzip\n");
      }
      for (String encoding : List.of("br", "deflate", "gzip, gzip", "zstd")) {
        String answer = post(server, target, type, whole, "Content-Encoding: " + encoding);
        assertThat(status(answer)).as(encoding).isEqualTo(415);
        assertThat(answer).contains("Accept-Encoding: gzip");
      }
      for (String chunks : List.of("zz\r\n0000\r\n0\r\n\r\n", "-4\r\n0000\r\n0\r\n\r\n")) {
        assertThat(status(chunked(server, service, type, chunks))).as(chunks).isEqualTo(400);
      }
    }
  }

  @Test
  void sizes_of_objects_that_no_shown_ref_leads_to_are_not_told() throws Exception {
    ObjectId commit = repository("r");
    byte[] body = GitRequests.command("object-info", "size", "oid " + commit.name());
    Config hidden = new Config();
    hidden.setString("transfer", null, "hideRefs", "refs/heads/main");
    hidden.setBoolean("transfer", null, "advertiseObjectInfo", true);
    hidden.setBoolean("uploadpack", null, "advertiseObjectInfo", true);
    for (Config config : List.of(new Config(), hidden)) {
      try (GitHttpServer server = start(GitHttpServer.builder().config(config))) {
        String answer =
            post(server, "/r.git/git-upload-pack", FETCH, body, "Git-Protocol: version=2");
        assertThat(answer).contains("ERR object-info is not served here");
        String offered =
            exchange(
                server,
                ("GET "
                        + REFS
                        + " HTTP/1.1\r\nHost: localhost\r\nGit-Protocol: version=2\r\n"
                        + "Connection: close\r\n\r\n")
                    .getBytes(US_ASCII));
        assertThat(offered).contains("version 2").doesNotContain("object-info");
        assertThat(answer).doesNotContain(commit.name());
      }
    }
  }

  @Test
  void push_that_is_no_push_is_told_why() throws Exception {
    ObjectId main = repository("r");
    try (GitHttpServer server = start(GitHttpServer.builder())) {
      for (String body : List.of("zzzz", "0015no command at all0000")) {
        String answer = post(server, "/r.git/git-receive-pack", PUSH, body.getBytes(US_ASCII));
        assertThat(status(answer)).as(body).isEqualTo(400);
        assertThat(answer).as(body).contains("text/plain").doesNotEndWith("\r\n\r\n");
      }
      for (String body : List.of("", "0000", "00a0 not a packet line")) {
        post(server, "/r.git/git-receive-pack", PUSH, body.getBytes(US_ASCII));
      }
      for (String body : List.of("", "0000", "zzzz", "00a0 not a packet line")) {
        post(server, "/r.git/git-upload-pack", FETCH, body.getBytes(US_ASCII));
      }
    }
    try (S3Repository r = manager.openRepository("r")) {
      assertThat(r.resolve("refs/heads/main")).isEqualTo(main);
      assertThat(PackBytes.of(r, main).bytes()).as("a clone").isNotEmpty();
    }
  }

  private static byte[] gzip(byte[] head, int count, byte[] each, byte[] end) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(body)) {
      gzip.write(head);
      for (int i = 0; i < count; i++) {
        gzip.write(each);
      }
      gzip.write(end);
    }
    return body.toByteArray();
  }

  private static byte[] line(String text) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    new PacketLineOut(line).writeString(text);
    return line.toByteArray();
  }

  @ParameterizedTest
  @CsvSource({
    "report-status side-band-64k, 200",
    "report-status, 400" // git has no channel for errors then
  })
  void commands_of_a_push_that_gzip_makes_endless_are_refused(String capabilities, int status)
      throws Exception {
    repository("r");
    String command = ObjectId.zeroId().name() + " " + "1".repeat(40) + " refs/heads/x";
    byte[] body =
        gzip(
            line(command + "\0" + capabilities), 500_000, line(command), "0000".getBytes(US_ASCII));
    assertThat(body).hasSizeLessThan(500_000);
    try (GitHttpServer server = start(GitHttpServer.builder())) {
      String answer = post(server, "/r.git/git-receive-pack", PUSH, body, "Content-Encoding: gzip");
      assertThat(status(answer)).isEqualTo(status);
      assertThat(answer)
          .contains("limit defined in receive.maxCommandBytes")
          .doesNotContain("ok refs/heads/x", "unpack ok");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0004, report-status side-band-64k push-options, 200",
    "0005x, report-status side-band-64k push-options, 200",
    "0004, report-status push-options, 400"
  })
  void options_of_a_push_that_gzip_makes_endless_are_refused(
      String option, String capabilities, int status) throws Exception {
    repository("r");
    String command = ObjectId.zeroId().name() + " " + "1".repeat(40) + " refs/heads/x";
    byte[] commands =
        (new String(line(command + "\0" + capabilities), US_ASCII) + "0000").getBytes(US_ASCII);
    byte[] body = gzip(commands, 500_000, option.getBytes(US_ASCII), "0000".getBytes(US_ASCII));
    try (GitHttpServer server = start(GitHttpServer.builder())) {
      String answer = post(server, "/r.git/git-receive-pack", PUSH, body, "Content-Encoding: gzip");
      assertThat(status(answer)).isEqualTo(status);
      assertThat(answer).contains("limit defined in receive.maxCommandBytes");
    }
  }

  /** A pack of an object that says how large it is, and has so many zeros. */
  private static byte[] zeros(int type, long said, long zeros) throws IOException {
    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    try (DeflaterOutputStream deflater = new DeflaterOutputStream(stream)) {
      byte[] chunk = new byte[1 << 16];
      for (long at = 0; at < zeros; at += chunk.length) {
        deflater.write(chunk, 0, (int) Math.min(chunk.length, zeros - at));
      }
    }
    return new ForgedPack(1).header(type, said).raw(stream.toByteArray()).closed();
  }

  private static byte[] push(byte[] pack) {
    ObjectId tip = ObjectId.fromString("1".repeat(40));
    return GitRequests.push(ObjectId.zeroId(), tip, "refs/heads/x", pack);
  }

  /** A client may have its answer before the handle is closed. */
  private void awaitNothingTaken() {
    ConcurrentTasks.waitWhile(() -> manager.receiveMemory().held() > 0);
  }

  @Test
  void pack_that_inflates_for_ever_is_refused_after_its_processor_time() throws Exception {
    manager.close();
    open("processorTime", "50 ms");
    repository("r");
    byte[] pack = zeros(Constants.OBJ_BLOB, 256 << 20, 256 << 20);
    try (GitHttpServer server = start(GitHttpServer.builder())) {
      assertThat(post(server, "/r.git/git-receive-pack", PUSH, push(pack)))
          .startsWith("HTTP/1.1 200")
          .contains("unpack error", "more than 50 ms of processor time", "processorTime")
          .doesNotContain("unpack ok");
      assertThat(status(exchange(server, "GET", REFS))).isEqualTo(200);
    }
  }

  @Test
  void push_that_walks_through_a_history_once_for_each_command_is_refused() throws Exception {
    manager.close();
    open("processorTime", "10 s");
    byte[] once;
    byte[] back;
    byte[] often;
    try (S3Repository r = manager.createRepository("r")) {
      List<ObjectId> history = TestRepositories.history(r, "main", 20_000);
      TestRepositories.createRef(r, "refs/heads/main", history.get(0));
      String command =
          history.get(0).name() + " " + history.get(19_999).name() + " refs/heads/main";
      byte[] end =
          ("0000" + new String(new ForgedPack(0).closed(), ISO_8859_1)).getBytes(ISO_8859_1);
      byte[] first = line(command + "\0report-status atomic");
      often = gzip(first, 3_000, line(command), end);
      once = gzip(first, 0, first, end);
      String forced = history.get(19_999).name() + " " + history.get(0).name() + " refs/heads/main";
      back = gzip(line(forced + "\0report-status"), 0, first, end);
    }
    try (GitHttpServer server = start(GitHttpServer.builder())) {
      String gzip = "Content-Encoding: gzip";
      assertThat(post(server, "/r.git/git-receive-pack", PUSH, often, gzip))
          .contains("ng refs/heads/main to find what the update loses takes more than 10 ms")
          .doesNotContain("ok refs/heads/main");
      assertThat(post(server, "/r.git/git-receive-pack", PUSH, once, gzip))
          .contains("ok refs/heads/main");
      assertThat(post(server, "/r.git/git-receive-pack", PUSH, back, gzip))
          .as("one update, however long it takes")
          .contains("ok refs/heads/main");
    }
  }

  @Test
  void pack_that_says_or_inflates_to_more_than_there_is_room_for_is_refused() throws Exception {
    repository("r");
    long many = 1L << 30;
    List<byte[]> packs = new ArrayList<>();
    packs.add(new ForgedPack(Integer.MAX_VALUE).closed());
    packs.add(new ForgedPack(-1).closed());
    packs.add(zeros(Constants.OBJ_TREE, many, 1000));
    packs.add(zeros(Constants.OBJ_COMMIT, 64 << 20, 64 << 20));
    packs.add(zeros(Constants.OBJ_BLOB, many, 1000));
    packs.add(zeros(Constants.OBJ_BLOB, 10, 64 << 20));
    packs.add(zeros(Constants.OBJ_BLOB, 64 << 20, 64 << 20));
    try (GitHttpServer server = start(GitHttpServer.builder().maxObjectSize(16 << 20))) {
      for (byte[] pack : packs) {
        String answer = post(server, "/r.git/git-receive-pack", PUSH, push(pack));
        assertThat(answer)
            .as("pack %d", packs.indexOf(pack))
            .startsWith("HTTP/1.1 200")
            .doesNotContain("unpack ok");
      }
      awaitNothingTaken();
      assertThat(status(exchange(server, "GET", REFS))).isEqualTo(200);
    }
  }
}
