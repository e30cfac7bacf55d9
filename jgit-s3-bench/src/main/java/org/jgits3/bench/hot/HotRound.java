// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.hot;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.commons.statistics.descriptive.Median;
import org.apache.commons.statistics.descriptive.Quantile;
import org.jgits3.bench.git.GitClient;
import org.jgits3.bench.git.ServerJvm;
import org.jgits3.bench.proxy.LatencyProxy;

/**
 * One round of one engine: all clients push to one repository at the same time, first uncounted,
 * then counted. Used by one thread, once.
 */
final class HotRound {
  /** Longest time to wait for enough pushes, and for a clone. */
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private static final long LOOK_MILLIS = 20;

  private final HotPlan plan;
  private final String repository;
  private final List<ServerJvm> servers;
  private final Optional<LatencyProxy> proxy;
  private final List<PushingClient> clients;
  private volatile boolean going = true;

  /**
   * Figures of a round.
   *
   * @param perSecond pushes a second
   * @param median median latency of a push in nanoseconds
   * @param slow its 99th percentile
   * @param slowestClient pushes of the slowest client as a share of those of the median
   * @param slowestServer pushes of the slowest server as a share of those of the fastest
   * @param pushes pushes that were counted
   * @param requests requests to the store meanwhile; empty if there is none
   * @param serverNanos processor time of the servers meanwhile
   * @param ownNanos processor time of this JVM meanwhile, which has the clients and the proxy
   */
  record Outcome(
      double perSecond,
      double median,
      double slow,
      double slowestClient,
      double slowestServer,
      long pushes,
      Optional<LatencyProxy.Requests> requests,
      double serverNanos,
      double ownNanos) {}

  /** Counters at some moment. */
  private record Moment(
      long nanos, Optional<LatencyProxy.Requests> requests, double serverNanos, double ownNanos) {}

  /**
   * A round that has not begun.
   *
   * @param plan how long, and how many clients
   * @param repository name of the repository, which is empty
   * @param servers servers that the clients are spread over
   * @param proxy on the way to the store; empty if there is none
   * @param seed decides the contents
   */
  HotRound(
      HotPlan plan,
      String repository,
      List<ServerJvm> servers,
      Optional<LatencyProxy> proxy,
      long seed) {
    this.plan = plan;
    this.repository = repository;
    this.servers = List.copyOf(servers);
    this.proxy = proxy;
    SplittableRandom random = new SplittableRandom(seed);
    this.clients =
        IntStream.range(0, plan.clients()).mapToObj(i -> client(i, random.split())).toList();
  }

  private PushingClient client(int i, SplittableRandom random) {
    return new PushingClient(
        servers.get(i % servers.size()).uri(),
        "/" + repository + ".git",
        "refs/heads/client-" + i,
        random);
  }

  /**
   * Pushes and counts.
   *
   * @return what was counted
   * @throws IOException if a push failed
   */
  Outcome run() throws IOException, InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(plan.clients());
    try {
      List<Future<?>> running = new ArrayList<>();
      for (PushingClient each : clients) {
        running.add(
            threads.submit(
                () -> {
                  each.run(() -> going);
                  return null;
                }));
      }
      await(plan.warmUp(), (long) plan.warmUpPushes() * servers.size(), running);
      Moment from = now();
      await(plan.counted(), plan.clients(), running);
      Moment to = now();
      going = false;
      for (Future<?> each : running) {
        each.get();
      }
      return outcome(from, to);
    } catch (ExecutionException | CancellationException e) {
      throw new IOException(String.valueOf(e.getCause().getMessage()), e);
    } finally {
      going = false;
      threads.shutdownNow();
    }
  }

  /** Waits for a time, and until there are so many pushes more; ends at a failure. */
  private void await(Duration time, long more, List<Future<?>> running)
      throws InterruptedException {
    long began = System.nanoTime();
    long before = pushes();
    boolean enough = false;
    while (!enough && running.stream().noneMatch(Future::isDone)) {
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
      long passed = System.nanoTime() - began;
      boolean all = passed > time.toNanos() && pushes() - before >= more;
      enough = all || passed > LIMIT.toNanos();
    }
  }

  private long pushes() {
    return clients.stream().mapToLong(client -> client.count()).sum();
  }

  private Moment now() {
    return new Moment(
        System.nanoTime(),
        proxy.map(LatencyProxy::requests),
        servers.stream().mapToDouble(server -> processor(ProcessHandle.of(server.pid()))).sum(),
        processor(Optional.of(ProcessHandle.current())));
  }

  private static double processor(Optional<ProcessHandle> process) {
    return process
        .flatMap(handle -> handle.info().totalCpuDuration())
        .map(Duration::toNanos)
        .orElse(0L);
  }

  private Outcome outcome(Moment from, Moment to) throws IOException {
    List<double[]> latencies =
        clients.stream().map(client -> client.latencies(from.nanos(), to.nanos())).toList();
    double[] all = latencies.stream().flatMapToDouble(Arrays::stream).toArray();
    if (all.length == 0) {
      throw new IOException("no push has ended while they were counted");
    }
    double[] byClient = latencies.stream().mapToDouble(each -> each.length).toArray();
    double[] byServer = new double[servers.size()];
    for (int i = 0; i < byClient.length; i++) {
      byServer[i % byServer.length] += byClient[i];
    }
    double[] quantiles = Quantile.withDefaults().evaluate(all, 0.5, 0.99);
    return new Outcome(
        all.length * 1e9 / (to.nanos() - from.nanos()),
        quantiles[0],
        quantiles[1],
        least(byClient) / Math.max(1, Median.withDefaults().evaluate(byClient)),
        least(byServer) / Arrays.stream(byServer).max().orElseThrow(),
        all.length,
        to.requests().map(requests -> requests.since(from.requests().orElseThrow())),
        to.serverNanos() - from.serverNanos(),
        to.ownNanos() - from.ownNanos());
  }

  private static double least(double[] values) {
    return Arrays.stream(values).min().orElseThrow();
  }

  /**
   * Compares the refs that each server lists with what it has acknowledged, and checks a clone.
   *
   * @param git the git
   * @param clone directory to be made
   * @throws IOException if a push is lost, or an object
   */
  void verify(GitClient git, Path clone) throws IOException, InterruptedException {
    String pushed =
        clients.stream()
            .sorted(Comparator.comparing(PushingClient::ref))
            .map(client -> client.head().name() + "\t" + client.ref())
            .collect(Collectors.joining("\n"));
    for (ServerJvm server : servers) {
      String listed = git.run(git.home(), "ls-remote", "--refs", server.url(repository));
      if (!listed.equals(pushed)) {
        throw new IOException("the refs of " + server.uri() + " are not those that were pushed");
      }
    }
    GitClient.Ended ended = git.cloneAndCheck(servers.get(0).url(repository), clone, LIMIT);
    if (!ended.succeeded()) {
      throw new IOException("a clone afterwards: " + ended.errors().strip());
    }
  }
}
