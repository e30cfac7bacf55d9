// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.robust;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import org.jgits3.bench.git.GitClient;
import org.jgits3.bench.git.ServerJvm;
import org.jgits3.bench.report.Unit;

/** More pushes that end together than the heap of a server has room for. */
final class PushesTogether {
  static final String KEY = "pushes_hung_or_failed";

  static final String HEAP = "-Xmx256m";
  static final Duration LIMIT = Duration.ofMinutes(5);

  private static final Duration HOLD = Duration.ofSeconds(20);
  private static final long SEED = 20261123;

  private final Bench bench;
  private final Path source;

  PushesTogether(Bench bench) {
    this.bench = bench;
    this.source = bench.scratch().resolve("pushes.git");
  }

  void run() throws IOException, InterruptedException {
    int pushes = bench.plan().pushes();
    bench.git().run(bench.scratch(), "init", "-q", "--bare", source.toString());
    bench.git().run(source, this::write, "fast-import", "--quiet", "--done");
    Path config = bench.configFile("pushes", bench.config("pushes"));
    Path log = bench.scratch().resolve("pushes.log");
    String title =
        "%d pushes of %d kB that end together, %s: "
            .formatted(pushes, bench.plan().pushBytes() >> 10, HEAP);
    Outcomes outcomes;
    try (ServerJvm server = bench.serve(HEAP, config, log);
        HoldingProxy proxy =
            HoldingProxy.start(server.uri(), pushes, bench.plan().pushBytes() * 9L / 10, HOLD)) {
      List<Callable<GitClient.Ended>> clients = new ArrayList<>();
      for (int i = 0; i < pushes; i++) {
        int number = i;
        clients.add(() -> push(number, proxy.url("r" + number)));
      }
      outcomes = Outcomes.of(Bench.together(clients));
      GitClient.Ended next = push(0, server.url("next"));
      bench
          .findings()
          .none(title + "exit code of a push afterwards", "s3", next.exitCode().orElse(-1));
    }
    long memory = outcomes.note(bench.findings(), title, log);
    bench.findings().headline(KEY, (double) (outcomes.bad() + memory));
  }

  private GitClient.Ended push(int i, String url) throws IOException, InterruptedException {
    return bench
        .git()
        .attempt(source, LIMIT, "push", "-q", url, "refs/heads/b" + i + ":refs/heads/main");
  }

  /** Writes a branch for each push, of one file that cannot be compressed. */
  private void write(OutputStream out) throws IOException {
    Random random = new Random(SEED);
    byte[] content = new byte[bench.plan().pushBytes()];
    for (int i = 0; i < bench.plan().pushes(); i++) {
      random.nextBytes(content);
      line(
          out,
          "commit refs/heads/b%d\ncommitter A <a@example.com> 1 +0000\ndata 1\nb\n".formatted(i)
              + "M 100644 inline file\ndata "
              + content.length);
      out.write(content);
      line(out, "");
    }
    line(out, "done");
  }

  private static void line(OutputStream out, String text) throws IOException {
    out.write((text + "\n").getBytes(StandardCharsets.US_ASCII));
  }

  /** Outcomes of requests of Git to one server. */
  record Outcomes(int done, int busy, int hung, List<String> failures) {
    static Outcomes of(List<GitClient.Ended> ended) {
      int done = 0;
      int busy = 0;
      int hung = 0;
      List<String> failures = new ArrayList<>();
      for (GitClient.Ended each : ended) {
        if (each.exitCode().isEmpty()) {
          hung++;
        } else if (each.succeeded()) {
          done++;
        } else if (each.refusedAsBusy()) {
          busy++;
        } else {
          failures.add(each.errors());
        }
      }
      return new Outcomes(done, busy, hung, failures);
    }

    int bad() {
      return hung + failures.size();
    }

    /** Notes them, and returns how often the server ran out of memory. */
    long note(Findings findings, String title, Path log) throws IOException {
      long memory = Files.readString(log).lines().filter(l -> l.contains("OutOfMemory")).count();
      findings.count(title + "done", "s3", done);
      findings.count(title + "answered 503", "s3", busy);
      findings.none(title + "hung", "s3", hung);
      findings.none(title + "failed otherwise", "s3", failures.size());
      findings.none(title + "OutOfMemoryError", "s3", memory);
      if (!failures.isEmpty()) {
        findings.failed(title + "first failure", "s3", Unit.COUNT, failures.get(0));
      }
      return memory;
    }
  }
}
