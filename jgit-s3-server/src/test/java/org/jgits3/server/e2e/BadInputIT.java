// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.server.e2e.process.Command;
import org.jgits3.server.e2e.process.RunningServer;
import org.jgits3.server.e2e.process.ServedStore;
import org.jgits3.server.e2e.process.ServerInJvm;
import org.jgits3.server.e2e.process.ServerProcess;
import org.jgits3.store.ObjectStore;
import org.jgits3.testing.GitAssertions;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.GitResult;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that bad input gets one clear line, and that nothing is lost or overwritten. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class BadInputIT {
  private static final int FAILED = 1;
  private static final int WRONG_USAGE = 2;

  @TempDir private Path scratch;
  private ServedStore store;
  private GitClient git;

  @BeforeEach
  void emptyStore() throws IOException {
    store = ServedStore.directory(scratch);
    git = GitClient.in(scratch);
  }

  static Stream<String> badNames() {
    return Stream.of(
        "..",
        ".",
        "../outside",
        "a/../b",
        "/absolute",
        "a//b",
        "a/",
        "a.lock",
        "a.LOCK/b",
        "a.git/b",
        "back\\slash",
        "tab\there",
        "line\nbreak",
        " space",
        "x".repeat(300));
  }

  @ParameterizedTest
  @MethodSource("badNames")
  void bad_name_is_refused_by_commands(String name) throws IOException {
    Map<String, String> before = storedBytes();
    Command refused = Command.run(store, "init", name);
    refused.failsInOneLine(WRONG_USAGE);
    assertThat(refused.stderr()).contains("repository name");
    assertThat(storedBytes()).isEqualTo(before);
  }

  @Test
  void history_that_is_not_there_is_refused_and_nothing_is_restored() throws IOException {
    Command.run(store, "init", "a").succeeds();
    Map<String, String> before = storedBytes();
    for (String[] args :
        new String[][] {
          {"log", "a", "--since", "99"},
          {"log", "none", "--follow"},
          {"reflog", "a", "refs/heads/none"},
          {"restore-refs", "a", "--at", "99", "--apply"},
          {"restore-refs", "a", "--at", "0", "--apply"},
          {"restore-refs", "none", "--at", "1"},
        }) {
      Command.run(store, args).failsInOneLine(FAILED);
    }
    Command.run(store, "restore-refs", "a").failsInOneLine(WRONG_USAGE);
    Command.run(store, "log", "a", "--since", "first").failsInOneLine(WRONG_USAGE);
    Command.run(store, "sweep", "a", "--grace-hours", "-1").failsInOneLine(WRONG_USAGE);
    assertThat(storedBytes()).isEqualTo(before);
  }

  @Test
  void store_at_a_wrong_address_fails_a_command_and_a_server_in_one_line() throws IOException {
    Assumptions.assumeTrue(
        S3Servers.find().isPresent()); // for credentials, before the address is asked
    ServedStore wrong =
        ServedStore.unknownBucket(S3Servers.require(), URI.create("http://127.0.0.1:9"), scratch);
    for (String command : List.of("list", "serve")) {
      Command refused = Command.run(wrong, command);
      refused.failsInOneLine(FAILED);
      assertThat(refused.stderr()).contains("127.0.0.1:9", "Connection refused");
    }
  }

  @Test
  void bad_names_are_refused_over_http() throws IOException {
    try (ServerProcess server = ServerProcess.start(store, "--create-on-push")) {
      for (String path :
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
        String answer =
            statusLine(server.uri(), "/" + path + "/info/refs?service=git-receive-pack");
        assertThat(answer).as(path).matches("HTTP/1\\.1 40[04] .*");
      }
      assertThat(Command.run(store, "list").succeeds().stdout()).isEmpty();
      assertThat(server.log()).doesNotContain("\tat ");
    }
  }

  @Test
  void names_that_differ_in_case_are_different_repositories() throws IOException {
    try (RunningServer server = ServerInJvm.startCreating(store)) {
      GitClient work = workingCopy();
      work.run("push", "-q", server.url("Case"), "main:upper");
      work.run("push", "-q", server.url("case"), "main:lower");
      assertThat(git.run("ls-remote", server.url("Case")))
          .contains("upper")
          .doesNotContain("lower");
      assertThat(git.run("ls-remote", server.url("case")))
          .contains("lower")
          .doesNotContain("upper");
    }
    assertThat(Command.run(store, "list").succeeds().stdout().lines())
        .containsExactly("Case", "case");
  }

  @Test
  void unknown_repository_is_named() {
    Command refused = Command.run(store, "refs", "no/such");
    refused.failsInOneLine(FAILED);
    assertThat(refused.stderr()).contains("no/such");
  }

  @Test
  void repository_that_exists_is_not_created_again() {
    Command.run(store, "init", "twice").succeeds();
    Command refused = Command.run(store, "init", "twice");
    refused.failsInOneLine(FAILED);
    assertThat(refused.stderr()).contains("twice");
  }

  /** Names of repositories, and of what is done to their manifests. */
  private static final List<String> DAMAGES =
      List.of("truncated", "garbage", "empty", "newer", "flipped");

  @Test
  void manifest_that_cannot_be_read_is_reported_and_left_as_it_is() throws IOException {
    GitClient work = workingCopy();
    try (RunningServer server = ServerInJvm.startCreating(store)) {
      for (String damage : DAMAGES) {
        work.run("push", "-q", server.url(damage), "main");
      }
    }
    ObjectStore stored = new DirectoryObjectStore(scratch.resolve("store"));
    Map<String, String> keys = new HashMap<>();
    for (String damage : DAMAGES) {
      String key = StoredManifest.key(stored, damage);
      Path manifest = scratch.resolve("store").resolve(key);
      Files.write(manifest, damaged(damage, Files.readAllBytes(manifest)));
      keys.put(damage, key);
    }
    Map<String, String> before = storedBytes();

    for (String damage : DAMAGES) {
      for (String[] command :
          List.of(
              new String[] {"refs", damage},
              new String[] {"init", damage},
              new String[] {"rename", damage, "other"},
              new String[] {"delete", damage})) {
        Command refused = Command.run(store, command);
        refused.failsInOneLine(FAILED);
        assertThat(refused.stderr()).contains(keys.get(damage));
      }
    }
    try (RunningServer server = ServerInJvm.startCreating(store)) {
      for (String damage : DAMAGES) {
        GitResult push = work.attempt("push", server.url(damage), "main:other");
        assertThat(push.ok()).as("%s", push).isFalse();
        GitResult fetch = work.attempt("ls-remote", server.url(damage));
        assertThat(fetch.ok()).as("%s", fetch).isFalse();
      }
    }
    assertThat(storedBytes()).isEqualTo(before);
  }

  private static byte[] damaged(String how, byte[] manifest) {
    return switch (how) {
      case "truncated" -> Arrays.copyOf(manifest, manifest.length / 2);
      case "garbage" -> "\u0000\u0001 this is no manifest".getBytes(UTF_8);
      case "empty" -> new byte[0];
      case "newer" -> "{\"format\": 999, \"new\": true}\n".getBytes(UTF_8);
      case "flipped" -> {
        byte[] flipped = manifest.clone();
        flipped[flipped.length / 3] ^= 1;
        yield flipped;
      }
      default -> throw new IllegalArgumentException(how);
    };
  }

  @Test
  void missing_pack_is_named_and_nothing_else_changes() throws IOException {
    try (RunningServer server = ServerInJvm.startCreating(store)) {
      workingCopy().run("push", "-q", server.url("holed"), "main");
    }
    List<Path> packs = packs();
    assertThat(packs).isNotEmpty();
    for (Path pack : packs) {
      Files.delete(pack);
    }
    Map<String, String> before = storedBytes();
    try (ServerProcess server = ServerProcess.start(store)) {
      GitResult clone = git.attempt("clone", server.url("holed"), "clone");
      assertThat(clone.ok()).as("%s", clone).isFalse();
      assertThat(clone.stderr() + server.log())
          .contains(scratch.resolve("store").relativize(packs.get(0)).toString());
    }
    assertThat(storedBytes()).isEqualTo(before);
  }

  @Test
  void flipped_bit_in_a_pack_is_an_error_and_never_a_wrong_answer() throws IOException {
    GitClient work = workingCopy();
    try (RunningServer server = ServerInJvm.startCreating(store)) {
      work.run("push", "-q", server.url("flipped"), "main");
    }
    for (Path pack : packs()) {
      byte[] bytes = Files.readAllBytes(pack);
      bytes[bytes.length / 2] ^= 0x10;
      Files.write(pack, bytes);
    }
    try (ServerProcess server = ServerProcess.start(store)) {
      GitResult clone = git.attempt("clone", server.url("flipped"), "clone");
      assertThat(clone.ok()).as("%s", clone).isFalse();
    }
  }

  @Test
  void bucket_that_does_not_exist_is_named() throws IOException {
    ServedStore bucket = ServedStore.bucket(S3Servers.require(), scratch);
    ServedStore wrong = bucket.at("s3://no-such-bucket-jgits3/x");
    List<String> serve = List.of("serve", "--listen", "127.0.0.1:0");
    for (List<String> command : List.of(List.of("list"), List.of("init", "a"), serve)) {
      Command refused = Command.run(wrong, command.toArray(String[]::new));
      refused.failsInOneLine(FAILED);
      assertThat(refused.stderr()).contains("no-such-bucket-jgits3");
    }
  }

  @Test
  void wrong_credentials_are_refused_and_not_shown() throws IOException {
    S3Server server = S3Servers.require();
    ServedStore bucket = ServedStore.bucket(server, scratch);
    Command wrongSecret = Command.run(bucket.with("AWS_SECRET_ACCESS_KEY", "not-it-x7"), "list");
    wrongSecret.failsInOneLine(FAILED);
    assertThat(wrongSecret.toString()).doesNotContain("not-it-x7");
    Command wrongKey = Command.run(bucket.with("AWS_ACCESS_KEY_ID", "nobody"), "init", "a");
    wrongKey.failsInOneLine(FAILED);
    assertThat(Command.run(bucket, "list").succeeds().stdout()).isEmpty();
  }

  @Test
  void missing_credentials_are_said_to_be_missing() throws IOException {
    ServedStore bucket =
        new ServedStore(
            "s3://any-bucket/x",
            Optional.of(ServedStore.configFor(URI.create("http://127.0.0.1:9"), scratch)),
            Map.of("HOME", scratch.toString()));
    Command refused = Command.run(bucket, "list");
    refused.failsInOneLine(FAILED);
    assertThat(refused.stderr()).containsIgnoringCase("credentials");
  }

  @Test
  void clock_that_is_wrong_is_said_to_be_wrong() throws IOException {
    HttpServer s3 =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    s3.createContext(
        "/",
        exchange -> {
          byte[] body =
              ("<?xml version=\"1.0\" encoding=\"UTF-8\"?><Error><Code>RequestTimeTooSkewed</Code>"
                      + "<Message>The difference between the request time and the current time is"
                      + " too large.</Message></Error>")
                  .getBytes(UTF_8);
          exchange.getRequestBody().readAllBytes();
          exchange.getResponseHeaders().add("Content-Type", "application/xml");
          exchange.sendResponseHeaders(
              403, exchange.getRequestMethod().equals("HEAD") ? -1 : body.length);
          if (!exchange.getRequestMethod().equals("HEAD")) {
            exchange.getResponseBody().write(body);
          }
          exchange.close();
        });
    s3.start();
    try {
      ServedStore bucket =
          new ServedStore(
              "s3://any-bucket/x",
              Optional.of(
                  ServedStore.configFor(
                      URI.create("http://127.0.0.1:" + s3.getAddress().getPort()), scratch)),
              Map.of("AWS_ACCESS_KEY_ID", "any", "AWS_SECRET_ACCESS_KEY", "any"));
      Command refused = Command.run(bucket, "list");
      refused.failsInOneLine(FAILED);
      assertThat(refused.stderr()).containsIgnoringCase("clock");
    } finally {
      s3.stop(0);
    }
  }

  @Test
  void store_that_does_not_answer_is_named() throws IOException {
    URI nobody;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      nobody = URI.create("http://127.0.0.1:" + socket.getLocalPort());
    }
    ServedStore bucket =
        new ServedStore(
            "s3://any-bucket/x",
            Optional.of(ServedStore.configFor(nobody, scratch)),
            Map.of("AWS_ACCESS_KEY_ID", "any", "AWS_SECRET_ACCESS_KEY", "any"));
    Command.run(bucket, "list").failsInOneLine(FAILED);
  }

  @Test
  void port_in_use_is_named() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String listen = "127.0.0.1:" + taken.getLocalPort();
      Command refused = Command.run(store, "serve", "--listen", listen);
      refused.failsInOneLine(FAILED);
      assertThat(refused.stderr()).contains(listen);
    }
  }

  @Test
  void directory_that_is_a_file_is_named() throws IOException {
    Path file = Files.writeString(scratch.resolve("file"), "mine");
    Command refused = Command.run(store.at("file:" + file), "init", "a");
    refused.failsInOneLine(FAILED);
    assertThat(refused.stderr()).contains(file.toString());
    assertThat(file).hasContent("mine");
  }

  @Test
  void limits_that_exceed_the_heap_are_told_when_the_server_starts() throws IOException {
    try (ServerProcess server = ServerProcess.start(store)) {
      assertThat(server.log()).doesNotContain("limits of memory");
    }
    Files.writeString(
        scratch.resolve("jgit-s3.config"),
        "[s3 \"receive\"]\n\tmemoryLimit = 2g\n",
        StandardOpenOption.APPEND);
    try (ServerProcess server = ServerProcess.start(store)) {
      assertThat(server.log()).contains("the limits of memory in the configuration are 2");
    }
  }

  @Test
  void read_only_directory_is_named() throws IOException {
    Command.run(store, "init", "before").succeeds();
    Map<String, String> before = storedBytes();
    Command refused = inMountNamespace("mount -o ro,bind \"$0\" \"$0\"", "init", "after");
    refused.failsInOneLine(FAILED);
    assertThat(refused.stderr()).contains("store").contains("Read-only file system");
    assertThat(storedBytes()).isEqualTo(before);
  }

  @Test
  void full_directory_is_named_and_takes_no_half_write() throws IOException {
    Files.createDirectories(scratch.resolve("store"));
    Command refused =
        inMountNamespace(
            "mount -t tmpfs -o size=64k none \"$0\" && cat /dev/zero 2>/dev/null >\"$0/filler\"",
            "init",
            "a");
    refused.failsInOneLine(FAILED);
    assertThat(refused.stderr()).contains("No space left on device");
  }

  /** Runs a command with the store's directory mounted in a way only that command sees. */
  private Command inMountNamespace(String mount, String... args) {
    String directory = scratch.resolve("store").toString();
    List<String> unshare = List.of("unshare", "--user", "--map-root-user", "--mount", "sh", "-c");
    List<String> probe = new ArrayList<>(unshare);
    probe.addAll(List.of("mount -t tmpfs none /mnt", directory));
    Assumptions.assumeTrue(
        Files.isExecutable(Path.of("/usr/bin/unshare"))
            && Command.finish(probe, Map.of()).exitCode() == 0,
        "skipped: this machine lets nobody mount anything");
    List<String> options = new ArrayList<>(store.options());
    options.addAll(List.of(args));
    List<String> line = new ArrayList<>(unshare);
    line.addAll(List.of(mount + "; exec \"$@\"", directory));
    line.addAll(Command.javaCommand(List.of("-XX:-UsePerfData"), options));
    return Command.finish(line, Map.of());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[s3]\n\tstroe = file:data\n",
        "[s3 \"rfes\"]\n\tvalidate = always\n",
        "[s3]\n\tconnections = many\n",
        "[s3]\n\tstore = ftp://x\n",
        "[s3\n"
      })
  void wrong_setting_is_named_with_its_file(String config) throws IOException {
    Path file = Files.writeString(scratch.resolve("wrong.config"), config);
    Command refused = Command.run(Map.of(), List.of("--config", file.toString(), "list"));
    refused.failsInOneLine(WRONG_USAGE);
    assertThat(refused.stderr()).contains(file.toString());
  }

  @Test
  void directory_given_as_config_is_named() {
    Command refused = Command.run(Map.of(), List.of("--config", scratch.toString(), "list"));
    refused.failsInOneLine(WRONG_USAGE);
    assertThat(refused.stderr()).contains(scratch.toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--no-such-option",
        "no-such-command",
        "init",
        "refs",
        "serve --listen 127.0.0.1:0 --shutdown-timeout -5"
      })
  void wrong_usage_has_an_exit_code_of_its_own(String args) {
    Command refused = Command.run(store, args.split(" "));
    refused.failsInOneLine(WRONG_USAGE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"list", "list --json", "--help", "verify --names"})
  void output_that_cannot_be_written_is_a_failure(String args) throws Exception {
    Command.run(store, "init", "printed").succeeds();
    List<String> line = new ArrayList<>(store.options());
    line.addAll(List.of(args.split(" ")));
    Path stderr = scratch.resolve("stderr");
    Process process =
        Command.start(
            Command.javaCommand(Command.BRIEF, line),
            store.environment(),
            new File("/dev/full"),
            stderr.toFile());
    assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).isEqualTo(1);
    assertThat(stderr)
        .hasContent("jgit-s3: standard output cannot be written: No space left on device");
  }

  @Test
  void server_does_not_open_to_others_by_itself() {
    Command refused = Command.run(store, "serve", "--listen", "0.0.0.0:0");
    refused.failsInOneLine(WRONG_USAGE);
    assertThat(refused.stderr()).contains("--users", "--anonymous");
  }

  @Test
  void what_was_stored_before_a_bad_request_is_still_sound() throws IOException {
    try (RunningServer server = ServerInJvm.startCreating(store)) {
      GitClient work = workingCopy();
      work.run("push", "-q", server.url("good"), "main");
      for (String body : List.of("", "0000", "zzzz", "00a0 not a packet line")) {
        post(server.uri(), "/good.git/git-receive-pack", body);
        post(server.uri(), "/good.git/git-upload-pack", body);
      }
      GitAssertions.assertSound(git, server.url("good"));
    }
  }

  private GitClient workingCopy() {
    git.run("init", "-q", "work");
    git.at("work").commitFile("a.txt", "first\n");
    return git.at("work");
  }

  /** Every object in the store's directory with its bytes, by key. */
  private Map<String, String> storedBytes() throws IOException {
    Path root = scratch.resolve("store");
    Map<String, String> bytes = new TreeMap<>();
    if (Files.exists(root)) {
      for (Path file : files(root)) {
        bytes.put(
            root.relativize(file).toString(), HexFormat.of().formatHex(Files.readAllBytes(file)));
      }
    }
    bytes.keySet().removeIf(key -> key.startsWith(".jgit-s3/"));
    return bytes;
  }

  private List<Path> packs() throws IOException {
    return files(scratch.resolve("store")).stream()
        .filter(file -> file.toString().matches(".*/pack/[^/]+\\.(pack|bundle)"))
        .filter(file -> !file.toString().contains("/.jgit-s3/"))
        .toList();
  }

  private static List<Path> files(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }

  /** Sends a path as it is, which no HTTP client would. */
  private static String statusLine(URI server, String path) throws IOException {
    return exchange(
        server, "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  }

  private static String post(URI server, String path, String body) throws IOException {
    String service = path.substring(path.lastIndexOf('/') + 1);
    return exchange(
        server,
        "POST "
            + path
            + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/x-"
            + service
            + "-request\r\nContent-Length: "
            + body.length()
            + "\r\n\r\n"
            + body);
  }

  private static String exchange(URI server, String request) throws IOException {
    try (Socket socket = new Socket(server.getHost(), server.getPort());
        OutputStream out = socket.getOutputStream();
        InputStream in = socket.getInputStream()) {
      socket.setSoTimeout(60_000);
      out.write(request.getBytes(UTF_8));
      out.flush();
      return new String(in.readAllBytes(), UTF_8).lines().findFirst().orElse("");
    }
  }
}
