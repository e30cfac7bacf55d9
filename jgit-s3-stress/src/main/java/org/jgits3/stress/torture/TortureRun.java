// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.torture;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.StoredConfig;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.bench.WrongUsageException;
import org.jgits3.bench.git.GitClient;
import org.jgits3.bench.git.ServerJvm;
import org.jgits3.bench.process.FreePort;
import org.jgits3.bench.process.JvmProgram;
import org.jgits3.bench.process.ScratchDirectory;
import org.jgits3.bench.server.S3Endpoint;
import org.jgits3.bench.server.S3Session;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.server.Main;
import org.jgits3.transfer.ImportSource;
import org.jgits3.transfer.Importer;

/** One run: processes that work, faults, kills, and the judgement. Used by one thread. */
public final class TortureRun {
  private static final String BUCKET = "torture";
  private static final List<String> STAYING = List.of("r0", "r1", "r2");

  /** Names of repositories that come and go. */
  static final List<String> PASSING = List.of("n0", "n1", "n2", "n3");

  /** The one that drops unreachable objects at once. */
  private static final String PRUNED = "r1";

  private static final long MOST_MILLIS_OF_WEATHER = 3000;

  /** Lies of a store after which one of them is certainly about refs. */
  private static final long ENOUGH_LIES = 5;

  private static final Duration BETWEEN_LINES = Duration.ofSeconds(20);
  private static final long SECONDS_TO_END = 90;

  /** The furthest that a clock is from that of the machine. */
  private static final int SECONDS_OFF = 12 * 60 * 60;

  /** Longer than any time-out of a worker: its commits have 3 seconds, an attempt 10. */
  static final long MILLIS_STOPPED = 12_000;

  /** Deadlines of the workers, so that a few seconds are an outage. */
  private static final String DEADLINES = "\trequestDeadline = 4 s\n\tcommitDeadline = 3 s\n";

  private final TorturePlan plan;
  private final Consumer<String> progress;
  private final SplittableRandom random;
  private final List<Integer> ports = new ArrayList<>();

  /**
   * Prepares a run.
   *
   * @param plan its extent
   * @param progress gets a line now and then
   */
  public TortureRun(TorturePlan plan, Consumer<String> progress) {
    this.plan = plan;
    this.progress = progress;
    this.random = new SplittableRandom(plan.seed());
  }

  /**
   * Runs to the end.
   *
   * @return what was found
   * @throws WrongUsageException if the given server cannot be used
   * @throws IOException if the run cannot be made or judged, with one line that says why
   * @throws InterruptedException if the thread was interrupted
   */
  public Verdict run() throws IOException, InterruptedException {
    HistoryCheck check = HistoryCheck.build(plan.root());
    ScratchDirectory.delete(plan.directory());
    Path histories = Files.createDirectories(plan.directory().resolve("histories"));
    Path logs = Files.createDirectories(plan.directory().resolve("logs"));
    try (S3Session s3 = S3Session.of(plan.server(), plan.root(), plan.directory())) {
      s3.createBucket(BUCKET);
      S3Endpoint endpoint = s3.endpoint();
      try (S3RepositoryManager direct = endpoint.repositories(BUCKET)) {
        for (String name : STAYING) {
          create(direct, name);
        }
        makeSource();
        makeTemplate(direct);
        return torture(endpoint, direct, histories, logs, check);
      }
    }
  }

  private static void create(S3RepositoryManager manager, String name) throws IOException {
    try (S3Repository repository = manager.createRepository(name)) {
      if (name.equals(PRUNED)) {
        StoredConfig config = repository.getConfig();
        config.setString("gc", null, "pruneExpire", "now");
        config.save();
      }
    }
  }

  private Path source() {
    return plan.directory().resolve("source.git");
  }

