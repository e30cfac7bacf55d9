// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e.tools;

import static java.nio.charset.StandardCharsets.US_ASCII;

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

/** HAProxy in front of two Gerrits, with the sample of its settings. */
public final class Balancer implements AutoCloseable {
  public static final String SERVER_BANNER = "SSH-2.0-GerritCodeReview";
  private static final List<String> BACKENDS = List.of("gerrit_http/", "gerrit_ssh/");

  /** Deadline for what HAProxy itself does. */
  public static final Duration MOST = Duration.ofSeconds(30);

  /** Deadline for an answer. */
  private static final Duration ANSWER = Duration.ofMinutes(3);

  private final Programs programs;
  private final Path log;
  private final int httpPort = Programs.freePort();
  private final int sshPort = Programs.freePort();
  private final HttpClient http = HttpClient.newHttpClient();
  private final Process process;

  /** Ports of a Gerrit. */
  public record Node(int httpPort, int sshPort) {}

  /** Starts the program, which answers a little later. */
  public Balancer(Programs programs, Path haproxy, Path directory, Path root, Node a, Node b)
      throws IOException {
    this.programs = programs;
    this.log = Files.createTempFile(directory, "haproxy", ".log");
    Path settings = Files.createTempFile(directory, "haproxy", ".cfg");
    Files.writeString(
        settings, settings(Files.readString(root.resolve("etc/haproxy-gerrit.cfg.sample")), a, b));
    this.process =
        programs.start(
            directory,
            Map.of(),
            log.toFile(),
            List.of(haproxy.toString(), "-db", "-f", settings.toString()));
  }

  /** Finds the program; empty if it is not installed. */
  public static Optional<Path> program(Path root) {
    String tools = root.resolve("target/tools").toString();
    return Stream.of((tools + ":" + System.getenv("PATH") + ":/usr/sbin").split(":"))
        .map(place -> Path.of(place, "haproxy"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private String settings(String sample, Node a, Node b) {
    String settings =
        sample
            .replace("bind :80", "bind 127.0.0.1:" + httpPort)
            .replace("bind :29418", "bind 127.0.0.1:" + sshPort)
            .replace("port 8080", "port " + a.httpPort())
            .replace("port 8081", "port " + b.httpPort())
            .replace("127.0.0.1:29419", "127.0.0.1:" + a.sshPort())
            .replace("127.0.0.1:29420", "127.0.0.1:" + b.sshPort())
            .replace("127.0.0.1:8080", "127.0.0.1:" + a.httpPort())
            .replace("127.0.0.1:8081", "127.0.0.1:" + b.httpPort());
    if (settings.contains("127.0.0.1:808") || settings.contains("port 808")) {
      throw new IllegalStateException(settings);
    }
    return settings;
  }

  public int sshPort() {
    return sshPort;
  }

  public String url(String path) {
    return "http://127.0.0.1:" + httpPort + path;
  }

  /** The last that HAProxy said of a server, such as {@code gerrit_http/gerrit-1}. */
  private String last(String server) throws IOException {
    return Files.readAllLines(log).stream()
        .filter(line -> line.contains("Server " + server + " "))
        .reduce("", (earlier, later) -> later);
  }

  /** Tests whether the last that HAProxy said of a node, for HTTP and SSH, is a word. */
  public boolean isSaid(String server, String word) throws IOException {
    for (String backend : BACKENDS) {
      if (!last(backend + server).contains(" is " + word)) {
        return false;
      }
    }
    return true;
  }

  /** Tests whether a node answers. */
  public boolean isReady() throws InterruptedException {
    try {
      return status("/a/config/server/version", "X-Forwarded-User", "admin") == 200;
    } catch (IOException e) {
      return false; // HAProxy does not listen yet
    }
  }

  /** Asks a node by HTTP, with a header, and returns the status. */
  public int status(String path, String header, String value)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url(path))).header(header, value).timeout(ANSWER).build();
    return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
  }

  /** What a node says of itself first, by SSH. */
  public String banner() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), sshPort)) {
      socket.setSoTimeout((int) MOST.toMillis());
      return new String(socket.getInputStream().readNBytes(SERVER_BANNER.length()), US_ASCII);
    } catch (IOException e) {
      return e.toString();
    }
  }

  @Override
  public void close() {
    programs.end(process);
  }
}
