// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.RequestLog;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jgits3.server.http.access.TrustedProxies;
import org.jgits3.server.http.limit.WaitingConnections;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Jetty on one address, with threads of its own. Safe for use by many threads. */
final class Listener {
  private static final Logger LOG = LoggerFactory.getLogger(Listener.class);
  private static final int MOST_CONNECTIONS = 4000;

  private final Server server;
  private final ServerConnector connector;
  private final GracefulHandler requests;

  private Listener(Server server, ServerConnector connector, GracefulHandler requests) {
    this.server = server;
    this.connector = connector;
    this.requests = requests;
  }

  /**
   * Limits of a listener.
   *
   * @param threads maximum number of threads
   * @param connections maximum number of connections
   * @param headers time for the headers of a request
   * @param idle time without a byte after which a connection is closed
   */
  record Limits(int threads, int connections, Duration headers, Duration idle) {}

  /** Number of connections that leaves half of the files, which the process may open, to others. */
  static int connectionsThatFit() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
        ? (int) Math.min(MOST_CONNECTIONS, system.getMaxFileDescriptorCount() / 2)
        : MOST_CONNECTIONS;
  }

  /**
   * Starts to listen.
   *
   * @param proxies proxies that tell the addresses of their clients
   * @param log told of each request that has ended
   * @throws IOException if the address cannot be bound
   */
  static Listener open(
      InetSocketAddress address,
      Handler handler,
      Limits limits,
      TrustedProxies proxies,
      RequestLog log)
      throws IOException {
    Server server = new Server(new QueuedThreadPool(limits.threads()));
    server.setErrorHandler(new OneLineErrorHandler());
    server.setRequestLog(log);
    GracefulHandler requests = new GracefulHandler(handler);
    WaitingConnections connections =
        new WaitingConnections(limits.connections(), limits.headers(), requests);
    server.setHandler(connections);
    ServerConnector connector = connector(server, address, proxies);
    connector.setIdleTimeout(limits.idle().toMillis());
    connector.addBean(connections, false);
    try {
      connector.open();
      server.start();
    } catch (Exception e) {
      connector.close();
      throw new IOException(
          "cannot listen on " + address.getHostString() + ":" + address.getPort() + ": " + why(e),
          e);
    }
    return new Listener(server, connector, requests);
  }

  private static ServerConnector connector(
      Server server, InetSocketAddress address, TrustedProxies proxies) {
    HttpConfiguration http = new HttpConfiguration();
    http.addCustomizer(proxies);
    http.setSendServerVersion(false);
    // Encoded slashes and the like are left to CanonicalPathFilter, which answers 404.
    http.setUriCompliance(UriCompliance.UNSAFE);
    ServerConnector connector = new ServerConnector(server, new HttpConnectionFactory(http));
    connector.setHost(address.getAddress().getHostAddress());
    connector.setPort(address.getPort());
    server.addConnector(connector);
    return connector;
  }

  private static String why(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.getMessage();
  }

  /** {@code http://HOST:PORT/} with the port that is really bound. */
  URI uri() {
    return server.getURI();
  }

  /** Stops accepting, lets requests in flight finish in a limited time, then cuts connections. */
  void close(Duration limit) {
    connector.close();
    try {
      requests.shutdown().get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      LOG.warn("requests still in flight after {} are cut off", limit);
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

  /** Waits until the listener has been closed by another thread. */
  void join() throws InterruptedException {
    server.join();
  }
}
