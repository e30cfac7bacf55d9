// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jgits3.bench.process.JvmProgram;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.JsonReport;
import org.jgits3.bench.report.Machine;
import org.jgits3.bench.report.Results;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.Settings;
import org.jgits3.bench.report.SuiteResult;
import org.jgits3.bench.report.Unit;
import org.jgits3.bench.server.OwnServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs the program as its users do: as a process, with servers and JVMs of its own. */
class BenchProcessTest {
  private static final Path ROOT =
      Path.of(System.getProperty("project.root", "..")).toAbsolutePath().normalize();
  private static final Path TOOLS = ROOT.resolve("target/tools");
  private static final Duration PATIENCE = Duration.ofMinutes(4);
  private static final int SIGINT = 2;
  private static final int SIGTERM = 15;

  /** Makes a program what a shell starts in a terminal: a group of its own that Ctrl-C ends. */
  private static final List<String> IN_A_TERMINAL =
      List.of("setsid", "env", "--default-signal=INT");

  /** Those of the JVMs that run tests; JMH gives them to its own, too. */
  private static final List<String> BRIEF =
      List.of(
          "@" + ROOT.resolve("etc/test/jvm.options"),
          "-XX:CompilerDirectivesFile=" + ROOT.resolve("etc/test/hashing.directives"));

  @TempDir private Path directory;
  private Process process;

  @BeforeEach
  void needServer() {
    boolean there =
        Stream.concat(
                Stream.of(TOOLS.toString()),
                Stream.of(System.getenv("PATH").split(File.pathSeparator, -1)))
            .anyMatch(place -> Files.isExecutable(Path.of(place, "versitygw")));
    assertTrue(there || !Boolean.getBoolean("s3.required"), "run etc/test/versitygw");
    assumeTrue(there, "no versitygw");
  }

  @AfterEach
  void end() {
    if (process != null) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  private void start(Map<String, String> environment, String... arguments) throws IOException {
    start(List.of(), environment, arguments);
  }

  private void start(List<String> by, Map<String, String> environment, String... arguments)
      throws IOException {
    List<String> options = new ArrayList<>(BRIEF);
    options.addAll(List.of("-Djgits3.bench.root=" + directory, "-Djmh.ignoreLock=true"));
    List<String> command = new ArrayList<>(by);
    command.addAll(new JvmProgram(options, Main.class, List.of(arguments)).command());
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().keySet().removeIf(name -> name.startsWith("AWS_"));
    builder.environment().remove("BUCKETS");
    builder.environment().put("AWS_EC2_METADATA_DISABLED", "true");
    builder.environment().put("AWS_CONFIG_FILE", directory.resolve("none").toString());
    builder.environment().put("AWS_SHARED_CREDENTIALS_FILE", directory.resolve("none").toString());
    builder.environment().merge("PATH", TOOLS.toString(), (old, own) -> own + ":" + old);
    builder.environment().putAll(environment);
    builder.redirectOutput(directory.resolve("out").toFile());
    builder.redirectError(directory.resolve("err").toFile());
    process = builder.start();
  }

  private int exitCode() throws InterruptedException {
    assertTrue(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS), "it does not end");
    return process.exitValue();
  }

  private String err() throws IOException {
    return Files.readString(directory.resolve("err"), UTF_8);
  }

  private String out() throws IOException {
    return Files.readString(directory.resolve("out"), UTF_8);
  }

  private OwnServer server() throws IOException, InterruptedException {
    return OwnServer.start(
        ROOT, Files.createDirectories(directory.resolve("given")), directory.resolve("s3.log"));
  }

  @Test
  void interrupted_run_leaves_no_process_and_no_scratch_data() throws Exception {
    assertInterruptedLeavesNothing("refs --quick --refs 1000", "scratch");
  }

  @Tag("long") // the memory and git suites are interrupted by Ctrl-C below
  @Test
  void interrupted_run_of_the_transfer_suite_leaves_nothing() throws Exception {
    assertInterruptedLeavesNothing("transfer --smallest", "transfer/source");
  }

  /** Interrupts a run once the given file exists. */
  private void assertInterruptedLeavesNothing(String line, String seen) throws Exception {
    start(Map.of(), line.split(" "));
    List<ProcessHandle> children = childrenOnceThereIs(seen);

    process.destroy();

    assertNothingIsLeft(children, SIGTERM);
  }

