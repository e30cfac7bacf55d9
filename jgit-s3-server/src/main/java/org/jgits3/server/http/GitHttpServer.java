// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jgit.http.server.GitServlet;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.transport.PostReceiveHook;
import org.eclipse.jgit.transport.resolver.RepositoryResolver;
import org.jgits3.S3RepositoryManager;
import org.jgits3.internal.function.IoRunnable;
import org.jgits3.micrometer.CollectionMeters;
import org.jgits3.micrometer.StoreMeters;
import org.jgits3.server.http.access.AccessLog;
import org.jgits3.server.http.access.TrustedProxies;
import org.jgits3.server.http.limit.BodyFilter;
import org.jgits3.server.http.limit.LeastDataRateFilter;
import org.jgits3.server.http.limit.RefusalFilter;
import org.jgits3.server.http.metrics.MetricsHandler;
import org.jgits3.server.http.metrics.ServerMetrics;
import org.jgits3.server.http.users.BasicAuthentication;
import org.jgits3.server.http.users.UsersFile;

/**
 * Serves the repositories of one store to Git clients over HTTP.
 *
 * <p>{@code /NAME} and {@code /NAME.git} are repositories, {@code /healthz} tells that the process
 * lives, {@code /healthz/store} whether the store answers, {@code /metrics} is Prometheus text. A
 * server is running from {@link Builder#start(S3RepositoryManager)} until {@link #close}; both may
 * be called from any thread.
 */
public final class GitHttpServer implements Closeable {
  /**
   * Threads beyond those for Git requests. Jetty itself takes up to 30; the others serve other
   * requests.
   */
  private static final int MORE_THREADS = 64;

  /** Threads of a listener for monitors; Jetty itself takes up to 3. */
  private static final int MONITOR_THREADS = 8;

  private static final int MONITOR_CONNECTIONS = 64;

  private final Listener clients;
  private final Optional<Listener> monitors;
  private final StoreHealth health;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final AccessLog accesses;
  private final Duration shutdownLimit;

  private GitHttpServer(
      Listener clients,
      Optional<Listener> monitors,
      StoreHealth health,
      AccessLog accesses,
      Duration shutdownLimit) {
    this.clients = clients;
    this.monitors = monitors;
    this.health = health;
    this.accesses = accesses;
    this.shutdownLimit = shutdownLimit;
  }

  /**
   * Creates a builder. By default a server listens on a free port of the loopback interface,
   * without authentication.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Address for clients.
   *
   * @return {@code http://HOST:PORT/} with the port that is really bound
   */
  public URI uri() {
    return clients.uri();
  }

  /**
   * Address for monitors.
   *
   * @return {@code http://HOST:PORT/} with the port that is really bound; empty if they have no
   *     listener of their own
   */
  public Optional<URI> monitorUri() {
    return monitors.map(Listener::uri);
  }

  /**
   * Stops accepting, lets requests in flight finish up to the shutdown limit, then cuts their
   * connections. A push that is cut off was committed either completely or not at all. Does nothing
   * if the server is closed already.
   */
  @Override
  public void close() {
    URI address = uri();
    clients.close(shutdownLimit);
    if (!closed.getAndSet(true)) {
      accesses.stopped(address);
    }
    monitors.ifPresent(listener -> listener.close(Duration.ZERO));
    health.close();
  }

  /**
   * Waits until the server has been closed by another thread.
   *
   * @throws InterruptedException if this thread is interrupted first
   */
  public void awaitClose() throws InterruptedException {
    clients.join();
  }

  /** Configures and starts a server. Not safe for use by several threads. */
  public static final class Builder {
    private InetSocketAddress listen = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private final Set<String> hosts = new HashSet<>();
    private long minRate = 100;
    private Duration idleTimeout = Duration.ofMinutes(5);
    private Duration headerTimeout = Duration.ofSeconds(30);
    private int connections = Listener.connectionsThatFit();
    private Optional<InetSocketAddress> monitor = Optional.empty();
    private boolean createOnPush;
    private boolean anonymous;
    private List<String> proxies = List.of();
    private Optional<UsersFile> users = Optional.empty();
    private Config config = new Config();
    private Optional<Long> maxPackSize = Optional.empty();
    private Optional<Long> maxObjectSize = Optional.empty();
    private Duration shutdownLimit = Duration.ofSeconds(30);
    private ServerMetrics metrics = new ServerMetrics();
    private int gitRequests = GitRequestLimit.thatFit(Runtime.getRuntime().maxMemory());

