// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import at.favre.lib.crypto.bcrypt.BCrypt;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jgits3.server.e2e.process.Command;
import org.jgits3.server.e2e.process.PausingProxy;
import org.jgits3.server.e2e.process.ServedStore;
import org.jgits3.server.e2e.process.ServerProcess;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.OutageProxy;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The sample configurations of load balancers, run by those programs in front of two servers of one
 * store. Skipped where a program is not installed; {@code etc/test} unpacks both on Debian.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class LoadBalancerIT {
  private static final Path ROOT = Path.of(System.getProperty("project.root", ".."));
  private static final Path SAMPLES = ROOT.resolve("etc");
  private static final Pattern PUSHES =
      Pattern.compile("(?m)^jgits3_push_seconds_count\\{[^}]*result=\"ok\"[^}]*} (\\d+)");
  private static final List<String> REPOSITORIES = List.of("one", "two", "group/three", "four");

  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final int PUSHERS = 2;

  /** Of the file of keys that a test makes. */
  private static final char[] PASSWORD = "secret".toCharArray();

  /** Requests that the samples grant to each address, and places of a server in this test. */
  private static final int PER_ADDRESS = 40;

  private static final int PLACES = 60;

  /** Beginning of a push, which holds its place until more is sent. */
  private static final String UNFINISHED =
      "POST /one.git/git-receive-pack HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type:"
          + " application/x-git-receive-pack-request\r\nContent-Length: 1000\r\n\r\n00";

  /** Less than {@code s3.commitDeadline}, and more than three checks of a load balancer. */
  private static final Duration OUTAGE = Duration.ofSeconds(28);

  /** Time that load balancers give a check. */
  private static final Duration CHECK_TIMEOUT = Duration.ofSeconds(2);

  private static final Sample NGINX =
      new Sample("nginx", "nginx.conf.sample", "listen 80;", "listen 127.0.0.1:%d;");
  private static final Sample HAPROXY =
      new Sample("haproxy", "haproxy.cfg.sample", "bind :80", "bind 127.0.0.1:%d");

  /**
   * Sample configuration of a program.
   *
   * @param listen where it listens in the sample
   * @param here where it listens in the test
   */
  private record Sample(String program, String file, String listen, String here) {
    String config(int port) throws IOException {
      return Files.readString(SAMPLES.resolve(file)).replace(listen, here.formatted(port));
    }

    /** The same with TLS: its lines for that, in place of the one without. */
    String tlsConfig(int port, Path certificates) throws IOException {
      return Files.readString(SAMPLES.resolve(file))
          .replaceFirst("(?m)^ *" + listen + "\\R", "")
          .replaceAll("(?m)^( *)# (.*(listen|bind|/etc/ssl/).*)$", "$1$2")
          .replaceFirst(":443|443", "127.0.0.1:" + port)
          .replace("/etc/ssl", certificates.toString());
    }
  }

  @TempDir private Path scratch;
  private GitClient git;
  private GitClient work;
  private ServedStore store;
  private Process balancer;

  @BeforeEach
  void prepare() throws IOException {
    store = ServedStore.directory(scratch);
    git = GitClient.in(scratch);
    work = git.init("work");
  }

  @AfterEach
  void end() throws InterruptedException {
    if (balancer != null) {
      balancer.destroy();
      assertThat(balancer.waitFor(1, TimeUnit.MINUTES)).isTrue();
    }
  }

  @Test
  void nginx_sends_pushes_of_a_repository_to_one_server_or_its_successor() throws Exception {
    assertAffinity(NGINX);
  }

  @Test
  void haproxy_sends_pushes_of_a_repository_to_one_server_or_its_successor() throws Exception {
    assertAffinity(HAPROXY);
  }

  @Test
  void nginx_loses_no_push_while_the_store_is_away_for_28_seconds() throws Exception {
    assertOutageIsSatOut(NGINX);
  }

  @Test
  void haproxy_loses_no_push_while_the_store_is_away_for_28_seconds() throws Exception {
    assertOutageIsSatOut(HAPROXY);
  }

  @Test
  void haproxy_loses_no_push_while_the_store_is_silent_for_28_seconds() throws Exception {
    assertSilenceIsSatOut(HAPROXY);
  }

  @Test
  @Tag("long") // the test above has the servers, and nginx is like HAProxy in the other outage
  void nginx_loses_no_push_while_the_store_is_silent_for_28_seconds() throws Exception {
    assertSilenceIsSatOut(NGINX);
  }

  @Test
  void nginx_leaves_places_for_others_when_one_address_takes_all_it_may() throws Exception {
    assertPlacesAreLeft(NGINX);
  }

  @Test
  void haproxy_leaves_places_for_others_when_one_address_takes_all_it_may() throws Exception {
    assertPlacesAreLeft(HAPROXY);
  }

  @Test
  void nginx_with_tls_passes_on_users_and_the_address_of_a_client() throws Exception {
    assertTls(NGINX);
  }

  @Test
  void haproxy_with_tls_passes_on_users_and_the_address_of_a_client() throws Exception {
    assertTls(HAPROXY);
  }

  /** Clones and pushes as a user whose requests claim to come from another address. */
  private void assertTls(Sample sample) throws Exception {
    Path executable = installed(sample.program());
    String hash = BCrypt.with(BCrypt.Version.VERSION_2Y).hashToString(4, "right".toCharArray());
    Path users = Files.writeString(scratch.resolve("users"), "ada:" + hash + "\n");
    String[] options = {
      "--create-on-push", "--users", users.toString(), "--trusted-proxy", "127.0.0.1"
    };
    Path certificate = makeCertificate();
    int port = freePort();
    try (ServerProcess one = ServerProcess.start(store, options);
        ServerProcess two = ServerProcess.start(store, options);
        PausingProxy client =
            PausingProxy.from(
                InetAddress.getByName("127.0.0.2"), URI.create("http://127.0.0.1:" + port))) {
      startBalancer(executable, sample.tlsConfig(port, scratch), port, one, two);
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
  private void assertPlacesAreLeft(Sample sample) throws Exception {
    Path executable = installed(sample.program());
    String[] options = {
      "--create-on-push", "--max-requests", String.valueOf(PLACES), "--shutdown-timeout", "0"
    };
    List<Socket> greedy = new ArrayList<>();
    try (ServerProcess one = ServerProcess.start(store, options);
        ServerProcess two = ServerProcess.start(store, options)) {
      int port = startBalancer(executable, sample, one, two);
      String url = "http://127.0.0.1:" + port + "/one.git";
      push(url);
      for (int i = 0; i < PLACES; i++) {
        Socket socket = new Socket(loopback(), port, InetAddress.getByName("127.0.0.2"), 0);
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
  private static void awaitAnswers(int expected, String status, List<Socket> sockets)
      throws IOException {
    Set<Socket> answered = new HashSet<>();
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (answered.size() < expected) {
      assertThat(System.nanoTime()).as("%d answers", answered.size()).isLessThan(deadline);
      for (Socket socket : sockets) {
        if (!answered.contains(socket) && socket.getInputStream().available() > 0) {
          String head = new String(socket.getInputStream().readNBytes(12), US_ASCII);
          assertThat(head).isEqualTo("HTTP/1.1 " + status);
          answered.add(socket);
        }
      }
    }
  }

  private void assertOutageIsSatOut(Sample sample) throws Exception {
    try (OutageProxy outage = new OutageProxy(S3Servers.require().endpoint())) {
      ServedStore bucket =
          ServedStore.bucket(S3Servers.require(), scratch).through(outage.endpoint(), scratch);
      assertSatOut(sample, bucket, () -> outage.fail(Integer.MAX_VALUE), outage::recover);
    }
  }

  /** Stops the process of the store, whose port goes on accepting connections. */
  private void assertSilenceIsSatOut(Sample sample) throws Exception {
    S3Server s3 = S3Servers.require();
    assumeTrue(s3.process().isPresent(), s3 + " is no process that a test may stop");
    Process process = s3.process().orElseThrow();
    ServedStore bucket = ServedStore.bucket(s3, scratch);
    try {
      assertSatOut(sample, bucket, () -> signal("STOP", process), () -> signal("CONT", process));
    } finally {
      signal("CONT", process);
    }
  }

  private static void signal(String signal, Process process) throws Exception {
    String pid = String.valueOf(process.pid());
    assertThat(new ProcessBuilder("kill", "-" + signal, pid).start().waitFor()).isZero();
  }

  /** Beginning or end of an outage. */
  private interface Action {
    void run() throws Exception;
  }

  private void assertSatOut(Sample sample, ServedStore bucket, Action begin, Action end)
      throws Exception {
    Path executable = installed(sample.program());
    ExecutorService threads = Executors.newFixedThreadPool(PUSHERS);
    try {
      try (ServerProcess one = ServerProcess.start(bucket, "--create-on-push");
          ServerProcess two = ServerProcess.start(bucket, "--create-on-push")) {
        int port = startBalancer(executable, sample, one, two);
        AtomicBoolean enough = new AtomicBoolean();
        List<Future<Integer>> pushers = new ArrayList<>();
        for (int i = 0; i < PUSHERS; i++) {
          GitClient client = git.init("work" + i);
          String url = "http://127.0.0.1:" + port + "/" + REPOSITORIES.get(i) + ".git";
          push(client, url);
          pushers.add(threads.submit(() -> pushUntil(enough, client, url)));
        }
        begin.run();
        long over = System.nanoTime() + OUTAGE.toNanos();
        while (System.nanoTime() < over) {
          assertThat(status(one, "healthz")).isEqualTo(200);
          assertThat(status(two, "healthz")).isEqualTo(200);
          assertThat(status(one, "healthz/store")).isIn(200, 503);
        }
        assertThat(status(one, "healthz/store")).isEqualTo(503);
        end.run();
        enough.set(true);
        for (Future<Integer> pusher : pushers) {
          assertThat(pusher.get(5, TimeUnit.MINUTES)).isPositive();
        }
        awaitHealthyStore(one);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** Waits until a server has noticed that the store is back. */
  private static void awaitHealthyStore(ServerProcess server) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (status(server, "healthz/store") != 200) {
      assertThat(System.nanoTime()).as("deadline").isLessThan(deadline);
    }
  }

  /** Pushes one commit after the other, and returns their number. */
  private static int pushUntil(AtomicBoolean enough, GitClient client, String url) {
    int pushed = 0;
    do {
      push(client, url);
      pushed++;
    } while (!enough.get());
    return pushed;
  }

  private static int status(ServerProcess server, String path)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(server.uri().resolve(path)).timeout(CHECK_TIMEOUT).build();
    return HTTP.send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
  }

  private int startBalancer(Path executable, Sample sample, ServerProcess one, ServerProcess two)
      throws Exception {
    int port = freePort();
    startBalancer(executable, sample.config(port), port, one, two);
    return port;
  }

  private void startBalancer(
      Path executable, String sample, int port, ServerProcess one, ServerProcess two)
      throws Exception {
    String config =
        sample
            .replace("127.0.0.1:8417", one.uri().getAuthority())
            .replace("127.0.0.1:8418", two.uri().getAuthority())
            .replaceAll("(?m)^.*127\\.0\\.0\\.1:8419.*\\R", "");
    assertThat(config).contains("127.0.0.1:" + port).doesNotContain(":8417", ":8418");
    balancer = start(executable, config, port);
  }

  private void assertAffinity(Sample sample) throws Exception {
    Path executable = installed(sample.program());
    try (ServerProcess one = ServerProcess.start(store, "--create-on-push");
        ServerProcess two = ServerProcess.start(store, "--create-on-push")) {
      int port = startBalancer(executable, sample, one, two);

      long pushed = 0;
      for (String repository : REPOSITORIES) {
        long before = pushes(one);
        push("http://127.0.0.1:" + port + "/" + repository + ".git");
        push("http://127.0.0.1:" + port + "/" + repository + ".git");
        push("http://127.0.0.1:" + port + "/" + repository);
        pushed += 3;
        awaitPushes(pushed, one, two);
        assertThat(pushes(one) - before).as(repository).isIn(0L, 3L);
      }

      ServerProcess busiest = pushes(one) >= pushes(two) ? one : two;
      ServerProcess other = busiest == one ? two : one;
      long before = pushes(other);
      busiest.kill();
      for (String repository : REPOSITORIES) {
        push("http://127.0.0.1:" + port + "/" + repository + ".git");
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
  private static void awaitPushes(long expected, ServerProcess... servers) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    long counted = -1;
    while (counted != expected && System.nanoTime() < deadline) {
      counted = 0;
      for (ServerProcess server : servers) {
        counted += pushes(server);
      }
    }
    assertThat(counted).isEqualTo(expected);
  }

  private static long pushes(ServerProcess server) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(server.uri().resolve("metrics")).build();
    String text = HTTP.send(request, HttpResponse.BodyHandlers.ofString()).body();
    Matcher count = PUSHES.matcher(text);
    long all = 0;
    while (count.find()) {
      all += Long.parseLong(count.group(1));
    }
    return all;
  }

  private static Path installed(String program) {
    String path = System.getenv("PATH") + File.pathSeparator + "/usr/sbin";
    Path found =
        Stream.concat(
                Stream.of(ROOT.resolve("target/tools").toAbsolutePath()),
                Stream.of(path.split(File.pathSeparator, -1)).map(Path::of))
            .map(place -> place.resolve(program))
            .filter(Files::isExecutable)
            .findFirst()
            .orElse(null);
    assumeTrue(found != null, program + " is not installed");
    return found;
  }

  private Process start(Path program, String config, int port)
      throws IOException, InterruptedException {
    Path file = Files.writeString(scratch.resolve("balancer.conf"), config);
    List<String> line =
        program.endsWith("nginx")
            ? List.of(program.toString(), "-p", scratch + "/", "-c", nginxMain(file).toString())
            : List.of(program.toString(), "-db", "-f", file.toString());
    Path log = scratch.resolve("balancer.log");
    Process process =
        new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    while (!accepts(port)) {
      boolean ended = process.waitFor(20, TimeUnit.MILLISECONDS);
      assertThat(ended || System.nanoTime() > deadline).as(Files.readString(log)).isFalse();
    }
    return process;
  }

  /** The file that includes the sample, as {@code /etc/nginx/nginx.conf} does. */
  private Path nginxMain(Path sample) throws IOException {
    Files.createDirectories(scratch.resolve("logs"));
    return Files.writeString(
        scratch.resolve("nginx.conf"),
        """
        daemon off;
        worker_processes 1;
        error_log stderr;
        pid nginx.pid;
        events {}
        http {
          access_log off;
          client_body_temp_path body;
          proxy_temp_path proxy;
          fastcgi_temp_path fastcgi;
          uwsgi_temp_path uwsgi;
          scgi_temp_path scgi;
          include %s;
        }
        """
            .formatted(sample));
  }

  private static boolean accepts(int port) {
    try (Socket socket = new Socket(loopback(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false; // not yet
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, loopback())) {
      return socket.getLocalPort();
    }
  }

  private static InetAddress loopback() throws IOException {
    return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
  }
}
