// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.load;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.bench.WrongUsageException;
import org.jgits3.bench.git.GitClient;
import org.jgits3.bench.git.ServerJvm;
import org.jgits3.bench.process.JvmProgram;
import org.jgits3.bench.process.ScratchDirectory;
import org.jgits3.bench.report.ErrorLine;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.server.S3Endpoint;
import org.jgits3.bench.server.S3Session;
import org.jgits3.stress.robust.Refs;

/** One run: clients of one server, its end while they push, and the judgement. */
public final class LoadRun {
  private static final String BUCKET = "load";
  private static final int QUARTERS = 4;
  private static final int BYTES_OF_FILE = 4_000;

  /** Longer than the server takes to finish requests, and to close what is open then. */
  private static final Duration END_WITHIN = Duration.ofMinutes(3);

  private final LoadPlan plan;
  private final Path root;
  private final Path directory;
  private final Consumer<String> progress;
  private final GitClient git;
  private final Tally tally = new Tally();
  private final Ledger ledger = new Ledger();
  private final List<Stage> stages = new ArrayList<>();
  private final List<String> grown = new ArrayList<>();

  /** Set by the thread of the run, read by those of clients. */
  private volatile boolean goesOn = true;

  private volatile boolean ending;

  /**
   * Prepares a run.
   *
   * @param plan its extent
   * @param root directory of the sources
   * @param directory directory of the run; what is there is deleted
   * @param progress gets a line now and then
   * @throws IOException if the directory cannot be used
   */
  public LoadRun(LoadPlan plan, Path root, Path directory, Consumer<String> progress)
      throws IOException {
    this.plan = plan;
    this.root = root;
    this.directory = directory;
    this.progress = progress;
    ScratchDirectory.delete(directory);
    this.git = GitClient.in(directory.resolve("home"));
  }

  /**
   * Runs to the end. Leaves nothing but logs if nothing was wrong.
   *
   * @return what was found
   * @throws WrongUsageException if the given server cannot be used
   * @throws IOException if the run cannot be made or judged, with one line that says why
   * @throws InterruptedException if the thread was interrupted
   */
  public LoadVerdict run() throws IOException, InterruptedException {
    LoadVerdict verdict;
    try (S3Session s3 = S3Session.of(plan.store(), root, directory)) {
      s3.createBucket(BUCKET);
      S3Endpoint endpoint = s3.endpoint();
      Path config = Files.writeString(directory.resolve("config"), endpoint.config(BUCKET));
      try (S3RepositoryManager direct = endpoint.repositories(BUCKET)) {
        fill(direct);
        serve(endpoint, config);
        verdict = judge(direct, endpoint, config);
      }
    }
    if (verdict.passed()) {
      ScratchDirectory.delete(directory.resolve("s3"));
      ScratchDirectory.delete(directory.resolve("clients"));
    }
    return verdict;
  }

  /** Makes the repository that is listed; the others are made by pushes. */
  private void fill(S3RepositoryManager direct) throws IOException {
    progress.accept("creating " + plan.sizes().refs() + " refs");
    try (S3Repository repository = direct.createRepository(Crowd.LISTED)) {
      Refs.createMany(
          repository, Crowd.REFS, plan.sizes().refs(), Refs.commit(repository, "listed"));
    }
  }

  private ServerJvm start(S3Endpoint endpoint, Path config, String log)
      throws IOException, InterruptedException {
    List<String> options = new ArrayList<>(endpoint.jvmOptions());
    options.addAll(plan.server().options());
    options.addAll(
        List.of(
            "-Xmx" + plan.server().heap(),
            "-XX:+ExitOnOutOfMemoryError",
            "-XX:+HeapDumpOnOutOfMemoryError",
            "-XX:HeapDumpPath=" + directory));
    List<String> arguments =
        List.of(
            "--config",
            config.toString(),
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--create-on-push",
            "--idle-timeout",
            Long.toString(plan.server().idleTimeout().toSeconds()));
    return ServerJvm.start(
        new JvmProgram(options, plan.server().program(), arguments), directory.resolve(log));
  }

  private void serve(S3Endpoint endpoint, Path config) throws IOException, InterruptedException {
    try (ServerJvm server = start(endpoint, config, "serve.log")) {
      pushCloned(server);
      Path clients = directory.resolve("clients");
      try (Crowd crowd = new Crowd(plan, server, clients, git, tally, ledger, () -> goesOn)) {
        load(crowd, new ServerProbe(server));
        end(crowd, server);
      }
    }
  }

  private void pushCloned(ServerJvm server) throws IOException, InterruptedException {
    Path source = directory.resolve("cloned.git");
    git.run(directory, "init", "-q", "--bare", source.toString());
    git.run(
        source,
        stdin -> {
          StringBuilder text = new StringBuilder("commit refs/heads/main\n");
          text.append("committer A <a@example.com> 1 +0000\ndata 1\nc\n");
          for (int i = 0; i < plan.sizes().files(); i++) {
            String content = Integer.toString(i).repeat(BYTES_OF_FILE).substring(0, BYTES_OF_FILE);
            text.append(
                "M 100644 inline file%d\ndata %d\n%s\n".formatted(i, BYTES_OF_FILE, content));
          }
          stdin.write(text.toString().getBytes(US_ASCII));
        },
        "fast-import",
        "--quiet");
    git.run(source, "push", "-q", server.url(Crowd.CLONED), "main");
  }

