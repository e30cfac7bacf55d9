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
import org.eclipse.jgit.transport.ReceivePack;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;

/**
 * Serves all repositories of a store from JGit's own servlet.
 *
 * <p>The servlet needs nothing but a resolver. Maintenance in the background merges the packs that
 * pushes leave.
 */
public final class EmbedInServlet implements Closeable {
  private final S3RepositoryManager manager;
  private final Server server;

  /**
   * Opens the store and starts the server on a free port of the loopback interface.
   *
   * @param store {@code s3://BUCKET/PREFIX}, or {@code file:DIRECTORY}
   * @throws Exception if the store cannot be opened, or the port cannot be bound
   */
  public EmbedInServlet(String store) throws Exception {
    manager = S3RepositoryManager.open(settings(store));
    manager.maintainInBackground();
    GitServlet servlet = new GitServlet();
    servlet.setRepositoryResolver(manager.asResolver());
    servlet.setReceivePackFactory((request, repository) -> new ReceivePack(repository));
    server = start(servlet);
  }

  static S3Settings settings(String store) throws Exception {
    Config config = new Config();
    config.setString("s3", null, "store", store);
    return S3Settings.from(config, "example");
  }

  static Server start(GitServlet servlet) throws Exception {
    Server server = new Server(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    ServletContextHandler context = new ServletContextHandler();
    context.addServlet(new ServletHolder(servlet), "/*");
    server.setHandler(context);
    server.start();
    return server;
  }

  static URI uri(Server server) {
    return URI.create(
        "http://127.0.0.1:" + ((ServerConnector) server.getConnectors()[0]).getLocalPort() + "/");
  }

  /**
   * Creates an empty repository.
   *
   * @param name its name, without {@code .git}
   * @throws IOException if there is one already, or the store does not answer
   */
  public void create(String name) throws IOException {
    manager.createRepository(name).close();
  }

  /**
   * Base of the URLs that clients use.
   *
   * @return {@code http://127.0.0.1:PORT/}, to which a name is appended
   */
  public URI uri() {
    return uri(server);
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

  /**
   * Serves until the process is ended.
   *
   * @param args the store
   * @throws Exception if the server cannot be started
   */
  public static void main(String[] args) throws Exception {
    EmbedInServlet example = new EmbedInServlet(args[0]);
    System.out.println(example.uri());
    example.server.join();
  }
}
