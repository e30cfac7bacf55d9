// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jgits3.Stores;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.server.e2e.process.Command;
import org.jgits3.server.e2e.process.PausingProxy;
import org.jgits3.server.e2e.process.RunningServer;
import org.jgits3.server.e2e.process.ServedStore;
import org.jgits3.server.e2e.process.ServerInJvm;
import org.jgits3.server.e2e.process.ServerProcess;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreLocation;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.Holds;
import org.jgits3.testing.RandomSeed;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.jgits3.testing.aid.RandomBytes;
import org.jgits3.testing.aid.StoredFiles;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Maintenance from the command line, beside a server and real pushes, also cut off half way. */
@Holds("Maintenance killed after any number of bytes leaves a sound repository")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class MaintenanceEndToEndIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Bytes that a sweep sends between the places where it is killed. */
  private static final int SWEEP_STEP = 4_000;

  @TempDir private Path scratch;
  private RunningServer server;
  private GitClient work;
  private int commits;

  @BeforeEach
  void client() throws IOException {
    GitClient git = GitClient.in(scratch);
    git.run("init", "-q", "-b", "main", "work");
    work = git.at("work");
  }

  @AfterEach
  void stop() throws IOException {
    if (server != null) {
      server.close();
    }
  }

  private void push(String... options) {
    commits++;
    work.commitFile("file " + commits + ".txt", "commit " + commits + "\n");
    List<String> args = new ArrayList<>(List.of("push", "-q"));
    args.addAll(List.of(options));
    args.addAll(List.of(server.url("r"), "main"));
    work.run(args.toArray(new String[0]));
  }

  /** Pushes, and leaves behind what nothing leads to. */
  private void pushAndRewrite() {
    push();
    push("--force");
    work.run("reset", "-q", "--hard", "HEAD~1");
    push("--force");
  }

  private static JsonNode json(Command command) throws IOException {
    return JSON.readTree(command.stdout());
  }

  private static void isSound(ServedStore store) {
    assertThat(Command.run(store, "verify", "r").succeeds().stdout()).contains("is sound");
  }

  @Test
  void a_collected_and_swept_repository_is_smaller_sound_and_the_same() throws Exception {
    ServedStore store = ServedStore.directory(scratch);
    server = ServerProcess.start(store, "--create-on-push");
    pushAndRewrite();
    isSound(store);
    String refs = work.run("ls-remote", server.url("r"));

    JsonNode gc = json(Command.run(store, "gc", "--all", "--json").succeeds());
    assertThat(gc.get(0).get("name").asText()).isEqualTo("r");
    assertThat(gc.get(0).get("packsAfter").asInt()).isLessThanOrEqualTo(2);
    JsonNode dry =
        json(
            Command.run(store, "sweep", "--all", "--grace-hours", "0", "--dry-run", "--json")
                .succeeds());
    assertThat(dry.get(0).get("objects").asInt()).isPositive();
    long before = files(scratch.resolve("store/objects"));
    assertThat(Command.run(store, "sweep", "r", "--grace-hours", "0").succeeds().stdout())
        .contains("r: deleted " + dry.get(0).get("objects").asInt() + " objects");
    assertThat(files(scratch.resolve("store/objects"))).isLessThan(before);

    isSound(store);
    assertThat(work.run("ls-remote", server.url("r"))).isEqualTo(refs);
    push();
    isSound(store);
  }

  private static long files(Path directory) throws IOException {
    return StoredFiles.below(directory, file -> true).size();
  }

  @Test
  void verify_names_what_is_damaged_and_fails() throws Exception {
    ServedStore store = ServedStore.directory(scratch);
    server = ServerInJvm.startCreating(store);
    push();
    Path objects = scratch.resolve("store/objects");
    Path damaged = StoredFiles.below(objects, file -> file.toString().contains("/pack/")).get(0);
    byte[] bytes = Files.readAllBytes(damaged);
    bytes[bytes.length / 2] ^= 1;
    Files.write(damaged, bytes);

    String key = scratch.resolve("store").relativize(damaged).toString();
    Command verify = Command.run(store, "verify", "r").failsInOneLine(1);
    assertThat(verify.stderr()).isEqualTo("jgit-s3: r: 1 thing is wrong\n");
    assertThat(verify.stdout().lines().findFirst().orElseThrow()).startsWith(key + ": has CRC32C ");
    JsonNode report = json(Command.run(store, "verify", "r", "--json").failsInOneLine(1));
    assertThat(report.get("ok").asBoolean()).isFalse();
    assertThat(report.get("findings").get(0).get("key").asText()).isEqualTo(key);
  }

  @Test
  void one_repository_that_fails_does_not_keep_the_others_from_their_turn() throws Exception {
    ServedStore store = ServedStore.directory(scratch);
    server = ServerInJvm.startCreating(store);
    push();
    Command.run(store, "init", "damaged").succeeds();
    Path stored = scratch.resolve("store");
    String key = StoredManifest.key(new DirectoryObjectStore(stored), "damaged");
    Path manifest = stored.resolve(key);
    byte[] bytes = Files.readAllBytes(manifest);
    bytes[200] ^= 1;
    Files.write(manifest, bytes);
    Command gc = Command.run(store, "gc", "--all").failsInOneLine(1);
    assertThat(gc.stderr()).isEqualTo("jgit-s3: 1 of 2 repositories failed\n");
    assertThat(gc.stdout()).contains(": failed: ", key, "r: 1 pack, ");
    assertThat(
            Command.run(store, "sweep", "--all", "--grace-hours", "0").failsInOneLine(1).stdout())
        .contains(": failed: ", key, "r: deleted ");
  }

  /**
   * A compaction begins with the lease, and the server is killed when it has sent so much more. A
   * server killed during a compaction leaves the lease, which would keep the next from compacting,
   * so it is removed.
   */
  @Test
  @Tag("long") // SimulationTest kills processes amid compactions
  void a_server_killed_amid_pushes_and_compactions_leaves_it_sound() throws Exception {
    S3Server s3 = S3Servers.require();
    ServedStore store = ServedStore.bucket(s3, scratch);
    server = ServerProcess.start(store, "--create-on-push");
    push();
    int duringCompaction = 0;
    ExecutorService background = Executors.newSingleThreadExecutor();
    try {
      for (long bytes = 3_000; bytes <= 27_000; bytes += RandomSeed.count(12_000, 6_000)) {
        try (PausingProxy proxy = PausingProxy.sinceRequest(s3.endpoint(), "/lease ", bytes)) {
          ServedStore slow = store.through(proxy.uri(), Files.createTempDirectory(scratch, "c"));
          try (ServerProcess doomed = ServerProcess.start(slow)) {
            Future<?> pushing = background.submit(() -> pushUntilRefused(doomed.url("r")));
            proxy.awaitPause();
            doomed.kill();
            proxy.resume();
            pushing.get();
          }
        }
        duringCompaction += removeLease(s3, store) ? 1 : 0;
        isSound(store);
        push();
      }
    } finally {
      background.shutdownNow();
    }
    assertThat(duringCompaction).as("kills during a compaction").isPositive();
    removeLease(s3, store); // the last server may be compacting
    Command.run(store, "gc", "r").succeeds();
    isSound(store);
    assertThat(json(Command.run(store, "stats", "r", "--json").succeeds()).get("packs").asInt())
        .isLessThanOrEqualTo(2);
  }

  /** Removes leases of maintenance; true if a server held one. */
  private static boolean removeLease(S3Server s3, ServedStore store) throws IOException {
    List<String> keys = new ArrayList<>();
    boolean held = false;
    try (ObjectStore bucket = Stores.open(StoreLocation.parse(store.url()), s3.options())) {
      bucket.list("objects/", object -> keys.add(object.key()));
      keys.removeIf(key -> !key.endsWith("/lease"));
      for (String key : keys) {
        if (bucket.get(key, Optional.empty()) instanceof GetResult.Found found) {
          String end = new String(found.bytes(), US_ASCII).split(" ", -1)[0];
          held |= Instant.parse(end).isAfter(Instant.now());
        }
      }
      bucket.delete(keys);
    }
    return held;
  }

  private void pushUntilRefused(String url) {
    do {
      commits++;
      work.commitFile("file " + commits + ".txt", "commit " + commits + "\n");
    } while (work.attempt("push", "-q", url, "main").ok());
  }

  @Tag("long") // SimulationTest kills processes amid collections
  @Test
  void a_killed_collection_leaves_a_sound_repository_and_can_be_repeated() throws Exception {
    S3Server s3 = S3Servers.require();
    ServedStore store = ServedStore.bucket(s3, scratch);
    server = ServerProcess.start(store, "--create-on-push");
    Files.write(scratch.resolve("work/large"), RandomBytes.of(3 << 20, 3));
    work.run("add", "large");
    pushAndRewrite();
    int kills = 0;
    for (long bytes = 8_000;
        store.killed(bytes, scratch, "gc", "r");
        bytes *= RandomSeed.count(8, 4)) {
      kills++;
      removeLease(s3, store); // of the dead, for which the next collection would wait
      isSound(store);
      push();
    }
    assertThat(kills).isGreaterThanOrEqualTo(3);
    isSound(store);
    push();
    Command.run(store, "sweep", "r", "--grace-hours", "0").succeeds();
    Command.run(store, "sweep", "r", "--grace-hours", "0").succeeds();
    isSound(store);
  }

  @Tag("long") // SimulationTest kills processes amid sweeps
  @Test
  void a_sweep_that_is_killed_leaves_a_sound_repository_and_can_be_repeated() throws Exception {
    S3Server s3 = S3Servers.require();
    ServedStore store = ServedStore.bucket(s3, scratch);
    server = ServerProcess.start(store, "--create-on-push");
    int kills = 0;
    long bytes = 10_000L + RandomSeed.first() % SWEEP_STEP; // at others in each run of CI
    boolean killed;
    do {
      pushAndRewrite();
      Command.run(store, "gc", "r").succeeds();
      Command.run(store, "sweep", "r").succeeds(); // leaves a mark, and spares what is new
      killed = store.killed(bytes, scratch, "sweep", "r", "--grace-hours", "0");
      kills += killed ? 1 : 0;
      isSound(store);
      bytes += SWEEP_STEP;
    } while (killed);
    assertThat(kills).isPositive();
    push();
    isSound(store);
  }
}
