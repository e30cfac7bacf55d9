// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jgits3.gerrit.e2e.tools.Json;
import org.jgits3.gerrit.e2e.tools.Programs;

/** One Gerrit with a site of its own, on loopback only. */
final class GerritNode {
  private static final Duration MOST = Duration.ofMinutes(5);
  private static final long START_SECONDS = 600;
  private static final Path ROOT = Path.of(System.getProperty("jgits3.e2e.root"));
  private static final String DB_MODULE = "installDbModule = org.jgits3.gerrit.S3DbModule";
  private static final String FILTER = "filterClass = org.jgits3.gerrit.S3RequestFilter";
  private static final String FOLLOWER = "installModule = org.jgits3.gerrit.S3FollowerModule";

  private final Programs programs;
  private final Path site;
  private final Path log;
  private final int httpPort = Programs.freePort();
  private final int sshPort = Programs.freePort();
  private final HttpClient http = HttpClient.newHttpClient();
  private Path war;
  private String heap = "320m";
  private Process daemon;

  GerritNode(Programs programs, Path war, Path directory, String name) throws IOException {
    this.programs = programs;
    this.war = war;
    this.site = Files.createDirectories(directory.resolve(name));
    this.log = directory.resolve(name + ".log");
    for (String sub : List.of("etc", "lib", "git")) {
      Files.createDirectories(site.resolve(sub));
    }
  }

  /** Writes the settings; without a store projects are on the local disk. */
  void configure(S3Server store, Path jar) throws IOException {
    configure(store, store == null ? 0 : store.port(), jar);
  }

  /** Writes the settings for a store that is reached by another port. */
  void configure(S3Server store, int port, Path jar) throws IOException {
    Files.writeString(
        settings(),
        """
        [auth]
          type = HTTP
          httpHeader = X-Forwarded-User
          trustContainerAuth = true
        [httpd]
          listenUrl = http://127.0.0.1:%1$d/
        [sshd]
          listenAddress = 127.0.0.1:%2$d
        [index]
          type = LUCENE
        [sendemail]
          enable = false
        [gerrit]
          basePath = git
          canonicalWebUrl = http://127.0.0.1:%1$d/
          serverId = 7a1c0f4e-5d5b-4a53-9f6d-0e2e00000001
        """
            .formatted(httpPort, sshPort));
    if (store != null) {
      nameStore("git", port);
      addModules(jar);
    }
  }

  /** Adds the documented settings of a store, which a Gerrit without the modules ignores. */
  void nameStore(String prefix, int port) throws IOException {
    String sample = Files.readString(ROOT.resolve("etc/gerrit.config"));
    Map<String, String> changed =
        Map.of(
            "s3://my-bucket/git",
            "s3://" + S3Server.BUCKET + "/" + prefix,
            "#endpoint = http://127.0.0.1:7070",
            "endpoint = http://127.0.0.1:" + port,
            "#pathStyle",
            "pathStyle",
            "blockLimit = 256m",
            "blockLimit = 32m", // the heap is small
            DB_MODULE,
            "#" + DB_MODULE,
            FILTER,
            "#" + FILTER);
    for (var setting : changed.entrySet()) {
      Report.that(sample.contains(setting.getKey()), "no " + setting.getKey() + ": " + sample);
      sample = sample.replace(setting.getKey(), setting.getValue());
    }
    add(sample);
  }

  /** Keeps the projects in the store, from the next start on. */
  void addModules(Path jar) throws IOException {
    secrets(S3Server.KEY, S3Server.SECRET);
    Files.copy(
        jar,
        site.resolve("lib").resolve("jgit-s3-gerrit.jar"),
        StandardCopyOption.REPLACE_EXISTING);
    turnOn(DB_MODULE);
    turnOn(FILTER);
  }

  /** Makes a setting of a comment. */
  private void turnOn(String setting) throws IOException {
    String before = Files.readString(settings());
    Report.that(before.contains("#" + setting), before);
    Files.writeString(settings(), before.replace("#" + setting, setting));
  }