    private Builder() {}

    /**
     * Sets the address to listen on.
     *
     * @param address resolved address; port 0 for any free one
     * @return this
     */
    public Builder listen(InetSocketAddress address) {
      listen = address;
      return this;
    }

    /**
     * Adds a name by which clients address the server. A server on a loopback address without users
     * answers only requests to such a name, {@code localhost} or a loopback address. Otherwise a
     * page in a browser on the same machine could read and write, if the host name of the page
     * resolves to that address (DNS rebinding).
     *
     * @param name host name as in the {@code Host} header, without a port
     * @return this
     */
    public Builder host(String name) {
      hosts.add(name);
      return this;
    }

    /**
     * Cuts off clients whose transfers fall below a rate, over a minute in which the server waits
     * for them.
     *
     * @param bytesPerSecond least rate, 100 by default; 0 for none
     * @return this
     */
    public Builder minRate(long bytesPerSecond) {
      minRate = bytesPerSecond;
      return this;
    }

    /**
     * Drops idle connections, even in the middle of a request: nothing else reveals a client that
     * vanished without closing its connection.
     *
     * @param limit time without a byte in either direction while the server waits for the client,
     *     more than zero; 5 minutes by default
     * @return this
     */
    public Builder idleTimeout(Duration limit) {
      idleTimeout = limit;
      return this;
    }

    /**
     * Closes connections on which the headers of a request take too long: the first from the
     * beginning of the connection, others from their first byte.
     *
     * @param limit time for the headers, more than zero; 30 seconds by default
     * @return this
     */
    public Builder headerTimeout(Duration limit) {
      headerTimeout = limit;
      return this;
    }

    /**
     * Bounds the connections of clients. For each one beyond, the connection is closed that has
     * waited longest for the headers of a request.
     *
     * @param most maximum number, at least 1; the default is half of the files that the process may
     *     open, at most 4000
     * @return this
     */
    public Builder maxConnections(int most) {
      if (most < 1) {
        throw new IllegalArgumentException("--max-connections " + most + ": at least 1 is needed");
      }
      connections = most;
      return this;
    }

    /**
     * Adds a listener for monitors, which answers {@code /healthz}, {@code /healthz/store} and
     * {@code /metrics} to anyone who can connect, however many clients the server has. The address
     * for clients then has only the first of these, which load balancers ask there.
     *
     * @param address resolved address; port 0 for any free one
     * @return this
     */
    public Builder monitor(InetSocketAddress address) {
      monitor = Optional.of(address);
      return this;
    }

    /**
     * Lets a push to a name without a repository create one, whose {@code HEAD} becomes the branch
     * that is pushed first.
     *
     * @param create true to create; false, the default, to refuse the push
     * @return this
     */
    public Builder createOnPush(boolean create) {
      createOnPush = create;
      return this;
    }

    /**
     * Takes the address of a client that comes through a proxy from {@code X-Forwarded-For}, which
     * all others could invent.
     *
     * @param networks addresses of proxies, or networks as {@code ADDRESS/BITS}
     * @return this
     */
    public Builder trustedProxies(List<String> networks) {
      proxies = List.copyOf(networks);
      return this;
    }

    /**
     * Requires a name and password for every path except {@code /healthz} and {@code
     * /healthz/store}.
     *
     * @param file the users
     * @return this
     */
    public Builder users(UsersFile file) {
      users = Optional.of(file);
      return this;
    }

    /**
     * Allows anonymous reads and writes even if other hosts can connect.
     *
     * @return this
     */
    public Builder anonymous() {
      anonymous = true;
      return this;
    }

