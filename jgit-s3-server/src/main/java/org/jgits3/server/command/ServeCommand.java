// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.server.http.GitHttpServer;
import org.jgits3.server.http.metrics.ServerMetrics;
import org.jgits3.server.http.users.UsersFile;
import org.jgits3.server.program.Program;
import org.jgits3.server.terminal.ByteSize;
import org.jgits3.server.terminal.Logging;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** Serves the store's repositories until the process is told to stop. */
@Command(
    name = "serve",
    sortOptions = false,
    description = "Serve the repositories over HTTP until SIGTERM or SIGINT.")
final class ServeCommand implements Callable<Integer> {
  private static final Logger LOG = LoggerFactory.getLogger(ServeCommand.class);

  private static final int MIB = 20;

  /** Maximum time, after requests have ended, for uploads and background commits to end. */
  private static final Duration CLOSING = Duration.ofMinutes(1);

  @ParentCommand private Program program;
  @Spec private CommandSpec spec;

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      defaultValue = "127.0.0.1:8417",
      description = "Where clients connect (${DEFAULT-VALUE}); port 0 takes a free one.")
  private InetSocketAddress listen;

  @Option(
      names = "--host",
      paramLabel = "NAME",
      description =
          "Name by which clients address a server on loopback without --users, besides localhost;"
              + " may be repeated. Requests to any other are refused.")
  private List<String> hosts = List.of();

  @Option(
      names = "--create-on-push",
      description = "Create a repository on the first push to its name.")
  private boolean createOnPush;

  @ArgGroup(exclusive = true)
  private Access access = new Access();

  @Option(
      names = "--max-pack-size",
      paramLabel = "SIZE",
      converter = ByteSize.class,
      description = "Refuse larger pushes (receive.maxInputSize).")
  private Long maxPackSize;

  @Option(
      names = "--max-object-size",
      paramLabel = "SIZE",
      converter = ByteSize.class,
      description = "Refuse larger objects (receive.maxObjectSizeLimit).")
  private Long maxObjectSize;

  @Option(
      names = "--max-requests",
      paramLabel = "N",
      description =
          "Git requests served at a time, each of which takes memory (one for each 16 MiB of heap,"
              + " at most 96). Others wait for up to 30 seconds, or are answered 503.")
  private Integer maxRequests;

  @Option(
      names = "--min-rate",
      paramLabel = "BYTES",
      defaultValue = "100",
      converter = ByteSize.class,
      description =
          "Cut off clients that send or take fewer bytes per second, over a minute in which the"
              + " server waits for them (${DEFAULT-VALUE}); 0 for no limit.")
  private long minRate;

  @Option(
      names = "--idle-timeout",
      paramLabel = "SECONDS",
      defaultValue = "300",
      description =
          "Drop connections of clients on which nothing has passed for so long"
              + " (${DEFAULT-VALUE}).")
  private int idleSeconds;

  @Option(
      names = "--header-timeout",
      paramLabel = "SECONDS",
      defaultValue = "30",
      description =
          "Drop connections on which the headers of a request take longer (${DEFAULT-VALUE}).")
  private int headerSeconds;

  @Option(
      names = "--max-connections",
      paramLabel = "N",
      description =
          "Connections of clients at a time (half of the files that the process may open, at most"
              + " 4000). For each one beyond, the one that has waited longest for a request is"
              + " dropped.")
  private Integer maxConnections;

  @Option(
      names = "--monitor",
      paramLabel = "HOST:PORT",
      description =
          "Answer /healthz, /healthz/store and /metrics there, to anyone who can connect, and the"
              + " last two no more where clients connect ([s3 \"server\"] monitor).")
  private InetSocketAddress monitor;

  @Option(
      names = "--trusted-proxy",
      paramLabel = "ADDRESS[/BITS]",
      split = ",",
      description =
          "Proxy, or network of proxies, that tells the address of a client in X-Forwarded-For; may"
              + " be repeated. The header of any other is ignored.")
  private List<String> proxies = List.of();

  @Option(
      names = "--access-log",
      paramLabel = "WHICH",
      defaultValue = "pushes",
      description =
          "Log no accesses (off), pushes and refused logins (pushes), or all requests (all)"
              + " (${DEFAULT-VALUE}).")
  private Logging.Accesses accesses;

  @Option(
      names = "--log-format",
      paramLabel = "FORMAT",
      defaultValue = "text",
      description = "Form of a line of the log: text or json (${DEFAULT-VALUE}).")
  private Logging.Format format;

  @Option(
      names = "--log-level",
      paramLabel = "LEVEL",
      defaultValue = "info",
      description =
          "Least severe messages that are logged beside accesses: error, warn, info or debug"
              + " (${DEFAULT-VALUE}).")
  private Logging.Least level;

  @Option(
      names = "--shutdown-timeout",
      paramLabel = "SECONDS",
      defaultValue = "30",
      description = "How long requests in flight may go on after the signal (${DEFAULT-VALUE}).")
  private int shutdownSeconds;

  /** Access control; required if other hosts can connect. */
  private static final class Access {
    @Option(
        names = "--users",
        paramLabel = "FILE",
        description = "htpasswd file (bcrypt): only these users, with their passwords.")
    private Path users;

    @Option(names = "--anonymous", description = "Anyone who can connect may read and write.")
    private boolean anonymous;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Logging.server(level, accesses, format);
    try (ServerMetrics metrics = new ServerMetrics()) {
      GitHttpServer.Builder builder = builder().metrics(metrics);
      S3Settings settings = program.settings();
      program.checkSpillDirectory(settings);
      warnOfLimits(settings);
      Optional.ofNullable(monitor).or(settings::monitor).ifPresent(builder::monitor);
      try (S3RepositoryManager manager = program.open(settings, metrics)) {
        manager.maintainInBackground();
        serve(manager, builder.config(manager.settings().config()));
      }
    } finally {
      Logging.flush();
    }
    return 0;
  }

  private static void warnOfLimits(S3Settings settings) {
    long heap = Runtime.getRuntime().maxMemory();
    if (settings.limits() > heap) {
      LOG.warn(
          "the limits of memory in the configuration are {} MiB together, and the heap has {} MiB:"
              + " leave them out, or start with a larger -Xmx",
          settings.limits() >> MIB,
          heap >> MIB);
    }
  }

  private void serve(S3RepositoryManager manager, GitHttpServer.Builder builder)
      throws IOException, InterruptedException {
    GitHttpServer server = builder.start(manager);
    program.end().atSignal(() -> stop(server));
    spec.commandLine().getOut().println("listening on " + server.uri());
    server.monitorUri().ifPresent(uri -> spec.commandLine().getOut().println("monitors: " + uri));
    spec.commandLine().getOut().flush();
    server.awaitClose();
  }

  /** Lets requests finish, then lets {@link #call} close the rest, open uploads included. */
  private void stop(GitHttpServer server) {
    server.close();
    if (!program.end().await(CLOSING)) {
      LOG.warn("not everything was closed within {}; a sweep removes what is left", CLOSING);
    }
  }

  private void checkPositive(String option, int seconds) {
    if (seconds < 1) {
      throw new ParameterException(
          spec.commandLine(), "Invalid value for option '" + option + "': it is less than 1");
    }
  }

  /** Configures the server from the options, and checks it before any request to the store. */
  private GitHttpServer.Builder builder() {
    if (shutdownSeconds < 0) {
      throw new ParameterException(
          spec.commandLine(), "Invalid value for option '--shutdown-timeout': it is negative");
    }
    checkPositive("--idle-timeout", idleSeconds);
    checkPositive("--header-timeout", headerSeconds);
    GitHttpServer.Builder builder =
        GitHttpServer.builder()
            .listen(listen)
            .createOnPush(createOnPush)
            .trustedProxies(proxies)
            .minRate(minRate)
            .idleTimeout(Duration.ofSeconds(idleSeconds))
            .headerTimeout(Duration.ofSeconds(headerSeconds))
            .shutdownLimit(Duration.ofSeconds(shutdownSeconds));
    hosts.forEach(builder::host);
    if (maxPackSize != null) {
      builder.maxPackSize(maxPackSize);
    }
    if (maxObjectSize != null) {
      builder.maxObjectSize(maxObjectSize);
    }
    if (access.anonymous) {
      builder.anonymous();
    }
    try {
      if (maxRequests != null) {
        builder.maxRequests(maxRequests);
      }
      if (maxConnections != null) {
        builder.maxConnections(maxConnections);
      }
      if (access.users != null) {
        builder.users(UsersFile.open(access.users));
      }
      return builder.check();
    } catch (IOException | IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }
}
