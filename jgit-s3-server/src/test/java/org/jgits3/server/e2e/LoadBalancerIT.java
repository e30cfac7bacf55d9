// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jgits3.server.e2e.process.Command;
import org.jgits3.server.e2e.process.LoadBalancer;
import org.jgits3.server.e2e.process.LoadBalancer.Program;
import org.jgits3.server.e2e.process.PausingProxy;
import org.jgits3.server.e2e.process.RunningServer;
import org.jgits3.server.e2e.process.ServedStore;
import org.jgits3.server.e2e.process.ServerInJvm;
import org.jgits3.server.e2e.process.ServerProcess;
import org.jgits3.server.http.GitHttpServer;
import org.jgits3.server.http.TestRequests;
import org.jgits3.server.http.users.TestUsers;
import org.jgits3.server.http.users.UsersFile;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.aid.Unchecked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The sample configurations of load balancers, run by those programs in front of two servers of one
 * store. Skipped where a program is not installed; {@code etc/test} unpacks both on Debian.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class LoadBalancerIT {
  private static final Pattern PUSHES =
      Pattern.compile("(?m)^jgits3_push_seconds_count\\{[^}]*result=\"ok\"[^}]*} (\\d+)");
  private static final List<String> REPOSITORIES = List.of("one", "two", "group/three", "four");

  /** Of the file of keys that a test makes. */
  private static final char[] PASSWORD = "secret".toCharArray();

  /** Requests that the samples grant to each address, and places of a server in this test. */
  private static final int PER_ADDRESS = 40;

  private static final int PLACES = 60;

  /** Beginning of a push, which holds its place until more is sent. */
  private static final String UNFINISHED =
      "POST /one.git/git-receive-pack HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type:"
          + " application/x-git-receive-pack-request\r\nContent-Length: 1000\r\n\r\n00";

  @TempDir private Path scratch;
  private GitClient git;
  private GitClient work;
  private ServedStore store;

  @BeforeEach
  void prepare() throws IOException {
    store = ServedStore.directory(scratch);
    git = GitClient.in(scratch);
    work = git.init("work");
  }

  /** Clones and pushes as a user whose requests claim to come from another address. */
  @ParameterizedTest
  @EnumSource
  void users_and_the_address_of_a_client_are_passed_on_with_tls(Program program) throws Exception {
    Path users = Files.writeString(scratch.resolve("users"), TestUsers.line("ada", "right"));
    UnaryOperator<GitHttpServer.Builder> options =
        builder ->
            builder
                .createOnPush(true)
                .users(Unchecked.call(() -> UsersFile.open(users)))
                .trustedProxies(List.of("127.0.0.1"));
    Path certificate = makeCertificate();
    try (RunningServer one = ServerInJvm.start(store, options);
        RunningServer two = ServerInJvm.start(store, options);
        LoadBalancer balancer = LoadBalancer.startWithTls(program, scratch, one, two);
        PausingProxy client =
            PausingProxy.from(
                InetAddress.getByName("127.0.0.2"),
                URI.create("http://127.0.0.1:" + balancer.port()))) {
      String url = "https://ada:right@" + client.uri().getAuthority() + "/one.git";
      assertThat(work.attempt("ls-remote", url).stderr()).contains("certificate");
      assertThat(work.attempt("ls-remote", url.replace("https", "http")).exitCode()).isNotZero();

      git.run("config", "--global", "http.sslCAInfo", certificate.toString());
      git.run("config", "--global", "http.extraHeader", "X-Forwarded-For: 192.0.2.7");
      push(url);
      git.run("clone", "-q", url, "clone");
      push(git.at("clone"), url);
      String wrong = url.replace("right", "wrong");
      assertThat(work.attempt("ls-remote", wrong).stderr()).contains("Authentication failed");

      String pushes = Command.run(store, "reflog", "one", "main", "--json").succeeds().stdout();
      assertThat(new ObjectMapper().readTree(pushes).findValuesAsText("email"))
          .containsExactly("ada@127.0.0.2", "ada@127.0.0.2");
    }
  }

  /**
   * Makes a certificate of 127.0.0.1 that signs itself, and its key, under the names of the
   * samples.
   */
  private Path makeCertificate() throws Exception {
    Path keys = scratch.resolve("keys");
    List<String> line =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
            "-genkeypair",
            "-alias",
            "git",
            "-keyalg",
            "EC",
            "-dname",
            "CN=127.0.0.1",
            "-ext",
            "san=ip:127.0.0.1",
            "-storepass",
            String.valueOf(PASSWORD),
            "-keystore",
            keys.toString());
    Command.finish(line, Map.of()).succeeds();
    KeyStore made = KeyStore.getInstance(keys.toFile(), PASSWORD);
    String certificate = pem("CERTIFICATE", made.getCertificate("git").getEncoded());
    String key = pem("PRIVATE KEY", made.getKey("git", PASSWORD).getEncoded());
    Files.writeString(scratch.resolve("git.example.com.pem"), certificate + key);
    Files.writeString(scratch.resolve("git.example.com.key"), key);
    return Files.writeString(scratch.resolve("authority.pem"), certificate);
  }

  private static String pem(String type, byte[] der) {
    String base64 = Base64.getMimeEncoder().encodeToString(der);
    return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(type, base64);
  }

  /** Lets one address begin more requests than a server has places, without an end. */
  @ParameterizedTest
  @EnumSource
  void places_are_left_for_others_when_one_address_takes_all_it_may(Program program)
      throws Exception {
    UnaryOperator<GitHttpServer.Builder> options =
        builder -> builder.createOnPush(true).maxRequests(PLACES).shutdownLimit(Duration.ZERO);
    List<Socket> greedy = new ArrayList<>();
    try (RunningServer one = ServerInJvm.start(store, options);
        RunningServer two = ServerInJvm.start(store, options);
        LoadBalancer balancer = LoadBalancer.start(program, scratch, one, two)) {
      int port = balancer.port();
      String url = balancer.url("one");
      push(url);
      for (int i = 0; i < PLACES; i++) {
        Socket socket =
            new Socket(
                InetAddress.getLoopbackAddress(), port, InetAddress.getByName("127.0.0.2"), 0);
        greedy.add(socket);
        socket.getOutputStream().write(UNFINISHED.formatted(port).getBytes(US_ASCII));
      }
      awaitAnswers(PLACES - PER_ADDRESS, "429", greedy);
      push(url);
      git.run("clone", "-q", url, "clone");
    } finally {
      for (Socket socket : greedy) {
        socket.close();
      }
    }
  }

  /** Waits until so many connections have an answer, and checks the status of each. */
  private static void awaitAnswers(int expected, String status, List<Socket> sockets) {
    Set<Socket> answered = new HashSet<>();
    ConcurrentTasks.waitWhile(
        () -> {
          for (Socket socket : sockets) {
            if (!answered.contains(socket) && socket.getInputStream().available() > 0) {
              String head = new String(socket.getInputStream().readNBytes(12), US_ASCII);
              assertThat(head).isEqualTo("HTTP/1.1 " + status);
              answered.add(socket);
            }
          }
          return answered.size() < expected;
        });
  }

  @ParameterizedTest
  @EnumSource
  void pushes_of_a_repository_go_to_one_server_or_its_successor(Program program) throws Exception {
    try (ServerProcess one = ServerProcess.start(store, "--create-on-push");
        ServerProcess two = ServerProcess.start(store, "--create-on-push");
        LoadBalancer balancer = LoadBalancer.start(program, scratch, one, two)) {
      long pushed = 0;
      for (String repository : REPOSITORIES) {
        long before = pushes(one);
        push(balancer.url(repository));
        push(balancer.url(repository));
        push(balancer.url(repository).replaceFirst("\\.git$", ""));
        pushed += 3;
        awaitPushes(pushed, one, two);
        assertThat(pushes(one) - before).as(repository).isIn(0L, 3L);
      }

      ServerProcess busiest = pushes(one) >= pushes(two) ? one : two;
      ServerProcess other = busiest == one ? two : one;
      long before = pushes(other);
      busiest.kill();
      for (String repository : REPOSITORIES) {
        push(balancer.url(repository));
      }
      awaitPushes(before + REPOSITORIES.size(), other);
    }
  }

  private void push(String url) {
    push(work, url);
  }

  private static void push(GitClient client, String url) {
    client.run("commit", "-q", "--allow-empty", "-m", "A change");
    client.run("push", "-q", url, "HEAD:refs/heads/main");
  }

  /** Waits until servers have counted so many pushes: a client has its answer before. */
  private static void awaitPushes(long expected, ServerProcess... servers) {
    ConcurrentTasks.waitWhile(
        () -> {
          long counted = 0;
          for (ServerProcess server : servers) {
            counted += pushes(server);
          }
          return counted != expected;
        });
  }

  private static long pushes(ServerProcess server) throws IOException, InterruptedException {
    String text = TestRequests.get(server.uri().resolve("metrics")).body();
    Matcher count = PUSHES.matcher(text);
    long all = 0;
    while (count.find()) {
      all += Long.parseLong(count.group(1));
    }
    return all;
  }
}