    /**
     * Sets defaults for repositories, for keys in {@code [receive]}, {@code [uploadpack]}, {@code
     * [transfer]} and {@code [fsck]}.
     *
     * @param defaults the administrator's config
     * @return this
     */
    public Builder config(Config defaults) {
      config = defaults;
      return this;
    }

    /**
     * Refuses larger packs; takes precedence over {@code receive.maxInputSize} of {@link #config}.
     *
     * @param bytes maximum bytes of one push; 0 for no limit
     * @return this
     */
    public Builder maxPackSize(long bytes) {
      maxPackSize = Optional.of(bytes);
      return this;
    }

    /**
     * Refuses packs with larger objects; takes precedence over {@code receive.maxObjectSizeLimit}
     * of {@link #config}.
     *
     * @param bytes maximum bytes of one inflated object; 0 for no limit
     * @return this
     */
    public Builder maxObjectSize(long bytes) {
      maxObjectSize = Optional.of(bytes);
      return this;
    }

    /**
     * Sets the time that {@link GitHttpServer#close} waits for requests in flight.
     *
     * @param limit time after which their connections are cut, 30 seconds by default; zero to cut
     *     at once
     * @return this
     */
    public Builder shutdownLimit(Duration limit) {
      shutdownLimit = limit;
      return this;
    }

    /**
     * Sets the metrics that the server counts in and {@code /metrics} shows.
     *
     * @param shared metrics, which may also count the requests to the store
     * @return this
     */
    public Builder metrics(ServerMetrics shared) {
      metrics = shared;
      return this;
    }

    /**
     * Bounds the concurrent requests of Git clients, and so their memory. Up to ten times as many
     * requests wait, for up to 30 seconds; any others are answered 503 at once.
     *
     * @param atOnce maximum number of requests, at least 1; the default is one for each 16 MiB of
     *     the heap, at most 96
     * @return this
     */
    public Builder maxRequests(int atOnce) {
      if (atOnce < 1) {
        throw new IllegalArgumentException("--max-requests " + atOnce + ": at least 1 is needed");
      }
      gitRequests = atOnce;
      return this;
    }

    /**
     * Checks the options; {@link #start(S3RepositoryManager)} does it too.
     *
     * @return this
     * @throws IllegalArgumentException if other hosts can connect and neither users nor {@link
     *     #anonymous} were set, or a trusted proxy has no address
     */
    public Builder check() {
      if (!listen.getAddress().isLoopbackAddress() && !anonymous && users.isEmpty()) {
        throw new IllegalArgumentException(
            "others can connect to "
                + listen.getHostString()
                + ": give --users FILE, or --anonymous to let anyone read and write");
      }
      var unused = new TrustedProxies(proxies);
      return this;
    }

    /**
     * Starts the server.
     *
     * @param manager the repositories; not closed with the server
     * @return the server, accepting connections
     * @throws IllegalArgumentException as {@link #check}
     * @throws IOException if the address cannot be bound
     */
    public GitHttpServer start(S3RepositoryManager manager) throws IOException {
      new StoreMeters(manager).bindTo(metrics.registry());
      new CollectionMeters(manager.collectionMetrics()).bindTo(metrics.registry());
      GitHttpServer server =
          start(new NamedRepositories(manager, createOnPush), () -> answers(manager));
      server.accesses.started(server.uri(), manager.store().location().toString());
      return server;
    }

    /**
     * Starts the same server with repositories from elsewhere, such as a directory, for
     * comparisons.
     *
     * @param repositories finds the repository a request is about
     * @return the server, accepting connections
     * @throws IllegalArgumentException as {@link #check}
     * @throws IOException if the address cannot be bound
     */
    public GitHttpServer start(RepositoryResolver<HttpServletRequest> repositories)
        throws IOException {
      return start(repositories, () -> {});
    }

    /** Checks that the store answers one request, for an object that need not exist. */
    private static void answers(S3RepositoryManager manager) throws IOException {
      var unused = manager.store().stat("healthz");
    }

