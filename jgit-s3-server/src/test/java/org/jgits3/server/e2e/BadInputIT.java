// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
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
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that bad input gets one clear line, and that nothing is lost or overwritten. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class BadInputIT {
  private static final int FAILED = 1;

  @TempDir private Path scratch;
  private ServedStore store;
  private GitClient git;

  @BeforeEach
  void emptyStore() throws IOException {
    store = ServedStore.directory(scratch);
    git = GitClient.in(scratch);
  }

  @Test
  void bucket_that_cannot_be_used_fails_commands_and_servers_in_one_line() throws IOException {
    S3Server server = S3Servers.require();
    ServedStore bucket = ServedStore.bucket(server, scratch);
    assertFails(bucket.at("s3://no-such-bucket-jgits3/x"), "no-such-bucket-jgits3");
    assertThat(assertFails(bucket.with("AWS_SECRET_ACCESS_KEY", "not-it-x7"), "secret key"))
        .doesNotContain("not-it-x7");
    assertFails(bucket.with("AWS_ACCESS_KEY_ID", "nobody"), "access key");
    assertThat(Command.run(bucket, "list").succeeds().stdout()).isEmpty();
    URI nowhere = URI.create("http://127.0.0.1:9");
    ServedStore elsewhere = ServedStore.unknownBucket(server, nowhere, scratch);
    assertFails(elsewhere, "127.0.0.1:9", "Connection refused");
    Map<String, String> none = Map.of("HOME", scratch.toString());
    assertFails(new ServedStore("s3://any-bucket/x", elsewhere.config(), none), "credentials");
  }

  /** Checks that a command and a server fail in one line with words, and returns it. */
  private static String assertFails(ServedStore store, String... words) {
    StringBuilder said = new StringBuilder();
    for (String command : List.of("list", "init a", "serve --listen 127.0.0.1:0")) {
      Command refused = Command.run(store, command.split(" "));
      assertThat(refused.failsInOneLine(FAILED).stderr()).contains(words);
      said.append(refused);
    }
    return said.toString();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void pack_that_is_missing_or_damaged_is_named_and_nothing_else_changes(boolean missing)
      throws IOException {
    try (RunningServer server = ServerInJvm.startCreating(store)) {
      workingCopy().run("push", "-q", server.url("holed"), "main");
    }
    List<Path> packs = packs();
    assertThat(packs).isNotEmpty();
    for (Path pack : packs) {
      byte[] bytes = Files.readAllBytes(pack);
      bytes[bytes.length / 2] ^= 0x10;
      Files.delete(pack);
      if (!missing) {
        Files.write(pack, bytes);
      }
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

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void manifest_that_is_cut_or_damaged_is_left_as_it_is_by_a_server(boolean cut)
      throws IOException {
    GitClient work = workingCopy();
    try (RunningServer server = ServerInJvm.startCreating(store)) {
      work.run("push", "-q", server.url("damaged"), "main");
    }
    ObjectStore stored = new DirectoryObjectStore(scratch.resolve("store"));
    Path manifest = scratch.resolve("store").resolve(StoredManifest.key(stored, "damaged"));
    byte[] bytes = Files.readAllBytes(manifest);
    bytes[bytes.length / 3] ^= 1;
    Files.write(manifest, cut ? Arrays.copyOf(bytes, bytes.length / 2) : bytes);
    Map<String, String> before = storedBytes();
    try (RunningServer server = ServerInJvm.startCreating(store)) {
      GitResult push = work.attempt("push", server.url("damaged"), "main:other");
      assertThat(push.ok()).as("%s", push).isFalse();
      GitResult fetch = work.attempt("ls-remote", server.url("damaged"));
      assertThat(fetch.ok()).as("%s", fetch).isFalse();
    }
    assertThat(storedBytes()).isEqualTo(before);
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
  @ValueSource(strings = {"list", "list --json", "--help", "verify --names"})
  void output_that_cannot_be_written_is_a_failure(String args) throws Exception {
    Command.run(store, "init", "printed").succeeds();
    Path stderr = scratch.resolve("stderr");
    Process process = store.start(Path.of("/dev/full"), stderr, args.split(" "));
    assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).isEqualTo(1);
    assertThat(stderr)
        .hasContent("jgit-s3: standard output cannot be written: No space left on device");
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
}