  /** All programs that the run has started are interrupted at the same time, and fail. */
  @EnabledOnOs(OS.LINUX)
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "group   | refs --quick --refs 1000 | scratch",
        "group   | memory --smallest | s3/scratch/memory",
        "process | refs --quick --refs 1000 | scratch",
      })
  void run_that_is_interrupted_by_ctrl_c_leaves_nothing_either(String who, String line, String seen)
      throws Exception {
    assertCtrlCLeavesNothing(who, line, seen);
  }

  @Tag("long") // run_that_is_interrupted_by_ctrl_c_leaves_nothing_either has other suites
  @EnabledOnOs(OS.LINUX)
  @Test
  void git_suite_that_is_interrupted_by_ctrl_c_leaves_nothing_either() throws Exception {
    assertCtrlCLeavesNothing("group", "git --smallest", "git-2/disk/pushed.git");
  }

  private void assertCtrlCLeavesNothing(String who, String line, String seen) throws Exception {
    start(IN_A_TERMINAL, Map.of(), line.split(" "));
    List<ProcessHandle> children = childrenOnceThereIs(seen);

    String target = (who.equals("group") ? "-" : "") + process.pid();
    Process kill = new ProcessBuilder("kill", "-INT", "--", target).start();

    assertThat(kill.waitFor()).isZero();
    assertNothingIsLeft(children, SIGINT);
  }

  private List<ProcessHandle> childrenOnceThereIs(String seen) throws Exception {
    Path data = directory.resolve("target/bench-data");
    Instant deadline = Instant.now().plus(PATIENCE);
    List<ProcessHandle> children = List.of();
    while (children.size() < 2 || Files.notExists(data.resolve(seen))) {
      assertThat(process.isAlive()).as(err()).isTrue();
      assertThat(Instant.now()).as(err()).isBefore(deadline);
      process.waitFor(20, TimeUnit.MILLISECONDS);
      children = process.descendants().toList();
    }
    return children;
  }

  private void assertNothingIsLeft(List<ProcessHandle> children, int signal) throws Exception {
    assertEquals(128 + signal, exitCode(), err());
    assertThat(children).noneMatch(ProcessHandle::isAlive);
    awaitEnd(ProcessHandle.allProcesses().filter(this::belongsHere).toList());
    assertThat(err()).doesNotContain("jgit-s3-bench:");
    assertThat(err().lines()).noneMatch(text -> text.matches("\\[.*] +failed\\b.*"));
    Path data = directory.resolve("target/bench-data");
    try (Stream<Path> left = Files.walk(data)) {
      assertThat(left.map(path -> data.relativize(path).toString()))
          .noneMatch(
              path ->
                  path.matches("(.*/)?(scratch|transfer|disk/pushed.git|[^/]*unfinished)(/.*)?"));
    }
  }

  @Test
  void wrong_usage_is_told_before_another_run_is_waited_for() throws Exception {
    Path data = Files.createDirectories(directory.resolve("target/bench-data"));
    try (FileChannel channel =
        FileChannel.open(
            data.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      FileLock lock = channel.lock();
      start(Map.of(), "express", "--smallest");
      assertEquals(2, exitCode());
      assertThat(err()).startsWith("jgit-s3-bench: BUCKETS is not set");

      start(Map.of(), "requests", "--smallest");
      assertIsOneLine("another run is using " + data);
      lock.release();
    }
  }

  @Test
  void place_that_cannot_be_written_is_one_line() throws Exception {
    Path file = Files.writeString(directory.resolve("target"), "no directory");
    start(Map.of(), "requests", "--smallest");

    assertIsOneLine(file + "/bench-data cannot be created: " + file);
  }

  @Test
  void endpoint_that_is_no_s3_server_is_one_line() throws Exception {
    HttpServer web =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    web.createContext(
        "/",
        exchange -> {
          byte[] page = "<!doctype html><title>nothing here</title>".getBytes(UTF_8);
          exchange.getRequestBody().transferTo(OutputStream.nullOutputStream());
          exchange.sendResponseHeaders(404, page.length);
          exchange.getResponseBody().write(page);
          exchange.close();
        });
    web.start();
    try {
      start(
          Map.of("AWS_ACCESS_KEY_ID", "a", "AWS_SECRET_ACCESS_KEY", "b"),
          "refs",
          "--smallest",
          "--endpoint",
          "http://127.0.0.1:" + web.getAddress().getPort());
      assertIsOneLine("refused to create the bucket", "404", "check the URL");
    } finally {
      web.stop(0);
    }
  }

  /** A JVM that JMH was just starting ends by itself when it finds that JMH is gone. */
  private static void awaitEnd(List<ProcessHandle> late) throws Exception {
    for (ProcessHandle process : late) {
      process.onExit().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
  }

  private boolean belongsHere(ProcessHandle other) {
    return other.info().commandLine().orElse("").contains(directory.toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "AWS_ACCESS_KEY_ID | AWS_SECRET_ACCESS_KEY | http://127.0.0.1:1 cannot be used: ",
        "UNUSED_ID         | UNUSED_KEY            | no credentials for http://127.0.0.1:1 found",
      })
  void endpoint_that_cannot_be_reached_or_used_is_one_line(String id, String key, String said)
      throws Exception {
    start(Map.of(id, "a", key, "b"), "refs", "--smallest", "--endpoint", "http://127.0.0.1:1");

    assertIsOneLine(said);
  }

  private void assertIsOneLine(String... said) throws Exception {
    assertEquals(1, exitCode());
    assertThat(err().strip().lines()).hasSize(1);
    assertThat(err()).startsWith("jgit-s3-bench: ").contains(said);
  }

  @Test
  void wrong_credentials_are_one_line() throws Exception {
    try (OwnServer server = server()) {
      String user = server.endpoint().environment().get("AWS_ACCESS_KEY_ID");
      start(
          Map.of("AWS_ACCESS_KEY_ID", user, "AWS_SECRET_ACCESS_KEY", "wrong"),
          "refs",
          "--smallest",
          "--endpoint",
          server.endpoint().uri().toString());

      assertIsOneLine("SignatureDoesNotMatch", "AWS_ACCESS_KEY_ID");
    }
  }

  private Map<String, String> buckets(OwnServer server, String... names) throws IOException {
    for (String name : names) {
      server.createBucket(name);
    }
    Map<String, String> environment = new HashMap<>(server.endpoint().environment());
    environment.put("BUCKETS", String.join(",", names));
    return environment;
  }

  private void assertBucketIsEmpty(String name) throws IOException {
    try (Stream<Path> left = Files.walk(directory.resolve("given").resolve(name))) {
      assertThat(left.filter(Files::isRegularFile)).isEmpty();
    }
  }

  /** A run of some other machine on the same server. */
  private Path baseline(OwnServer server) throws IOException {
    Machine other =
        new Machine("Linux", "Another CPU", 2, 4096, "17", "7.8", "2026-11-29T00:00:00Z");
    Row row = Row.of("lookup", "s3", Unit.REQUESTS, Figure.exactly(2));
    Results results =
        new Results(
            other,
            new Settings("smallest", 2000, 16, server.endpoint().uri().toString()),
            List.of(SuiteResult.of("requests", Map.of(), List.of(row), "s3")),
            Optional.empty());
    return Files.writeString(directory.resolve("before.json"), JsonReport.of(results));
  }

  @Tag("long") // bucket_that_is_missing_is_one_line has a given server and named buckets
  @Test
  void suites_on_a_given_server_leave_no_bucket_and_are_compared_with_a_run() throws Exception {
    Path json = directory.resolve("out.json");
    Path page = directory.resolve("page.html");
    try (OwnServer server = server()) {
      start(
          buckets(server, "one", "two"),
          "express",
          "requests",
          "--smallest",
          "--endpoint",
          server.endpoint().uri().toString(),
          "--baseline",
          baseline(server).toString(),
          "--json",
          json.toString(),
          "--html",
          page.toString());

      assertThat(exitCode()).as("%s%s", err(), out()).isZero();
      assertBucketIsEmpty("one");
      assertBucketIsEmpty("two");
      try (Stream<Path> buckets = Files.list(directory.resolve("given"))) {
        assertThat(buckets.map(bucket -> bucket.getFileName().toString()))
            .noneMatch(name -> name.startsWith("jgit-s3-bench"));
      }
      assertThat(directory.resolve("target/bench-data/s3")).doesNotExist();
    }
    assertThat(err()).contains("[express 1/", "[requests");
    assertThat(out())
        .contains(
            "**The baseline is of another machine: Linux; 2 processors (Another CPU), 4,096 MiB.**")
        .containsPattern("(?m)^\\d+ better, \\d+ worse, \\d+ not significant, \\d+ unknown$");
    JsonNode results = new ObjectMapper().readTree(json.toFile());
    assertThat(results.at("/settings/effort").asText()).isEqualTo("smallest");
    for (String suite : List.of("express", "requests")) {
      assertThat(results.at("/suites/" + suite + "/rows"))
          .as(suite)
          .isNotEmpty()
          .noneMatch(row -> row.path("failed").asBoolean());
    }
    assertThat(Files.readString(page))
        .contains("of another machine: Linux; 2 processors (Another CPU)", "get_64k_client_us");
  }

  @Test
  void bucket_that_is_missing_is_one_line_and_the_others_are_left_empty() throws Exception {
    try (OwnServer server = server()) {
      Map<String, String> environment = buckets(server, "one");
      environment.put("BUCKETS", "one,typo");
      start(environment, "express", "--smallest", "--endpoint", server.endpoint().uri().toString());

      assertEquals(1, exitCode());
      assertThat(err().lines().filter(line -> line.startsWith("jgit-s3-bench:")))
          .singleElement()
          .asString()
          .startsWith("jgit-s3-bench: bucket typo cannot be written: ");
      assertBucketIsEmpty("one");
    }
  }

  @Tag("long") // bucket_that_is_missing_is_one_line has the clean-up
  @Test
  void interrupted_run_leaves_nothing_in_named_buckets() throws Exception {
    try (OwnServer server = server()) {
      Map<String, String> environment = buckets(server, "one");
      environment.put("NUMBER_OF_ITERATIONS", "2");
      environment.put("SAMPLE_SIZE", "2");
      start(environment, "express", "--quick", "--endpoint", server.endpoint().uri().toString());
      Path seen = directory.resolve("given/one/jgit-s3-bench/express/written-0");
      Instant deadline = Instant.now().plus(PATIENCE);
      while (Files.notExists(seen)) {
        assertThat(process.isAlive()).as(err()).isTrue();
        assertThat(Instant.now()).as(err()).isBefore(deadline);
        process.waitFor(20, TimeUnit.MILLISECONDS);
      }

      process.destroy();

      assertEquals(128 + SIGTERM, exitCode(), err());
      assertBucketIsEmpty("one");
    }
  }
}
