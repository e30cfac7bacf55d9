// SPDX-License-Identifier: Apache-2.0
package org.jgits3.examples;

import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import org.eclipse.jetty.server.Server;
import org.eclipse.jgit.http.server.GitServlet;
import org.eclipse.jgit.transport.resolver.ServiceNotEnabledException;
import org.jgits3.S3RepositoryManager;

/**
 * Serves fetches of a store that other processes write to.
 *
 * <p>There is no replication to set up: every fetch sees what was pushed before it began. Give the
 * process credentials that may only read, and the bucket itself refuses the rest. Maintenance stays
 * with the writers.
 */
public final class ReadOnlyReplica implements Closeable {
  private final S3RepositoryManager manager;
  private final Server server;

  /**
   * Opens the store and starts the server on a free port of the loopback interface.
   *
   * @param store the store that the writers use
   * @throws Exception if the store cannot be opened, or the port cannot be bound
   */
  public ReadOnlyReplica(String store) throws Exception {
    manager = S3RepositoryManager.open(EmbedInServlet.settings(store));
    GitServlet servlet = new GitServlet();
    servlet.setRepositoryResolver(manager.asResolver());
    servlet.setReceivePackFactory(
        (request, repository) -> {
          throw new ServiceNotEnabledException();
        });
    server = EmbedInServlet.start(servlet);
  }

  /**
   * Base of the URLs that clients use.
   *
   * @return {@code http://127.0.0.1:PORT/}, to which a name is appended
   */
  public URI uri() {
    return EmbedInServlet.uri(server);
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
    ReadOnlyReplica example = new ReadOnlyReplica(args[0]);
    System.out.println(example.uri());
    example.server.join();
  }
}
