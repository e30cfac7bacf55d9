// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.Closeable;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jgits3.server.e2e.process.LoadBalancer;
import org.jgits3.server.e2e.process.LoadBalancer.Program;
import org.jgits3.server.e2e.process.RunningServer;
import org.jgits3.server.e2e.process.ServedStore;
import org.jgits3.server.e2e.process.ServerInJvm;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.OutageProxy;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Pushes through the load balancers of {@link LoadBalancerIT} wait while the store is out of order,
 * and succeed when it is back. All tests share one outage, since it takes half a minute: of two
 * servers the store is away, which closes connections, and of two others it is silent.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class StoreOutageIT {
  /** Less than {@code s3.commitDeadline}, and more than three checks of a load balancer. */
  private static final Duration OUTAGE = Duration.ofSeconds(28);

  /** Time between the checks of a load balancer. */
  private static final Duration CHECK_INTERVAL = Duration.ofMillis(500);

  /** Time that load balancers give a check. */
  private static final Duration CHECK_TIMEOUT = Duration.ofSeconds(2);

  private static final List<String> REPOSITORIES = List.of("one", "two");
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private static Map<Program, List<Future<Integer>>> pushedWhileAway;
  private static Map<Program, List<Future<Integer>>> pushedWhileSilent;

  /** Two servers of one store, a load balancer of each kind, and clients that push through it. */
  private static final class Pair implements Closeable {
    private final List<RunningServer> servers = new ArrayList<>();
    private final List<LoadBalancer> balancers = new ArrayList<>();
    private final AtomicBoolean enough = new AtomicBoolean();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    /** Commits that each client has pushed when it has pushed enough. */
    final Map<Program, List<Future<Integer>>> pushed = new EnumMap<>(Program.class);

    /** Starts all, and returns when each client has pushed. */
    void start(ServedStore store, Path scratch) throws Exception {
      servers.add(ServerInJvm.startCreating(store));
      servers.add(ServerInJvm.startCreating(store));
      for (Program program : Program.values()) {
        if (program.isInstalled()) {
          start(program, Files.createDirectory(scratch.resolve(program.name())));
        }
      }
    }

    private void start(Program program, Path scratch) throws Exception {
      LoadBalancer balancer = LoadBalancer.start(program, scratch, servers.get(0), servers.get(1));
      balancers.add(balancer);
      GitClient git = GitClient.in(scratch);
      List<Future<Integer>> clients = new ArrayList<>();
      for (String repository : REPOSITORIES) {
        GitClient client = git.init(repository);
        String url = balancer.url(program.name() + "/" + repository);
        push(client, url);
        clients.add(threads.submit(() -> pushUntilEnough(client, url)));
      }
      pushed.put(program, clients);
    }

    /** Pushes one commit after the other, and returns their number. */
    private int pushUntilEnough(GitClient client, String url) {
      int count = 0;
      do {
        push(client, url);
        count++;
      } while (!enough.get());
      return count;
    }

    private static void push(GitClient client, String url) {
      client.run("commit", "-q", "--allow-empty", "-m", "A change");
      client.run("push", "-q", url, "HEAD:refs/heads/main");
    }

    /** Checks the servers as a load balancer does: they live, whatever the store does. */
    void checkServers() throws Exception {
      for (RunningServer server : servers) {
        assertThat(status(server, "healthz")).isEqualTo(200);
        assertThat(status(server, "healthz/store")).isIn(200, 503);
      }
    }

    void checkStoreIsUnhealthy() throws Exception {
      for (RunningServer server : servers) {
        assertThat(status(server, "healthz/store")).isEqualTo(503);
      }
    }

    /** Waits until the servers have noticed that the store is back. */
    void awaitHealthyStore() {
      for (RunningServer server : servers) {
        ConcurrentTasks.waitWhile(() -> status(server, "healthz/store") != 200);
      }
    }

    private static int status(RunningServer server, String path)
        throws IOException, InterruptedException {
      HttpRequest request =
          HttpRequest.newBuilder(server.uri().resolve(path)).timeout(CHECK_TIMEOUT).build();
      return HTTP.send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
    }

    /** Lets the clients end with what they push now, and waits for them. */
    void finish() throws InterruptedException {
      enough.set(true);
      threads.shutdown();
      assertThat(threads.awaitTermination(5, TimeUnit.MINUTES)).as("pushes end").isTrue();
    }

    @Override
    public void close() throws IOException {
      threads.shutdownNow();
      for (LoadBalancer balancer : balancers) {
        balancer.close();
      }
      for (RunningServer server : servers) {
        server.close();
      }
    }
  }

  @BeforeAll
  static void sitOutAnOutage(@TempDir Path scratch) throws Exception {
    S3Server s3 = S3Servers.require();
    assumeTrue(Stream.of(Program.values()).anyMatch(Program::isInstalled), "no load balancer");
    try (OutageProxy proxy = new OutageProxy(s3.endpoint());
        Pair away = new Pair();
        Pair silent = new Pair()) {
      Path direct = Files.createDirectory(scratch.resolve("direct"));
      Path proxied = Files.createDirectory(scratch.resolve("proxied"));
      away.start(ServedStore.bucket(s3, proxied).through(proxy.endpoint(), proxied), proxied);
      if (s3.process().isPresent()) {
        silent.start(ServedStore.bucket(s3, direct), direct);
      }
      pushedWhileAway = away.pushed;
      pushedWhileSilent = silent.pushed;
      proxy.fail(Integer.MAX_VALUE);
      signal("STOP", s3);
      try {
        long over = System.nanoTime() + OUTAGE.toNanos();
        while (System.nanoTime() < over) {
          away.checkServers();
          silent.checkServers();
          Thread.sleep(CHECK_INTERVAL.toMillis());
        }
        away.checkStoreIsUnhealthy();
        silent.checkStoreIsUnhealthy();
      } finally {
        signal("CONT", s3);
        proxy.recover();
      }
      away.finish();
      silent.finish();
      away.awaitHealthyStore();
      silent.awaitHealthyStore();
    }
  }

  /** Stops the process of the store, whose port goes on accepting connections, or lets it go on. */
  private static void signal(String signal, S3Server s3) throws Exception {
    if (s3.process().isPresent()) {
      String pid = String.valueOf(s3.process().orElseThrow().pid());
      assertThat(new ProcessBuilder("kill", "-" + signal, pid).start().waitFor()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource
  void no_push_is_lost_while_the_store_is_away_for_28_seconds(Program program) throws Exception {
    assertNothingLost(pushedWhileAway, program);
  }

  @ParameterizedTest
  @EnumSource
  void no_push_is_lost_while_the_store_is_silent_for_28_seconds(Program program) throws Exception {
    assertNothingLost(pushedWhileSilent, program);
  }

  private static void assertNothingLost(Map<Program, List<Future<Integer>>> pushed, Program program)
      throws Exception {
    assumeTrue(pushed.containsKey(program), "it is not installed, or a test cannot stop the store");
    for (Future<Integer> client : pushed.get(program)) {
      assertThat(client.get()).isPositive();
    }
  }
}
