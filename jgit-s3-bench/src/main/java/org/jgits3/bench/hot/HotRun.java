// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.hot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.Turns;
import org.jgits3.bench.git.DiskHost;
import org.jgits3.bench.git.GitClient;
import org.jgits3.bench.git.Host;
import org.jgits3.bench.git.ServerJvm;
import org.jgits3.bench.git.StoreHost;
import org.jgits3.bench.process.ScratchDirectory;
import org.jgits3.bench.proxy.LatencyProxy;
import org.jgits3.bench.server.S3Endpoint;
import org.jgits3.bench.server.S3Session;

/** One run of the suite. Engines take turns. Used by one thread, once. */
final class HotRun {
  /** Latency of S3 Standard within a region, as injected. */
  private static final Duration WRITE = Duration.ofMillis(40);

  private static final Duration READ = Duration.ofMillis(15);

  /** The same for all servers: enough to serve all clients at once. */
  private static final String HEAP = "-Xmx1g";

  private static final String REPOSITORY = "hot";
  private static final long SEED = 20261125;

  private final SuiteContext context;
  private final HotPlan plan;
  private final Path scratch;
  private final GitClient git;
  private final S3Endpoint endpoint;
  private final Turns<HotEngine> turns;
  private final HotFigures figures;

  /**
   * A run.
   *
   * @param context where to work
   * @param plan how much to do
   * @param scratch directory of the run
   * @param endpoint the S3 server
   */
  HotRun(SuiteContext context, HotPlan plan, Path scratch, S3Endpoint endpoint) throws IOException {
    this.context = context;
    this.plan = plan;
    this.scratch = scratch;
    this.git = GitClient.in(scratch.resolve("home"));
    this.endpoint = endpoint;
    this.turns = new Turns<>(context.progress(), "", HotEngine::id);
    this.figures = new HotFigures(turns);
  }

  /** Measures, and returns all that was measured. */
  HotFigures run() throws InterruptedException {
    context.progress().expect(plan.rounds() * HotEngine.values().length);
    turns.take(List.of(HotEngine.values()), engine -> plan.rounds(), this::take);
    return figures;
  }

  private void take(HotEngine engine, int round) throws IOException, InterruptedException {
    Path directory = Files.createDirectories(scratch.resolve(engine.id() + "-" + round));
    HotRound.Outcome outcome =
        engine == HotEngine.C_GIT ? onDisk(directory, round) : onStore(engine, directory, round);
    figures.add(engine, outcome);
    context
        .progress()
        .note("%.1f pushes/s, %d pushes".formatted(outcome.perSecond(), outcome.pushes()));
  }

  private HotRound.Outcome onDisk(Path directory, int round)
      throws IOException, InterruptedException {
    Path repositories = Files.createDirectory(directory.resolve("disk"));
    Host host =
        DiskHost.httpBackend(git, repositories, List.of(HEAP), directory.resolve("serve.log"));
    host.create(REPOSITORY);
    try (ServerJvm server = host.start()) {
      return measure(directory, List.of(server), Optional.empty(), round);
    }
  }

  private HotRound.Outcome onStore(HotEngine engine, Path directory, int round)
      throws IOException, InterruptedException {
    String bucket = S3Session.SCRATCH + "/hot-" + directory.getFileName();
    StoreHost.at(directory.resolve("direct"), endpoint.config(bucket), List.of())
        .create(REPOSITORY);
    try (LatencyProxy proxy = LatencyProxy.start(endpoint.uri(), WRITE, READ)) {
      S3Endpoint distant =
          new S3Endpoint(proxy.uri(), endpoint.region(), endpoint.bucketPrefix(), endpoint.own());
      List<ServerJvm> servers = new ArrayList<>();
      try {
        for (int i = 0; i < engine.servers(); i++) {
          Path own = directory.resolve("server-" + i);
          servers.add(StoreHost.at(own, distant.config(bucket), jvmOptions(engine)).start());
        }
        return measure(directory, servers, Optional.of(proxy), round);
      } finally {
        servers.forEach(ServerJvm::close);
      }
    }
  }

  private List<String> jvmOptions(HotEngine engine) {
    List<String> options = new ArrayList<>(endpoint.jvmOptions());
    options.add(HEAP);
    options.addAll(context.profilerOptions("hot " + engine.id()));
    return options;
  }

  private HotRound.Outcome measure(
      Path directory, List<ServerJvm> servers, Optional<LatencyProxy> proxy, int round)
      throws IOException, InterruptedException {
    HotRound measured = new HotRound(plan, REPOSITORY, servers, proxy, SEED + round);
    HotRound.Outcome outcome = measured.run();
    Path clone = directory.resolve("clone.git");
    measured.verify(git, clone);
    ScratchDirectory.delete(clone);
    return outcome;
  }
}
