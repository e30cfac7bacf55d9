// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.file;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jgits3.internal.function.IoConsumer;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.ConcurrentTasks.Task;
import org.jgits3.store.GetResult;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectStoreContract;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.PartBody;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.StoreException;
import org.jgits3.testing.ForkedJvm;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link DirectoryObjectStore} keeps the contract, between processes and in bad directories. */
class DirectoryObjectStoreTest extends ObjectStoreContract {
  private static final Optional<ObjectVersion> ANY = Optional.empty();

  private static final String COUNTER = "shared/counter";

  @TempDir Path root;

  @Override
  protected ObjectStore open() throws IOException {
    return new DirectoryObjectStore(root);
  }

  @Override
  protected boolean listsVersions() {
    return false;
  }

  @Test
  void processes_lose_no_increment_even_if_one_is_killed() throws Exception {
    try (ObjectStore store = open()) {
      store.putIf(COUNTER, "0".getBytes(US_ASCII), Precondition.absent());
      AtomicInteger acknowledged = new AtomicInteger();
      ConcurrentTasks.run(
          List.<Task>of(
              () -> increment(100, Integer.MAX_VALUE, acknowledged),
              () -> increment(100, Integer.MAX_VALUE, acknowledged),
              () -> increment(1_000_000, 30, acknowledged)));

      GetResult.Found counter = (GetResult.Found) store.get(COUNTER, Optional.empty());
      // The killed one may have won once more than it could say.
      assertThat(value(counter)).isBetween(acknowledged.get(), acknowledged.get() + 1);
      assertThat(increment(store)).isInstanceOf(PutOutcome.Won.class);
    }
  }

  /** A process that increments the counter, and prints a line for each increment won. */
  static final class IncrementingProcess {
    private IncrementingProcess() {}

    /**
     * Increments.
     *
     * @param args directory, and how many increments to win
     */
    public static void main(String[] args) throws IOException {
      try (ObjectStore store = new DirectoryObjectStore(Path.of(args[0]))) {
        for (int won = 0; won < Integer.parseInt(args[1]); ) {
          PutOutcome outcome = increment(store);
          if (outcome instanceof PutOutcome.Won) {
            System.out.println("won");
            won++;
          } else if (!(outcome instanceof PutOutcome.Lost)) {
            throw new IOException(outcome.toString());
          }
        }
      }
    }
  }

  /** Makes one attempt; fails if the counter is not a number. */
  private static PutOutcome increment(ObjectStore store) throws IOException {
    GetResult.Found seen = (GetResult.Found) store.get(COUNTER, ANY);
    return store.putIf(
        COUNTER,
        Integer.toString(value(seen) + 1).getBytes(US_ASCII),
        Precondition.matches(seen.version()));
  }

  private static int value(GetResult.Found found) {
    return Integer.parseInt(new String(found.bytes(), US_ASCII));
  }

  private static FileTime twoDaysAgo() {
    return FileTime.from(Instant.now().minus(Duration.ofDays(2)));
  }

