// SPDX-License-Identifier: Apache-2.0
package org.jgits3.examples;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jgit.http.server.GitServlet;
import org.eclipse.jgit.lib.Config;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;

/**
 * The part of the examples that is not about this library: a store that is opened, and Jetty on a
 * free port of the loopback interface.
 */
class StoreServer implements Closeable {
  final S3RepositoryManager manager;
  final GitServlet servlet = new GitServlet();
  final Server server = server(servlet);

  StoreServer(S3RepositoryManager manager) {
    this.manager = manager;
  }

  static S3Settings settings(String store) throws Exception {
    Config config = new Config();
    config.setString("s3", null, "store", store);
    return S3Settings.from(config, "example");
  }

  static Server server(GitServlet servlet) {
    Server server = new Server(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    ServletContextHandler context = new ServletContextHandler();
    context.addServlet(new ServletHolder(servlet), "/*");
    server.setHandler(context);
    return server;
  }

  static URI uri(Server server) {
    return URI.create(
        "http://127.0.0.1:" + ((ServerConnector) server.getConnectors()[0]).getLocalPort() + "/");
  }

  /**
   * Base of the URLs that clients use.
   *
   * @return {@code http://127.0.0.1:PORT/}, to which a name is appended
   */
  public URI uri() {
    return uri(server);
  }

  /** Serves until the process is ended. */
  void join() throws InterruptedException {
    System.out.println(uri());
    server.join();
  }

  /** Stops the server, then closes the store. */
  @Override
  public void close() throws IOException {
    try {
      server.stop();
    } catch (Exception e) {
      throw new IOException("the server did not stop", e);
    } finally {
      manager.close();
    }
  }
}
