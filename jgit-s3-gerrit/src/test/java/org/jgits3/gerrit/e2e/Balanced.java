// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.jgits3.gerrit.e2e.Report.equal;
import static org.jgits3.gerrit.e2e.Report.that;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Two Gerrits behind HAProxy, with the sample of its settings. */
final class Balanced {
  private static final String NAME = "two nodes behind HAProxy: one that dies is not missed";
  private static final String SERVER_BANNER = "SSH-2.0-GerritCodeReview";
  private static final Duration MOST = Duration.ofSeconds(30);
  private static final int REQUESTS = 50;

  private final Programs programs;
  private final Path directory;
  private final Path log;
  private final Path sample;
  private final Path tools;
  private final GerritNode a;
  private final GerritNode b;
  private final GerritEndToEnd test;
  private final String project;
  private final int httpPort = Programs.freePort();
  private final int sshPort = Programs.freePort();
  private final HttpClient http = HttpClient.newHttpClient();
  private WorkCopy work;

  Balanced(
      Programs programs,
      Path directory,
      Path root,
      GerritNode a,
      GerritNode b,
      GerritEndToEnd test,
      String project) {
    this.programs = programs;
    this.directory = directory;
    this.sample = root.resolve("etc/haproxy-gerrit.cfg.sample");
    this.tools = root.resolve("target/tools");
    this.a = a;
    this.b = b;
    this.test = test;
    this.project = project;
    this.log = directory.resolve("haproxy.log");
  }

  void run(Report report) throws InterruptedException {
    Optional<Path> haproxy =
        Stream.of((tools + ":" + System.getenv("PATH") + ":/usr/sbin").split(":"))
            .map(place -> Path.of(place, "haproxy"))
            .filter(Files::isExecutable)
            .findFirst();
    if (haproxy.isEmpty()) {
      report.skip(NAME, "haproxy is not installed");
    } else {
      report.check(NAME, () -> run(haproxy.get()));
    }
  }

  private void run(Path haproxy) throws Exception {
    Path config = Files.writeString(directory.resolve("haproxy.cfg"), config());
    Process balancer =
        programs.start(
            directory,
            Map.of(),
            log.toFile(),
            List.of(haproxy.toString(), "-db", "-f", config.toString()));
    try {
      TwoNodes.eventually("HAProxy is ready", MOST, () -> status() == 200);
      equal(banner(), SERVER_BANNER, "SSH");
      work = test.clone(a, project);
      work.git("remote", "set-url", "origin", "http://127.0.0.1:" + httpPort + "/a/" + project);
      work.newChange("balanced");
      dies(b, "gerrit-2");
      dies(a, "gerrit-1");
      work.newChange("balanced-again");
    } finally {
      programs.end(balancer);
    }
  }

  private void dies(GerritNode node, String server) throws Exception {
    node.kill();
    for (int i = 0; i < REQUESTS; i++) {
      equal(status(), 200, "request " + i);
    }
    TwoNodes.eventually("SSH", MOST, () -> banner().equals(SERVER_BANNER));
    work.newChange("balanced-without-" + server);
    for (String backend : List.of("gerrit_http/", "gerrit_ssh/")) {
      TwoNodes.eventually("down", MOST, () -> last(backend + server).contains(" is DOWN"));
    }
    node.start();
    TwoNodes.ready(node);
    for (String backend : List.of("gerrit_http/", "gerrit_ssh/")) {
      TwoNodes.eventually("up", MOST, () -> last(backend + server).contains(" is UP"));
    }
  }

  /** The last that HAProxy said of a server. */
  private String last(String server) throws IOException {
    return Files.readAllLines(log).stream()
        .filter(line -> line.contains("Server " + server + " "))
        .reduce("", (earlier, later) -> later);
  }

  private String config() throws IOException {
    String config =
        Files.readString(sample)
            .replace("bind :80", "bind 127.0.0.1:" + httpPort)
            .replace("bind :29418", "bind 127.0.0.1:" + sshPort)
            .replace(
                "127.0.0.1:29419 port 8080", "127.0.0.1:" + a.sshPort() + " port " + a.httpPort())
            .replace(
                "127.0.0.1:29420 port 8081", "127.0.0.1:" + b.sshPort() + " port " + b.httpPort())
            .replace("127.0.0.1:8080", "127.0.0.1:" + a.httpPort())
            .replace("127.0.0.1:8081", "127.0.0.1:" + b.httpPort());
    that(!config.contains("127.0.0.1:808") && !config.contains("port 808"), config);
    return config;
  }

  private int status() throws InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + httpPort + "/a/config/server/version"))
            .header("X-Forwarded-User", "admin")
            .timeout(MOST)
            .build();
    try {
      return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    } catch (IOException e) {
      return 0; // HAProxy does not listen yet
    }
  }

  /** What the server says of itself first. */
  private String banner() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), sshPort)) {
      socket.setSoTimeout((int) MOST.toMillis());
      return new String(socket.getInputStream().readNBytes(SERVER_BANNER.length()), US_ASCII);
    } catch (IOException e) {
      return e.toString();
    }
  }
}