  /** Runs a process, counts what it wins, and kills it when it has won so often. */
  private void increment(int wins, int killAt, AtomicInteger acknowledged) throws Exception {
    Process process =
        ForkedJvm.program(IncrementingProcess.class, root.toString(), Integer.toString(wins))
            .start();
    int seen = 0;
    try (BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), US_ASCII))) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        if (line.equals("won")) {
          acknowledged.incrementAndGet();
          if (++seen == killAt) {
            // Unlike the process itself its handle leaves the pipe open, with what was said last.
            process.toHandle().destroyForcibly();
          }
        }
      }
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(seen).isGreaterThanOrEqualTo(Math.min(wins, killAt));
  }

  @Test
  void what_dead_processes_left_is_removed_after_a_day() throws IOException {
    Path temp = root.resolve(".jgit-s3/temp");
    Path upload = Files.createDirectories(temp.resolve("upload"));
    Files.writeString(upload.resolve("1"), "half a part");
    Path object = Files.writeString(temp.resolve("half"), "half an object");
    Path fresh = Files.writeString(temp.resolve("fresh"), "an object that is being written");
    open().close();
    assertThat(temp).isDirectoryContaining(upload::equals).isDirectoryContaining(object::equals);
    Files.setLastModifiedTime(upload, twoDaysAgo());
    Files.setLastModifiedTime(object, twoDaysAgo());
    open().close();
    assertThat(entries(".jgit-s3/temp")).containsExactly(fresh);
  }

  @Test
  void a_large_immutable_object_keeps_its_version_in_every_process() throws IOException {
    byte[] body = new byte[200_000];
    ObjectVersion version;
    try (ObjectStore store = open()) {
      store.put("pack", body, 0, body.length);
      version = store.stat("pack").orElseThrow().version();
    }
    Files.delete(root.resolve(".jgit-s3/meta/pack"));
    try (ObjectStore store = open()) {
      assertThat(store.read("pack", 9, new byte[9], 0, 9, ANY)).isEqualTo(version);
    }
  }

  @Test
  void a_conditional_write_over_a_large_object_changes_its_version() throws IOException {
    try (ObjectStore store = open()) {
      byte[] body = new byte[200_000];
      store.put("x", body, 0, body.length);
      ObjectVersion before = store.stat("x").orElseThrow().version();
      Arrays.fill(body, (byte) 1);
      PutOutcome outcome = store.putIf("x", body, Precondition.matches(before));
      assertThat(outcome).isInstanceOf(PutOutcome.Won.class).isNotEqualTo(before);
      assertThat(store.read("x", 0, new byte[1], 0, 1, ANY))
          .isEqualTo(((PutOutcome.Won) outcome).version());
    }
  }

  @Test
  void directories_that_become_empty_are_removed() throws IOException {
    try (ObjectStore store = open()) {
      store.put("objects/1/pack/a", new byte[1], 0, 1);
      store.delete(List.of("objects/1/pack/a"));
      assertThat(root.resolve("objects")).doesNotExist();
      store.put("objects", new byte[1], 0, 1);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/",
        "/etc/x",
        "a//b",
        "a/",
        "../x",
        "a/../../x",
        "a/./b",
        ".",
        "..",
        "a\nb",
        "a\u0000b",
        "\u00e9",
        ".jgit-s3/locks/00",
        ".jgit-s3"
      })
  void a_key_that_is_none_is_refused_whatever_is_asked(String key) throws IOException {
    try (ObjectStore store = new DirectoryObjectStore(root.resolve("store"))) {
      List<Task> requests =
          List.of(
              () -> store.get(key, ANY),
              () -> store.read(key, 0, new byte[1], 0, 1, ANY),
              () -> store.stat(key),
              () -> store.put(key, new byte[1], 0, 1),
              () -> store.putIf(key, new byte[1], Precondition.absent()),
              () -> store.beginMultipart(key, Map.of()),
              () -> store.delete(List.of(key)));
      for (Task request : requests) {
        assertThatThrownBy(request::run).isInstanceOf(StoreException.Refused.class);
      }
      assertThat(root.resolve("x")).doesNotExist();
    }
  }

  @Test
  void a_key_that_is_a_path_prefix_of_another_is_refused() throws IOException {
    try (ObjectStore store = open()) {
      store.put("a/b", new byte[1], 0, 1);
      assertThat(refused(() -> store.put("a", new byte[1], 0, 1))).contains("no key may prefix");
      assertThat(refused(() -> store.put("a/b/c", new byte[1], 0, 1)))
          .contains("no key may prefix");
      assertThat(store.get("a", ANY)).isEqualTo(new GetResult.Missing());
      assertThat(store.get("a/b/c", ANY)).isEqualTo(new GetResult.Missing());
      store.delete(List.of("a", "a/b/c"));
      assertThat(store.stat("a/b")).isPresent();
    }
  }

  @Test
  void a_directory_that_is_a_file_or_below_one_is_refused() throws IOException {
    Path file = Files.writeString(root.resolve("file"), "here");
    assertThat(refused(() -> new DirectoryObjectStore(file))).contains(file.toString());
    assertThat(refused(() -> new DirectoryObjectStore(file.resolve("below"))))
        .contains(file.toString());
    assertThat(file).hasContent("here");
  }

  @Test
  void a_directory_that_cannot_be_written_can_still_be_read() throws IOException {
    try (ObjectStore store = open()) {
      store.put("x", new byte[] {1}, 0, 1);
    }
    // Works for root too, who may write wherever permissions forbid it.
    DirectoryFiles.deleteTree(root.resolve(".jgit-s3"));
    Files.writeString(root.resolve(".jgit-s3"), "in the way");
    try (ObjectStore store = open()) {
      assertThat(store.get("x", ANY)).isInstanceOf(GetResult.Found.class);
      refused(() -> store.put("y", new byte[1], 0, 1));
      refused(() -> store.putIf("y", new byte[1], Precondition.absent()));
      refused(() -> store.beginMultipart("y", Map.of()));
      assertThat(store.stat("y")).isEmpty();
    }
  }

  @Test
  void it_can_be_closed_while_others_write() throws Exception {
    byte[] body = new byte[100];
    for (int round = 0; round < 100; round++) {
      ObjectStore store = open();
      CountDownLatch writing = new CountDownLatch(2);
      Task writer =
          () -> {
            Throwable closed = null;
            while (closed == null) {
              closed = catchThrowable(() -> store.put("k", body, 0, body.length));
              writing.countDown();
            }
            assertThat(closed).isInstanceOf(IOException.class);
          };
      ConcurrentTasks.run(
          List.<Task>of(
              writer,
              writer,
              () -> {
                writing.await();
                store.close();
              }));
    }
    open().close();
    assertThat(entries(".jgit-s3/temp")).isEmpty();
  }

  @Test
  void a_full_disk_refuses_writes_and_keeps_what_there_is() throws Exception {
    Path disk = Files.createDirectory(root.resolve("disk"));
    Assumptions.assumeTrue(
        exitCode("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk.toString()) == 0,
        "skipped: a small file system cannot be mounted here");
    try (ObjectStore store = new DirectoryObjectStore(disk)) {
      store.putIf("x", "kept".getBytes(US_ASCII), Precondition.absent());
      ObjectVersion version = store.stat("x").orElseThrow().version();
      byte[] large = new byte[2 << 20];
      assertThat(refused(() -> store.put("y", large, 0, large.length))).contains("No space left");
      assertThat(refused(() -> store.putIf("x", large, Precondition.matches(version))))
          .contains("No space left");
      MultipartUpload upload = store.beginMultipart("z", Map.of());
      assertThat(refused(() -> store.uploadPart(upload, 1, PartBody.of(large, 0, large.length))))
          .contains("No space left");
      store.abortMultipart(upload);
      assertThat(((GetResult.Found) store.get("x", ANY)).bytes())
          .isEqualTo("kept".getBytes(US_ASCII));
      assertThat(store.putIf("x", "new".getBytes(US_ASCII), Precondition.matches(version)))
          .as("the failed writes left nothing that takes space")
          .isInstanceOf(PutOutcome.Won.class);
    } finally {
      assertThat(exitCode("umount", disk.toString())).isZero();
    }
  }

  @Holds(
      "DirectoryNames, DirectoryObjectStore: A write in a directory is unknown until the names of "
          + "the object are on the disk")
  @Test
  void no_write_is_decided_before_the_names_of_the_object_are_on_the_disk() throws IOException {
    Set<Path> failing = new HashSet<>();
    Set<Path> forced = new HashSet<>();
    IoConsumer<Path> force =
        dir -> {
          if (failing.contains(dir)) {
            throw new IOException("the disk fails");
          }
          forced.add(dir);
        };
    Path above = root.resolve("a/b");
    byte[] one = {1};
    byte[] two = {2};
    try (ObjectStore store = new DirectoryObjectStore(root, force)) {
      failing.add(root);
      refused(() -> store.putIf("a/b/k", one, Precondition.absent()));
      assertThat(above.resolve("k"))
          .as("a later write relies on the directories above an object")
          .doesNotExist();
      failing.clear();
      assertThat(store.putIf("a/b/k", one, Precondition.absent()))
          .isInstanceOf(PutOutcome.Won.class);
      assertThat(forced).containsExactlyInAnyOrder(above, above.getParent(), root);

      Precondition first = Precondition.matches(store.stat("a/b/k").orElseThrow().version());
      failing.add(above);
      for (int i = 0; i < 2; i++) {
        assertThat(store.putIf("a/b/k", two, first)).isInstanceOf(PutOutcome.Unknown.class);
        assertThat(above.resolve("k")).hasBinaryContent(two);
      }
      failing.clear();
      forced.clear();
      assertThat(store.putIf("a/b/k", two, first)).isInstanceOf(PutOutcome.Lost.class);
      assertThat(forced).containsExactly(above);
    }
  }

  @Test
  void an_applied_write_is_won_though_its_temporary_file_stays() throws IOException {
    Path temp = root.resolve(".jgit-s3/temp");
    IoConsumer<Path> force =
        dir -> {
          DirectoryFiles.deleteTree(temp);
          Files.writeString(temp, "in the way");
        };
    try (ObjectStore store = new DirectoryObjectStore(root, force)) {
      assertThat(store.putIf("k", new byte[1], Precondition.absent()))
          .isInstanceOf(PutOutcome.Won.class);
      Files.delete(temp);
      store.put("p", new byte[1], 0, 1);
    }
  }

  private static int exitCode(String... command) throws Exception {
    try {
      return new ProcessBuilder(command)
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
    } catch (IOException e) {
      return -1; // there is no such command
    }
  }

  private static String refused(Task request) {
    StoreException.Refused refused =
        catchThrowableOfType(StoreException.Refused.class, request::run);
    assertThat(refused).isNotNull();
    assertThat(refused.getMessage()).startsWith("file:").doesNotContain("\n");
    return refused.getMessage();
  }

  private List<Path> entries(String directory) throws IOException {
    if (Files.notExists(root.resolve(directory))) {
      return new ArrayList<>();
    }
    try (Stream<Path> entries = Files.list(root.resolve(directory))) {
      return entries.toList();
    }
  }
}