  /** Keeps the projects on the local disk again, from the next start on. */
  void removeModules() throws IOException {
    List<String> lines = Files.readAllLines(settings());
    Files.write(settings(), lines.stream().filter(l -> !l.contains("org.jgits3.")).toList());
  }

  /** The directory of the site. */
  Path site() {
    return site;
  }

  /** The file with the settings. */
  Path settings() {
    return site.resolve("etc/gerrit.config");
  }

  void secrets(String key, String secret) throws IOException {
    Files.writeString(
        site.resolve("etc/secure.config"),
        "[s3]\n  accessKeyId = %s\n  secretAccessKey = %s\n".formatted(key, secret));
  }

  /** Adds settings, from the next start on. */
  void add(String settings) throws IOException {
    Files.writeString(settings(), settings, StandardOpenOption.APPEND);
  }

  /** Makes this one of several on its bucket, from the next start on. */
  void follow() throws IOException {
    turnOn(FOLLOWER);
    Path plugins = Files.createDirectories(site.resolve("plugins"));
    Files.copy(
        site.resolve("lib").resolve("jgit-s3-gerrit.jar"),
        plugins.resolve("jgit-s3-sessions.jar"),
        StandardCopyOption.REPLACE_EXISTING);
  }

  void initialise() throws IOException, InterruptedException {
    offline("init", "--batch", "--no-auto-start", "--skip-plugins");
    reindex();
  }

  /** Makes this one of another version of Gerrit, from the next start on. */
  void upgrade(Path other) throws IOException, InterruptedException {
    war = other;
    initialise();
  }

  /** Takes what all nodes share from one that was initialised. */
  void join(GerritNode first) throws IOException, InterruptedException {
    try (Stream<Path> keys = Files.list(first.site.resolve("etc"))) {
      for (Path key :
          keys.filter(k -> k.getFileName().toString().startsWith("ssh_host")).toList()) {
        Files.copy(key, site.resolve("etc").resolve(key.getFileName()));
      }
    }
    initialise();
  }

  void reindex() throws IOException, InterruptedException {
    offline("reindex", "--threads", "1");
  }

  /** Deletes the position up to which this node has followed the others. */
  void losePosition() throws IOException {
    Files.delete(site.resolve("data/jgit-s3-followed"));
  }

  /** Makes the index of changes anew. */
  void reindexChanges() throws IOException, InterruptedException {
    offline("reindex", "--index", "changes");
  }

  /** The projects, if they are on the local disk. */
  Path projects() {
    return site.resolve("git");
  }

  /** Runs a program of Gerrit while no daemon runs, and returns what it says. */
  String offline(String program, String... options) throws IOException, InterruptedException {
    List<String> command = gerrit(program);
    command.addAll(List.of(options));
    return programs.run(site, Map.of(), command).ok();
  }

