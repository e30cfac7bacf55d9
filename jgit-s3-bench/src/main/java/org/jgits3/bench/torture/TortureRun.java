// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.torture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.Config;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.bench.WrongUsageException;
import org.jgits3.bench.process.JvmProgram;
import org.jgits3.bench.process.ScratchDirectory;
import org.jgits3.bench.server.GivenServer;
import org.jgits3.bench.server.OwnServer;
import org.jgits3.bench.server.S3Endpoint;
import org.jgits3.bench.server.S3Session;

/** One run: processes that work, faults, kills, and the judgement. Used by one thread. */
public final class TortureRun {
  private static final String BUCKET = "torture";
  private static final List<String> REPOSITORIES = List.of("r0", "r1", "r2");
  private static final long MOST_MILLIS_OF_WEATHER = 3000;
  private static final Duration BETWEEN_LINES = Duration.ofSeconds(20);
  private static final long SECONDS_TO_END = 90;

  /** Longer than any time-out of a worker: its commits have 3 seconds, an attempt 10. */
  static final long MILLIS_STOPPED = 12_000;

  /** Deadlines of the workers, so that a few seconds are an outage. */
  private static final String DEADLINES = "\trequestDeadline = 4 s\n\tcommitDeadline = 3 s\n";

  private final TorturePlan plan;
  private final Consumer<String> progress;
  private final SplittableRandom random;

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
    try (S3Session s3 = open(logs)) {
      s3.createBucket(BUCKET);
      S3Endpoint endpoint = s3.endpoint();
      try (S3RepositoryManager direct = manager(endpoint.config(BUCKET))) {
        for (String name : REPOSITORIES) {
          direct.createRepository(name).close();
        }
        return torture(endpoint, direct, histories, logs, check);
      }
    }
  }

  private S3Session open(Path logs) throws IOException, InterruptedException {
    if (plan.server().isEmpty()) {
      return OwnServer.start(
          plan.root(), plan.directory().resolve("s3"), logs.resolve("versitygw.log"));
    }
    try {
      return GivenServer.open(plan.server().get());
    } catch (IOException e) {
      throw new WrongUsageException(e.getMessage());
    }
  }

  private static S3RepositoryManager manager(String config) throws IOException {
    Config parsed = new Config();
    try {
      parsed.fromText(config);
      return S3RepositoryManager.open(S3Settings.from(parsed, "torture"));
    } catch (ConfigInvalidException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private Verdict torture(
      S3Endpoint endpoint,
      S3RepositoryManager direct,
      Path histories,
      Path logs,
      HistoryCheck check)
      throws IOException, InterruptedException {
    Path end = plan.directory().resolve("end");
    try (FaultProxy proxy = FaultProxy.start(endpoint.uri(), random.nextLong())) {
      String text =
          endpoint.config(BUCKET).replace(endpoint.uri().toString(), proxy.uri().toString());
      Path config = Files.writeString(plan.directory().resolve("config"), text + DEADLINES);
      Workers workers =
          new Workers((worker, name) -> program(endpoint, config, histories, name, end), logs);
      try (workers) {
        workers.start(plan.workers());
        disturb(proxy, workers);
        proxy.set(Weather.CALM);
        Files.createFile(end);
        workers.awaitEnd(SECONDS_TO_END);
      }
      progress.accept("judging");
      Judgement judgement = new Judgement(direct, histories, check);
      return judgement.verdict(proxy, workers);
    }
  }

  private JvmProgram program(
      S3Endpoint endpoint, Path config, Path histories, String name, Path end) {
    List<String> options = new ArrayList<>(endpoint.jvmOptions());
    options.addAll(List.of("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    List<String> arguments =
        new ArrayList<>(
            List.of(
                config.toString(),
                histories.toString(),
                name,
                Long.toString(plan.seed() * 31 + name.hashCode()),
                Integer.toString(plan.threads()),
                end.toString()));
    arguments.addAll(REPOSITORIES);
    return new JvmProgram(options, WorkerProgram.class, arguments);
  }

  /** Changes the weather, kills and stops processes until the time is over. */
  private void disturb(FaultProxy proxy, Workers workers) throws IOException, InterruptedException {
    long end = System.nanoTime() + plan.length().toNanos();
    long nextLine = System.nanoTime() + BETWEEN_LINES.toNanos();
    long nextKill = System.nanoTime() + pauseBeforeKill();
    while (System.nanoTime() < end) {
      proxy.set(plan.lies() ? Weather.LYING : Weather.next(random));
      TimeUnit.MILLISECONDS.sleep(300 + random.nextLong(MOST_MILLIS_OF_WEATHER));
      workers.resume();
      if (System.nanoTime() > nextKill) {
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

  private long pauseBeforeKill() {
    return Duration.ofMillis(1500 + random.nextInt(5000)).toNanos();
  }
}
