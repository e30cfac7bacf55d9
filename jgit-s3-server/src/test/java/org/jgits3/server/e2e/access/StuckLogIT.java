// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e.access;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.transport.PacketLineOut;
import org.jgits3.internal.concurrent.DaemonThreads;
import org.jgits3.server.e2e.process.Command;
import org.jgits3.server.e2e.process.ServedStore;
import org.jgits3.server.e2e.process.ServerProcess;
import org.jgits3.server.http.TestRequests;
import org.jgits3.testing.ForgedPack;
import org.jgits3.testing.GitClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Pushes of 10,000 refs to a server whose log nothing reads. */
@EnabledOnOs(OS.LINUX) // where a named pipe can be opened for reading and writing
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class StuckLogIT {
  private static final int REFS = 10_000;
  private static final Pattern LOST = Pattern.compile("(?m)^jgits3_log_lost_total (\\S+)$");

  /** Pushes whose lines are more than wait for the log. */
  private static final int PUSHES = 4;

  @TempDir private Path scratch;

  @Test
  void pushes_go_on_and_their_lost_lines_are_counted_and_told() throws Exception {
    GitClient work = GitClient.in(scratch).init("work");
    ObjectId id = ObjectId.fromString(work.commitFile("a", "first\n"));
    Path pipe = scratch.resolve("log");
    Command.finish(List.of("mkfifo", pipe.toString()), Map.of()).succeeds();
    try (RandomAccessFile log = new RandomAccessFile(pipe.toFile(), "rw");
        ServerProcess server =
            ServerProcess.startWithLog(
                pipe, ServedStore.directory(scratch), "--create-on-push", "--log-format", "json")) {
      work.run("push", "-q", server.url("r"), "main");
      for (int i = 0; i < PUSHES; i++) {
        assertThat(push(server, id, "refs/many-" + i)).contains("unpack ok");
      }
      work.run("clone", "-q", server.url("r"), "clone");
      assertThat(lost(server)).isPositive();
      Queue<String> read = new ConcurrentLinkedQueue<>();
      DaemonThreads.named("reader").newThread(() -> read(log, read)).start();
      awaitAccesses(3 + PUSHES * (REFS + 1), server, read);
      assertThat(LoggedLine.lost(List.copyOf(read))).isEqualTo(lost(server));
      List<LoggedLine> lines = LoggedLine.inJson(List.copyOf(read));
      LoggedLine first =
          lines.stream()
              .filter(line -> line.is("push") && line.number("refs") == REFS)
              .findFirst()
              .orElseThrow();
      assertThat(
              lines.stream()
                  .filter(line -> line.is("ref") && line.get("id").equals(first.get("id"))))
          .extracting(line -> line.get("ref"))
          .doesNotHaveDuplicates()
          .hasSize(REFS);
    }
  }

  /** Waits until so many lines of accesses have been read or are known to be lost. */
  private static void awaitAccesses(long expected, ServerProcess server, Queue<String> read)
      throws Exception {
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
    long known = 0;
    while (known < expected) {
      assertThat(System.nanoTime()).as("%d lines", known).isLessThan(deadline);
      long written = read.stream().filter(line -> line.contains("jgits3.access\"")).count();
      known = written + lost(server);
    }
    assertThat(known).isEqualTo(expected);
  }

  /** Reads lines until the pipe is closed. */
  private static void read(RandomAccessFile pipe, Queue<String> lines) {
    try {
      InputStreamReader in = new InputStreamReader(new FileInputStream(pipe.getFD()), UTF_8);
      new BufferedReader(in).lines().forEach(lines::add);
    } catch (IOException | UncheckedIOException closed) {
      return;
    }
  }

  /** Makes refs of a commit that is there, in one push. */
  private static String push(ServerProcess server, ObjectId id, String directory) throws Exception {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    PacketLineOut commands = new PacketLineOut(body);
    String capabilities = "\0report-status";
    for (int i = 0; i < REFS; i++) {
      String ref = "%s/%05d".formatted(directory, i);
      commands.writeString(ObjectId.zeroId().name() + " " + id.name() + " " + ref + capabilities);
      capabilities = "";
    }
    commands.end();
    body.writeBytes(new ForgedPack(0).closed());
    return TestRequests.post(server.uri(), "r.git/git-receive-pack", body.toByteArray()).body();
  }

  private static long lost(ServerProcess server) throws Exception {
    String metrics = TestRequests.get(server.uri().resolve("/metrics")).body();
    Matcher lost = LOST.matcher(metrics);
    assertThat(lost.find()).as(metrics).isTrue();
    return (long) Double.parseDouble(lost.group(1));
  }
}