  /** Makes what is imported. */
  private void makeSource() throws IOException, InterruptedException {
    GitClient git = GitClient.in(plan.directory().resolve("home"));
    git.run(plan.directory(), "init", "-q", "--bare", source().toString());
    StringBuilder history = new StringBuilder();
    for (int i = 0; i < Names.TAGS; i++) {
      history.append(
          "commit refs/heads/main\ncommitter A <a@example.com> %d +0000\ndata 1\nc\n"
                  .formatted(i + 1)
              + "M 100644 inline file%d\ndata 3\nabc\nreset refs/tags/t%d\nfrom refs/heads/main\n\n"
                  .formatted(i, i));
    }
    git.run(
        source(),
        stdin -> stdin.write(history.toString().getBytes(US_ASCII)),
        "fast-import",
        "--quiet");
  }

  /** Makes what is forked. */
  private void makeTemplate(S3RepositoryManager manager) throws IOException {
    RepositoryName imported = RepositoryName.of("imported");
    try (ImportSource directory = ImportSource.open(source().toString())) {
      importInto(manager, directory, imported);
    }
    try (ImportSource repository = ImportSource.template(manager, imported)) {
      importInto(manager, repository, RepositoryName.of(Names.TEMPLATE));
    }
    manager.delete(imported.value());
  }

  private static void importInto(
      S3RepositoryManager manager, ImportSource source, RepositoryName name) throws IOException {
    new Importer(manager, NullProgressMonitor.INSTANCE).run(source, name);
  }

  private Verdict torture(
      S3Endpoint endpoint,
      S3RepositoryManager direct,
      Path histories,
      Path logs,
      HistoryCheck check)
      throws IOException, InterruptedException {
    Path end = plan.directory().resolve("end");
    GitClient git = GitClient.in(plan.directory().resolve("home"));
    for (int i = 0; i < plan.servers(); i++) {
      ports.add(FreePort.find());
    }
    Verdict verdict;
    try (FaultProxy proxy = FaultProxy.start(endpoint.uri(), random.nextLong())) {
      String text =
          endpoint.config(BUCKET).replace(endpoint.uri().toString(), proxy.uri().toString());
      Path config = Files.writeString(plan.directory().resolve("config"), text + DEADLINES);
      Workers workers =
          new Workers((worker, name) -> program(endpoint, config, worker, name, end), logs);
      try (workers) {
        workers.start(plan.workers() + plan.servers());
        List<Thread> pushers = startPushers(direct, histories, git, end);
        disturb(proxy, workers);
        proxy.set(Weather.CALM);
        Files.createFile(end);
        for (Thread pusher : pushers) {
          pusher.join();
        }
        for (int i = 0; i < plan.servers(); i++) {
          workers.end(plan.workers() + i);
        }
        workers.awaitEnd(SECONDS_TO_END);
      }
      progress.accept("judging");
      Path calm = Files.writeString(plan.directory().resolve("calm"), endpoint.config(BUCKET));
      List<String> serve = List.of("--config", calm.toString(), "serve", "--listen", "127.0.0.1:0");
      try (ServerJvm server =
          ServerJvm.start(
              new JvmProgram(options(endpoint), Main.class, serve), logs.resolve("serve.log"))) {
        Judgement judgement = new Judgement(direct, histories, check, git, server.uri().toString());
        verdict = judgement.verdict(proxy, workers);
      }
    }
    return verdict;
  }

