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
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jgit.http.server.GitServlet;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.transport.PostReceiveHook;
import org.eclipse.jgit.transport.resolver.RepositoryResolver;
import org.jgits3.S3RepositoryManager;
import org.jgits3.internal.function.IoRunnable;
import org.jgits3.server.http.limit.LeastDataRateFilter;
import org.jgits3.server.http.limit.RefusalFilter;
import org.jgits3.server.http.metrics.MetricsServlet;
import org.jgits3.server.http.metrics.ServerMetrics;
import org.jgits3.server.http.metrics.StoreMeters;
import org.jgits3.server.http.users.BasicAuthentication;
import org.jgits3.server.http.users.UsersFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the repositories of one store to Git clients over HTTP.
 *
 * <p>{@code /NAME} and {@code /NAME.git} are repositories, {@code /healthz} tells whether the store
 * answers, {@code /metrics} is Prometheus text. A server is running from {@link
 * Builder#start(S3RepositoryManager)} until {@link #close}; both may be called from any thread.
 */
public final class GitHttpServer implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(GitHttpServer.class);

  /**
   * Threads beyond those for Git requests. Jetty itself takes up to 30; the others serve other
   * requests.
   */
  private static final int MORE_THREADS = 64;

  private final Server server;
  private final ServerConnector connector;
  private final GracefulHandler requests;
  private final Duration shutdownLimit;

  private GitHttpServer(
      Server server, ServerConnector connector, GracefulHandler requests, Duration shutdownLimit) {
    this.server = server;
    this.connector = connector;
    this.requests = requests;
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
    return server.getURI();
  }

  /**
   * Stops accepting, lets requests in flight finish up to the shutdown limit, then cuts their
   * connections. A push that is cut off was committed either completely or not at all. Does nothing
   * if the server is closed already.
   */
  @Override
  public void close() {
    connector.close();
    try {
      requests.shutdown().get(shutdownLimit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      LOG.warn("requests still in flight after {} are cut off", shutdownLimit);
    } catch (ExecutionException e) {
      LOG.warn("requests in flight cannot be waited for", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    try {
      server.stop();
    } catch (Exception e) {
      LOG.warn("server did not stop cleanly", e);
    }
  }

  /**
   * Waits until the server has been closed by another thread.
   *
   * @throws InterruptedException if this thread is interrupted first
   */
  public void awaitClose() throws InterruptedException {
    server.join();
  }

  /** Configures and starts a server. Not safe for use by several threads. */
  public static final class Builder {
    private InetSocketAddress listen = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private final Set<String> hosts = new HashSet<>();
    private long minRate = 100;
    private Duration idleTimeout = Duration.ofMinutes(5);
    private boolean createOnPush;
    private boolean anonymous;
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
     * Requires a name and password for every path except {@code /healthz}.
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
     *     #anonymous} were set
     */
    public Builder check() {
      if (!listen.getAddress().isLoopbackAddress() && !anonymous && users.isEmpty()) {
        throw new IllegalArgumentException(
            "others can connect to "
                + listen.getHostString()
                + ": give --users FILE, or --anonymous to let anyone read and write");
      }
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
      StoreMeters.bind(manager, metrics.registry());
      return start(new NamedRepositories(manager, createOnPush), () -> answers(manager));
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
      Server server = new Server(new QueuedThreadPool(gitRequests + MORE_THREADS));
      server.setErrorHandler(new OneLineErrorHandler());
      GracefulHandler requests =
          new GracefulHandler(new GitRequestLimit(context(repositories, health), gitRequests));
      server.setHandler(requests);
      ServerConnector connector = connector(server);
      try {
        connector.open();
        server.start();
      } catch (Exception e) {
        connector.close();
        throw new IOException(
            "cannot listen on " + listen.getHostString() + ":" + listen.getPort() + ": " + why(e),
            e);
      }
      return new GitHttpServer(server, connector, requests, shutdownLimit);
    }

    private ServerConnector connector(Server server) {
      HttpConfiguration http = new HttpConfiguration();
      http.setSendServerVersion(false);
      // Encoded slashes and the like are left to CanonicalPathFilter, which answers 404.
      http.setUriCompliance(UriCompliance.UNSAFE);
      ServerConnector connector = new ServerConnector(server, new HttpConnectionFactory(http));
      connector.setHost(listen.getAddress().getHostAddress());
      connector.setPort(listen.getPort());
      connector.setIdleTimeout(idleTimeout.toMillis());
      server.addConnector(connector);
      return connector;
    }

    private ServletContextHandler context(
        RepositoryResolver<HttpServletRequest> repositories, IoRunnable health) {
      ServletContextHandler context = new ServletContextHandler("/");
      context.setDisplayName("git");
      context.setErrorHandler(new OneLineErrorHandler());
      context.getServletHandler().setDecodeAmbiguousURIs(true);
      if (listen.getAddress().isLoopbackAddress() && users.isEmpty()) {
        addFilter(context, new LocalHostFilter(hosts));
      }
      addFilter(context, new LeastDataRateFilter(minRate));
      addFilter(context, new CanonicalPathFilter());
      addFilter(context, new RefusalFilter());
      if (users.isPresent()) {
        addFilter(context, new BasicAuthentication(users.get(), HealthServlet.PATH));
      }
      context.addServlet(new HealthServlet(health), HealthServlet.PATH);
      context.addServlet(new MetricsServlet(metrics), MetricsServlet.PATH);
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
      git.addUploadPackFilter(new TransferMeter(metrics));
      git.addReceivePackFilter(new TransferMeter(metrics));
      git.addUploadPackFilter(new InfoRefsFilter());
      git.addReceivePackFilter(new InfoRefsFilter());
      return git;
    }

    private static void addFilter(ServletContextHandler context, Filter filter) {
      context.addFilter(filter, "/*", EnumSet.of(DispatcherType.REQUEST));
    }

    private static String why(Throwable failure) {
      Throwable root = failure;
      while (root.getCause() != null) {
        root = root.getCause();
      }
      return root.getMessage();
    }
  }
}
