// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.robust;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.jgits3.S3RepositoryManager;
import org.jgits3.bench.Effort;
import org.jgits3.bench.git.GitClient;
import org.jgits3.bench.git.ServerJvm;
import org.jgits3.bench.git.SyntheticRepository;
import org.jgits3.bench.report.ErrorLine;
import org.jgits3.bench.report.Unit;
import org.jgits3.bench.server.S3Endpoint;
import org.jgits3.verify.Verification;

/** A store that is away in the middle of a push, a clone, a collection and an import. */
final class Outages {
  static final String KEY = "outages_failed";

  private static final String STORE = "outages";
  private static final String DEADLINES = "\trequestDeadline = 2 min\n\tcommitDeadline = 2 min\n";
  private static final String HEAP = "-Xmx512m";
  private static final Duration LIMIT = Duration.ofMinutes(6);

  private final Bench bench;
  private final S3Endpoint server;
  private final Path source;
  private final String length;

  Outages(Bench bench) {
    this.bench = bench;
    this.server = bench.s3().orElseThrow();
    this.source = bench.data().resolve("source-" + bench.plan().megabytes() + ".git");
    this.length = " while the store is away for " + bench.plan().outage().toSeconds() + " s: ";
  }

  void run() throws IOException, InterruptedException {
    if (!server.uri().getScheme().equals("http")) {
      bench.findings().missing("outages", "a proxy cannot stand in front of " + server.uri());
      return;
    }
    SyntheticRepository.generate(bench.git(), source, bench.plan().megabytes() * 1_000_000L);
    Path direct = bench.configFile("outages", Bench.config(server, STORE));
    for (OutageProxy.Kind kind : OutageProxy.Kind.values()) {
      Bench.together(operations(kind, direct));
    }
    verify();
  }

  private void verify() throws IOException {
    int damaged = 0;
    try (S3RepositoryManager manager = Bench.manager(Bench.config(server, STORE))) {
      for (String name : manager.list()) {
        damaged +=
            new Verification(manager, NullProgressMonitor.INSTANCE).run(name).findings().isEmpty()
                ? 0
                : 1;
      }
    }
    bench.findings().none("repositories that were damaged by outages", "s3", damaged);
    bench.findings().headline(KEY, damaged);
  }

  /** One of each kind must do for the smallest effort, all are started in parallel otherwise. */
  private List<Callable<Void>> operations(OutageProxy.Kind kind, Path direct)
      throws IOException, InterruptedException {
    String suffix = kind.name().toLowerCase(Locale.ROOT);
    Callable<Void> push = operation("git push", kind, config -> push(config, "pushed-" + suffix));
    Callable<Void> imported =
        operation("import", kind, config -> imports(config, "imported-" + suffix));
    if (bench.context().effort() == Effort.SMALLEST) {
      return List.of(kind == OutageProxy.Kind.REFUSED ? push : imported);
    }
    imports(direct, "cloned-" + suffix);
    imports(direct, "collected-" + suffix);
    return List.of(
        push,
        imported,
        operation("git clone", kind, config -> cloned(config, "cloned-" + suffix)),
        operation(
            "gc",
            kind,
            config -> bench.run(config, LIMIT, "gc", "--force", "collected-" + suffix)));
  }

  private void imports(Path config, String name) throws IOException, InterruptedException {
    bench.run(config, LIMIT, "import", source.toString(), name);
  }

  /** Something that needs the store of a config file, and fails if it does not exit with 0. */
  private interface Operation {
    void run(Path config) throws IOException, InterruptedException;
  }

  private Callable<Void> operation(String name, OutageProxy.Kind kind, Operation operation) {
    return () -> {
      measure(name, kind, operation);
      return null;
    };
  }

  private void measure(String name, OutageProxy.Kind kind, Operation operation)
      throws IOException, InterruptedException {
    String title = name + length + kind.title();
    long bytes = bench.plan().megabytes() * 1_000_000L / 4;
    try (OutageProxy proxy = OutageProxy.start(server.uri(), kind, bench.plan().outage())) {
      S3Endpoint through =
          new S3Endpoint(proxy.uri(), server.region(), server.bucketPrefix(), server.own());
      Path config =
          bench.configFile(
              "outage-" + name.replace(' ', '-') + "-" + kind,
              Bench.config(through, STORE) + DEADLINES);
      // The first use of an endpoint probes it, which takes more bytes than are left.
      bench.run(config, LIMIT, "init", "probed-" + UUID.randomUUID());
      proxy.awayAfter(bytes);
      long start = System.nanoTime();
      try {
        operation.run(config);
        if (!proxy.happened()) {
          throw new IOException("it was over before the store was away");
        }
        bench.findings().none(title, "s3", 0);
        bench.findings().headline(KEY, 0);
      } catch (IOException e) {
        bench.findings().failed(title, "s3", Unit.COUNT, ErrorLine.of(e));
        bench.findings().headline(KEY, 1);
      }
      bench
          .findings()
          .note(title + ", time", "s3", Unit.NANOSECONDS, (double) (System.nanoTime() - start));
      if (kind == OutageProxy.Kind.UNAVAILABLE) {
        bench.findings().count(title + ", answers of 503", "s3", proxy.answers());
      }
    }
  }

  private void push(Path config, String name) throws IOException, InterruptedException {
    try (ServerJvm jvm = bench.serve(HEAP, config, bench.scratch().resolve(name + ".log"))) {
      expectZero(bench.git().attempt(source, LIMIT, "push", "-q", jvm.url(name), "refs/*:refs/*"));
    }
  }

  private void cloned(Path config, String name) throws IOException, InterruptedException {
    Path clone = bench.scratch().resolve("clone-" + name);
    try (ServerJvm jvm = bench.serve(HEAP, config, bench.scratch().resolve(name + ".log"))) {
      expectZero(
          bench
              .git()
              .attempt(
                  bench.scratch(),
                  LIMIT,
                  "clone",
                  "-q",
                  "--mirror",
                  jvm.url(name),
                  clone.toString()));
    }
    expectZero(bench.git().attempt(clone, LIMIT, "fsck", "--no-progress"));
  }

  private static void expectZero(GitClient.Ended ended) throws IOException {
    if (ended.exitCode().isEmpty()) {
      throw new IOException("did not end within " + LIMIT.toMinutes() + " min");
    }
    if (ended.exitCode().getAsInt() != 0) {
      throw new IOException("exit code " + ended.exitCode().getAsInt() + ": " + ended.errors());
    }
  }
}