    GitHttpServer start(RepositoryResolver<HttpServletRequest> repositories, IoRunnable health)
        throws IOException {
      check();
      StoreHealth store = new StoreHealth(health);
      AccessLog accesses = new AccessLog();
      Listener clients =
          Listener.open(
              listen,
              handlers(repositories, store),
              new Listener.Limits(
                  gitRequests + MORE_THREADS, connections, headerTimeout, idleTimeout),
              new TrustedProxies(proxies),
              (request, response) -> {
                boolean refused = BasicAuthentication.refused(request).isPresent();
                metrics.answered(response.getStatus(), refused);
                accesses.log(request, response);
              });
      try {
        return new GitHttpServer(clients, monitors(store), store, accesses, shutdownLimit);
      } catch (IOException e) {
        clients.close(Duration.ZERO);
        throw e;
      }
    }

    private Optional<Listener> monitors(StoreHealth store) throws IOException {
      if (monitor.isEmpty()) {
        return Optional.empty();
      }
      Handler handlers = new HealthHandler(Optional.of(store), new MetricsHandler(metrics, null));
      Listener.Limits limits =
          new Listener.Limits(MONITOR_THREADS, MONITOR_CONNECTIONS, headerTimeout, idleTimeout);
      return Optional.of(
          Listener.open(
              monitor.get(),
              RequestRules.reads(handlers),
              limits,
              new TrustedProxies(List.of()),
              (request, response) -> {}));
    }

    /** Handlers of a request, in the order in which it passes them. */
    private Handler handlers(
        RepositoryResolver<HttpServletRequest> repositories, StoreHealth store) {
      GitRequestLimit git = new GitRequestLimit(context(repositories), gitRequests);
      metrics.places(git::running, git::getSuspendedRequestCount, gitRequests);
      Handler known = monitor.isPresent() ? git : new MetricsHandler(metrics, git);
      Handler anyone =
          new HealthHandler(
              Optional.of(store).filter(told -> monitor.isEmpty()),
              users.isPresent() ? new BasicAuthentication(users.get(), known) : known);
      return listen.getAddress().isLoopbackAddress() && users.isEmpty()
          ? RequestRules.localNames(hosts, anyone)
          : RequestRules.anyName(anyone);
    }

    private ServletContextHandler context(RepositoryResolver<HttpServletRequest> repositories) {
      ServletContextHandler context = new ServletContextHandler("/");
      context.setDisplayName("git");
      context.setErrorHandler(new OneLineErrorHandler());
      context.getServletHandler().setDecodeAmbiguousURIs(true);
      addFilter(context, new LeastDataRateFilter(minRate));
      addFilter(context, new CanonicalPathFilter());
      addFilter(context, new RefusalFilter());
      addFilter(context, new BodyFilter());
      context.addServlet(gitServlet(repositories), "/*");
      return context;
    }

    private GitServlet gitServlet(RepositoryResolver<HttpServletRequest> repositories) {
      TransferPolicy policy =
          new TransferPolicy(
              new TransferDefaults(config, maxPackSize, maxObjectSize),
              createOnPush ? new FirstBranch() : PostReceiveHook.NULL);
      GitServlet git = new GitServlet();
      git.setRepositoryResolver(repositories);
      git.setAsIsFileService(null);
      git.setUploadPackFactory(policy::uploadPack);
      git.setReceivePackFactory(policy::receivePack);
      git.setUploadPackErrorHandler(TransferErrors::upload);
      git.setReceivePackErrorHandler(TransferErrors::receive);
      git.addUploadPackFilter(new TransferMeter(metrics));
      git.addReceivePackFilter(new TransferMeter(metrics));
      git.addUploadPackFilter(new InfoRefsFilter());
      git.addReceivePackFilter(new InfoRefsFilter());
      return git;
    }

    private static void addFilter(ServletContextHandler context, Filter filter) {
      context.addFilter(filter, "/*", EnumSet.of(DispatcherType.REQUEST));
    }
  }
}
