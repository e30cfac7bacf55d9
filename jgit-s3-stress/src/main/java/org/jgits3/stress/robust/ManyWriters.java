// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.robust;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.bench.process.JvmProgram;
import org.jgits3.bench.process.Leftovers;
import org.jgits3.bench.report.Unit;
import org.jgits3.stress.robust.WriterProgram.Counts;

/** Many processes that write to one repository at the same time, nothing being wrong. */
final class ManyWriters {
  static final String KEY = "unknown_updates";

  private static final String NAME = "shared";
  private static final String DEADLINE = "\tcommitDeadline = 5 min\n";

  /** Longer than all updates of a writer may take. */
  private static final Duration LIMIT = Duration.ofMinutes(20);

  private static final Duration START_LIMIT = Duration.ofMinutes(3);

  /** JVMs that start at a time, so that starting them all does not starve the store. */
  private static final int STARTING = 4;

  private final Bench bench;

  ManyWriters(Bench bench) {
    this.bench = bench;
  }

  void run() throws IOException, InterruptedException {
    int jvms = bench.plan().jvms();
    measure(
        "writers",
        "%d writers in %d JVMs".formatted(bench.plan().writers(), jvms),
        jvms,
        bench.plan().writers() / jvms,
        "-Xmx256m");
    if (bench.s3().isPresent()) {
      int processes = bench.plan().processes();
      measure("processes", processes + " processes", processes, 1, "-Xmx64m");
    }
  }

  private void measure(String id, String who, int jvms, int writers, String heap)
      throws IOException, InterruptedException {
    String text = bench.config(id) + DEADLINE;
    Path config = bench.configFile(id, text);
    ObjectId target;
    try (S3RepositoryManager manager = Bench.manager(text);
        S3Repository repository = manager.createRepository(NAME)) {
      target = Refs.commit(repository, "target");
      Refs.point(repository, "refs/heads/main", target);
    }
    Path go = bench.scratch().resolve(id + ".go");
    List<Path> logs = new ArrayList<>();
    List<Process> programs = new ArrayList<>();
    long start;
    try {
      for (int i = 0; i < jvms; i++) {
        Path log = bench.scratch().resolve(id + "-" + i + ".log");
        logs.add(log);
        programs.add(
            new JvmProgram(
                    bench.jvmOptions(heap, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
                    WriterProgram.class,
                    List.of(
                        config.toString(),
                        NAME,
                        target.name(),
                        "w" + i,
                        Integer.toString(writers),
                        Integer.toString(bench.plan().updates()),
                        go.toString()))
                .start(log));
        if (i % STARTING == STARTING - 1 || i == jvms - 1) {
          awaitReady(programs, logs);
        }
      }
      start = System.nanoTime();
      Files.createFile(go);
      for (Process program : programs) {
        long left = LIMIT.toNanos() - (System.nanoTime() - start);
        if (!program.waitFor(left, TimeUnit.NANOSECONDS)) {
          throw new IOException("a writer does not end within " + LIMIT.toMinutes() + " min");
        }
      }
    } finally {
      programs.forEach(Leftovers::end);
    }
    note(who + ", " + bench.plan().updates() + " updates each: ", logs, start, text);
  }

  private static void awaitReady(List<Process> programs, List<Path> logs)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    for (int i = 0; i < logs.size(); i++) {
      while (Files.readString(logs.get(i)).lines().noneMatch(WriterProgram.READY::equals)) {
        if (programs.get(i).waitFor(50, TimeUnit.MILLISECONDS)
            || System.nanoTime() - start > START_LIMIT.toNanos()) {
          throw new IOException("a writer does not start: " + Files.readString(logs.get(i)));
        }
      }
    }
  }

  private void note(String title, List<Path> logs, long start, String config) throws IOException {
    double seconds = Bench.seconds(System.nanoTime() - start);
    Counts all = new Counts(0, 0, 0, 0);
    for (Path log : logs) {
      String text = Files.readString(log);
      all =
          text.lines()
              .filter(line -> line.startsWith(WriterProgram.RESULT))
              .map(Counts::parse)
              .reduce(Counts::plus)
              .orElseThrow(() -> new IOException("a writer failed: " + text))
              .plus(all);
    }
    int present;
    try (S3RepositoryManager manager = Bench.manager(config);
        S3Repository repository = manager.openRepository(NAME)) {
      present = repository.getRefDatabase().getRefsByPrefix("refs/heads/w").size();
    }
    Findings findings = bench.findings();
    findings.count(title + "committed", bench.engine(), all.committed());
    findings.count(title + "not written", bench.engine(), all.refused());
    findings.none(title + "unknown", bench.engine(), all.unknown());
    findings.none(title + "lost", bench.engine(), Math.max(0, all.committed() - present));
    findings.note(title + "rate", bench.engine(), Unit.PER_SECOND, all.committed() / seconds);
    findings.note(title + "longest", bench.engine(), Unit.NANOSECONDS, all.longest() * 1e9);
    findings.headline(KEY, all.unknown());
  }
}