  private List<String> gerrit(String program) {
    return new ArrayList<>(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx" + heap,
            "-XX:+UseSerialGC",
            // Gerrit unpacks its jars there, and leaves them if it is killed.
            "-Duser.home=" + site.getParent(),
            "-jar",
            war.toString(),
            program,
            "-d",
            site.toString()));
  }

  private void launch(List<String> options) throws IOException {
    List<String> command = gerrit("daemon");
    command.addAll(1, options);
    command.addAll(List.of("--console-log", "--headless"));
    daemon = programs.start(site, Map.of(), log.toFile(), command);
  }

  /** Starts a Gerrit that refuses to start, and returns the lines that say why. */
  List<String> refusal(String... options) throws IOException, InterruptedException {
    long before = Files.size(log);
    launch(List.of(options));
    try {
      if (!daemon.waitFor(START_SECONDS, TimeUnit.SECONDS) || daemon.exitValue() == 0) {
        throw new IOException("Gerrit does not refuse to start, see " + log);
      }
    } finally {
      programs.end(daemon);
    }
    return Files.readString(log)
        .substring((int) before)
        .lines()
        .filter(line -> line.contains("The repositories cannot be used: "))
        .toList();
  }

  void start() throws IOException, InterruptedException {
    long before = Files.exists(log) ? Files.size(log) : 0;
    launch(List.of());
    long deadline = System.nanoTime() + Duration.ofSeconds(START_SECONDS).toNanos();
    while (!Files.readString(log).substring((int) before).contains(" ready")) {
      if (!daemon.isAlive() || System.nanoTime() > deadline) {
        throw new IOException("Gerrit does not start, see " + log);
      }
      Thread.sleep(300);
    }
    http.send(request("admin", "/login/").GET().build(), HttpResponse.BodyHandlers.discarding());
  }

  /** Sets the most memory for objects, from the next start on. */
  void heap(String most) {
    heap = most;
  }

  int httpPort() {
    return httpPort;
  }

  int sshPort() {
    return sshPort;
  }

  /** Number of the process. */
  long pid() {
    return daemon.pid();
  }

  /** Ends the daemon politely, and returns its exit code. */
  int stop() {
    programs.end(daemon);
    return daemon.exitValue();
  }

  /** What the daemon has said so far. */
  String log() throws IOException {
    return Files.readString(log);
  }

  void kill() throws InterruptedException {
    programs.kill(daemon);
  }

  void pause() throws IOException, InterruptedException {
    programs.pause(daemon);
  }

  void resume() throws IOException, InterruptedException {
    programs.resume(daemon);
  }

  private HttpRequest.Builder request(String user, String path) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + httpPort + path)).timeout(MOST);
    return user == null ? request : request.header("X-Forwarded-User", user);
  }

  /** What Gerrit answers. */
  record Answer(int status, String body) {
    Json ok() throws IOException {
      if (status / 100 != 2) {
        throw new IOException(status + " " + body);
      }
      return Json.parse(body.startsWith(")]}'") ? body.substring(4) : body);
    }
  }

  Answer rest(String user, String method, String path, String body)
      throws IOException, InterruptedException {
    HttpRequest.Builder request = request(user, "/a/" + path);
    if (body == null) {
      request.method(method, HttpRequest.BodyPublishers.noBody());
    } else {
      request
          .header("Content-Type", body.startsWith("{") ? "application/json" : "text/plain")
          .method(method, HttpRequest.BodyPublishers.ofString(body));
    }
    HttpResponse<String> response =
        http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    return new Answer(response.statusCode(), response.body());
  }

  /** Sends a request without a body, and returns the status of the answer. */
  int status(String user, String method, String path) throws IOException, InterruptedException {
    return status(user, method, path, null);
  }

  /** Sends a request, and returns the status of the answer. */
  int status(String user, String method, String path, String body)
      throws IOException, InterruptedException {
    return rest(user, method, path, body).status();
  }

  /** Logs in as a browser does, and returns the cookie. */
  String login(String user) throws IOException, InterruptedException {
    return session(request(user, "/login/"));
  }

  /** Makes an account where users become any account, and returns the cookie. */
  String newAccount() throws IOException, InterruptedException {
    return session(request(null, "/login/%2F?action=create_account"));
  }

  private String session(HttpRequest.Builder login) throws IOException, InterruptedException {
    HttpResponse<String> response =
        http.send(login.GET().build(), HttpResponse.BodyHandlers.ofString());
    return response.headers().allValues("Set-Cookie").stream()
        .map(cookie -> cookie.substring(0, cookie.indexOf(';')))
        .filter(cookie -> cookie.startsWith("GerritAccount="))
        .findFirst()
        .orElseThrow(() -> new IOException("no session: " + response));
  }

  /** Asks as a browser does, with a cookie alone, and returns the status. */
  int browse(String cookie, String path) throws IOException, InterruptedException {
    return status(request(null, path).header("Cookie", cookie));
  }

  /** Asks without a user, as a load balancer does, whether requests may be sent to this node. */
  int readiness() throws IOException, InterruptedException {
    return status(request(null, "/config/server/s3-follower"));
  }

  private int status(HttpRequest.Builder request) throws IOException, InterruptedException {
    return http.send(request.GET().build(), HttpResponse.BodyHandlers.discarding()).statusCode();
  }

  Json get(String path) throws IOException, InterruptedException {
    return rest("admin", "GET", path, null).ok();
  }

  Json post(String path, String body) throws IOException, InterruptedException {
    return rest("admin", "POST", path, body).ok();
  }

  Json put(String path, String body) throws IOException, InterruptedException {
    return rest("admin", "PUT", path, body).ok();
  }

  String url(String project) {
    return "http://127.0.0.1:" + httpPort + "/a/" + project;
  }

  /** Runs a command of Gerrit by SSH. */
  String ssh(Path key, String command) throws IOException, InterruptedException {
    return trySsh("admin", key, command).ok();
  }

  /** Runs a command of Gerrit by SSH to another port, which leads to a node. */
  String ssh(int port, Path key, String command) throws IOException, InterruptedException {
    return programs.run(site, Map.of(), ssh("admin", key, port, List.of(command))).ok();
  }

  /** Tests whether Gerrit takes a key. */
  boolean admits(Path key) throws IOException, InterruptedException {
    return admits("admin", key);
  }

  /** Tests whether Gerrit takes a key of a user. */
  boolean admits(String user, Path key) throws IOException, InterruptedException {
    return trySsh(user, key, "gerrit version").exitCode() == 0;
  }

  /** Events as they come, until it is closed. */
  final class Events implements AutoCloseable {
    private final Process process;
    private final Path output;

    private Events(String user, Path key) throws IOException {
      output = Files.createTempFile(site.getParent(), "events", ".txt");
      process =
          programs.start(
              site, Map.of(), output.toFile(), ssh(user, key, List.of("gerrit stream-events")));
    }

    private List<String> lines() throws IOException {
      return Files.readString(output)
          .lines()
          .filter(line -> line.startsWith("{") && line.endsWith("}"))
          .toList();
    }

    /** Counts the events of a type of a change. */
    long count(String type, int change) throws IOException {
      return lines().stream().filter(line -> isOf(line, type, change)).count();
    }

    boolean has(String text) throws IOException {
      return Files.readString(output).contains(text);
    }

    @Override
    public void close() {
      programs.end(process);
    }
  }

  /** Tests whether an event is one of a type and of a change. */
  static boolean isOf(String event, String type, int change) {
    return event.contains("\"type\":\"" + type + "\"")
        && Json.parse(event).at("change").at("number").number() == change;
  }

  /** Begins to stream the events that a user may see. */
  Events streamEvents(String user, Path key) throws IOException {
    return new Events(user, key);
  }

  private Programs.Result trySsh(String user, Path key, String command)
      throws IOException, InterruptedException {
    return programs.run(site, Map.of(), ssh(user, key, List.of(command)));
  }

  /** Fetches a branch by SSH, as the administrator. */
  void fetchBySsh(WorkCopy work, Path key, String project, String branch)
      throws IOException, InterruptedException {
    work.git("-c", sshCommand(key), "fetch", "-q", sshUrl(project), branch);
  }

  /** Pushes the HEAD of a clone for review, and returns how REST names the change. */
  String pushBySsh(WorkCopy work, Path key, String project)
      throws IOException, InterruptedException {
    return work.pushed("-c", sshCommand(key), "push", sshUrl(project), "HEAD:refs/for/master");
  }

  private String sshUrl(String project) {
    return "ssh://admin@127.0.0.1:" + sshPort + "/" + project;
  }

  private static String sshCommand(Path key) {
    return "core.sshCommand=" + String.join(" ", ssh(key));
  }

  private List<String> ssh(String user, Path key, List<String> command) {
    return ssh(user, key, sshPort, command);
  }

  private static List<String> ssh(String user, Path key, int port, List<String> command) {
    List<String> all = ssh(key);
    all.addAll(List.of("-p", Integer.toString(port), user + "@127.0.0.1"));
    all.addAll(command);
    return all;
  }

  private static List<String> ssh(Path key) {
    return new ArrayList<>(
        List.of(
            "ssh",
            "-F",
            "/dev/null",
            "-i",
            key.toString(),
            "-o",
            "StrictHostKeyChecking=no",
            "-o",
            "UserKnownHostsFile=/dev/null",
            "-o",
            "IdentitiesOnly=yes",
            "-o",
            "LogLevel=ERROR"));
  }
}