  /** Lets clients work, in quarters, after each of which the server is measured. */
  private void load(Crowd crowd, ServerProbe probe) throws IOException, InterruptedException {
    stage(probe, "at first");
    together(crowd.pushers(), () -> false);
    ExecutorService background = Executors.newCachedThreadPool();
    try {
      List<CompletableFuture<Void>> slow = start(background, crowd.slow(), () -> goesOn);
      List<CompletableFuture<Void>> silent = start(background, crowd.silent(), () -> false);
      List<Client> quick = new ArrayList<>(crowd.pushers());
      quick.addAll(crowd.readers());
      for (int quarter = 1; quarter <= QUARTERS; quarter++) {
        long until = System.nanoTime() + plan.length().dividedBy(QUARTERS).toNanos();
        together(quick, () -> System.nanoTime() < until);
        stage(probe, "quarter " + quarter);
      }
      goesOn = false;
      progress.accept("waiting for slow and silent clients");
      slow.forEach(CompletableFuture::join);
      silent.forEach(CompletableFuture::join);
      settle(probe);
    } finally {
      background.shutdownNow();
    }
  }

  private void stage(ServerProbe probe, String name) throws IOException, InterruptedException {
    stages.add(probe.measure(name));
    progress.accept(
        "%s; %d operations, %d rejected, %d errors"
            .formatted(
                stages.get(stages.size() - 1).words(),
                tally.operations(),
                tally.rejections(),
                tally.errors().size()));
  }

  /**
   * Measures until the server needs no more than after the first quarter, or until it would have
   * dropped each connection that is silent.
   */
  private void settle(ServerProbe probe) throws IOException, InterruptedException {
    Stage first = stages.get(1);
    long until = System.nanoTime() + plan.server().idleTimeout().toNanos();
    Stage last = probe.measure("at the end");
    while (last.whole().grownSince(first.whole(), plan.server().heapBytes()).isPresent()
        && System.nanoTime() < until) {
      TimeUnit.SECONDS.sleep(1);
      last = probe.measure("at the end");
    }
    stages.add(last);
    progress.accept(last.words());
    for (Stage stage : stages.subList(2, stages.size())) {
      stage.grownSince(first, plan.server().heapBytes()).ifPresent(grown::add);
    }
    last.whole().grownSince(first.whole(), plan.server().heapBytes()).ifPresent(grown::add);
  }

  /** Tells the server to end while clients push, and waits until it has. */
  private void end(Crowd crowd, ServerJvm server) throws IOException, InterruptedException {
    int before = tally.count(Operation.PUSH);
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      List<CompletableFuture<Void>> pushes = start(threads, crowd.pushers(), () -> true);
      while (pushes.stream().anyMatch(push -> !push.isDone())
          && (tally.count(Operation.PUSH) < before + crowd.pushers().size()
              || ledger.underWay() < 1 + crowd.pushers().size() / 4)) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
      progress.accept(ledger.underWay() + " pushes under way: telling the server to end");
      ending = true;
      if (!server.terminate(END_WITHIN)) {
        tally.failed("the server has not ended within " + END_WITHIN.toMinutes() + " minutes");
      }
      pushes.forEach(CompletableFuture::join);
    } finally {
      threads.shutdownNow();
    }
  }

  private LoadVerdict judge(S3RepositoryManager direct, S3Endpoint endpoint, Path config)
      throws IOException, InterruptedException {
    progress.accept("judging");
    List<String> lost;
    try (ServerJvm server = start(endpoint, config, "serve-again.log")) {
      lost = new Reckoning(direct, ledger, git, server::url).lost();
    }
    List<String> errors = new ArrayList<>(tally.errors());
    errors.addAll(grown);
    List<Row> rows = new ArrayList<>(tally.rows());
    stages.forEach(stage -> rows.addAll(stage.rows()));
    return new LoadVerdict(tally.operations(), tally.rejections(), errors, lost, rows);
  }

  private void together(List<Client> clients, BooleanSupplier again) {
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      start(threads, clients, again).forEach(CompletableFuture::join);
    } finally {
      threads.shutdownNow();
    }
  }

  private List<CompletableFuture<Void>> start(
      ExecutorService threads, List<Client> clients, BooleanSupplier again) {
    return clients.stream()
        .map(client -> CompletableFuture.runAsync(() -> work(client, again), threads))
        .toList();
  }

  /** Lets a client work; one that failed begins again with the next quarter. */
  private void work(Client client, BooleanSupplier again) {
    try {
      do {
        client.step();
      } while (again.getAsBoolean());
    } catch (IOException | RuntimeException e) {
      if (ending) {
        tally.cutOff();
      } else {
        tally.failed(Optional.ofNullable(e.getMessage()).orElse(ErrorLine.of(e)));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