  private static List<String> options(S3Endpoint endpoint) {
    List<String> options = new ArrayList<>(endpoint.jvmOptions());
    options.addAll(List.of("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    return options;
  }

  private JvmProgram program(S3Endpoint endpoint, Path config, int worker, String name, Path end) {
    if (worker >= plan.workers()) {
      String address = "127.0.0.1:" + ports.get(worker - plan.workers());
      return new JvmProgram(
          options(endpoint),
          ShiftedClock.class,
          List.of(ahead(name), "--config", config.toString(), "serve", "--listen", address));
    }
    List<String> arguments =
        List.of(
            config.toString(),
            plan.directory().resolve("histories").toString(),
            name,
            Long.toString(plan.seed() * 31 + name.hashCode()),
            Integer.toString(plan.threads()),
            end.toString(),
            source().toString(),
            String.join(",", PASSING),
            String.join(",", STAYING),
            portFile(worker).toString(),
            ahead(name));
    return new JvmProgram(options(endpoint), WorkerProgram.class, arguments);
  }

  /** Time that the clock of a process is ahead of the machine's: another in each of its lives. */
  private String ahead(String name) {
    SplittableRandom clock = new SplittableRandom(plan.seed() * 37 + name.hashCode());
    return Duration.ofSeconds(clock.nextInt(-SECONDS_OFF, SECONDS_OFF + 1)).toString();
  }

  private Path portFile(int worker) {
    return plan.directory().resolve("port-of-" + worker);
  }

  private List<Thread> startPushers(
      S3RepositoryManager direct, Path histories, GitClient git, Path end)
      throws IOException, InterruptedException {
    Map<String, String> ids = new TreeMap<>();
    for (String name : STAYING) {
      try (S3Repository repository = direct.openRepository(name)) {
        ids.put(name, repository.manifest().repositoryId());
      }
    }
    List<Thread> threads = new ArrayList<>();
    Clerk clerk = Clerk.of(histories, "git");
    for (int i = 0; i < plan.servers(); i++) {
      SplittableRandom choices = random.split();
      Pushes pushes = Pushes.in(plan.directory().resolve("clone" + i), git, clerk, choices);
      Thread thread = new Thread(() -> push(pushes, choices, ids, clerk, end), "pushes");
      thread.setDaemon(true);
      thread.start();
      threads.add(thread);
    }
    return threads;
  }

  private void push(
      Pushes pushes, SplittableRandom choices, Map<String, String> ids, Clerk clerk, Path end) {
    try {
      while (Files.notExists(end)) {
        String name = STAYING.get(choices.nextInt(STAYING.size()));
        Optional<String> url = url(choices, name);
        if (url.isPresent()) {
          pushes.step(url.get(), ids.get(name));
        } else {
          TimeUnit.MILLISECONDS.sleep(100);
        }
      }
    } catch (IOException e) {
      try {
        clerk.found("anomaly: pushes ended: " + e);
      } catch (IOException full) {
        e.addSuppressed(full);
        progress.accept(e.toString());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** URL of a repository at a server, or at a worker that serves; empty if it has not started. */
  private Optional<String> url(SplittableRandom choices, String name) throws IOException {
    int server = choices.nextInt(plan.servers() + plan.workers());
    if (server < plan.servers()) {
      return Optional.of("http://127.0.0.1:" + ports.get(server) + "/" + name + ".git");
    }
    Path file = portFile(server - plan.servers());
    return Files.exists(file)
        ? Optional.of("git://127.0.0.1:" + Files.readString(file) + "/" + name)
        : Optional.empty();
  }

  /** Changes the weather, kills and stops processes until the time is over. */
  private void disturb(FaultProxy proxy, Workers workers) throws IOException, InterruptedException {
    long end = System.nanoTime() + plan.length().toNanos();
    long nextLine = System.nanoTime() + BETWEEN_LINES.toNanos();
    long nextKill = System.nanoTime() + pauseBeforeKill();
    while (System.nanoTime() < end && lies(proxy) < ENOUGH_LIES) {
      proxy.set(plan.lie().map(Weather::lying).orElseGet(() -> Weather.next(random)));
      TimeUnit.MILLISECONDS.sleep(300 + random.nextLong(MOST_MILLIS_OF_WEATHER));
      workers.resume();
      workers.revive();
      if (System.nanoTime() > nextKill && plan.lie().isEmpty()) {
        if (random.nextInt(4) == 0) {
          workers.stop(random, MILLIS_STOPPED);
        } else {
          workers.kill(random);
        }
        nextKill = System.nanoTime() + pauseBeforeKill();
      }
      if (System.nanoTime() > nextLine) {
        progress.accept(
            "%d faults, %d kills, %d stops"
                .formatted(proxy.faults(), workers.kills(), workers.stops()));
        nextLine = System.nanoTime() + BETWEEN_LINES.toNanos();
      }
    }
  }

  private static long lies(FaultProxy proxy) {
    return Fault.LIES.stream().mapToLong(proxy::count).sum();
  }

  private long pauseBeforeKill() {
    return Duration.ofMillis(1500 + random.nextInt(5000)).toNanos();
  }
}
