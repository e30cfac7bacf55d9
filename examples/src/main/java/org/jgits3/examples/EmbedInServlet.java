// SPDX-License-Identifier: Apache-2.0
package org.jgits3.examples;

import java.io.IOException;
import org.jgits3.S3RepositoryManager;
import org.jgits3.transport.S3ReceivePack;
import org.jgits3.transport.S3UploadPack;

/**
 * Serves all repositories of a store from JGit's own servlet.
 *
 * <p>The servlet needs nothing but a resolver. With {@code S3ReceivePack} and {@code S3UploadPack}
 * the cost of a push or a fetch does not grow with the refs, and hidden refs stay hidden.
 * Maintenance in the background merges the packs that pushes leave.
 */
public final class EmbedInServlet extends StoreServer {
  /**
   * Starts the server on a free port of the loopback interface.
   *
   * @param manager the repositories; closed with the server
   * @throws Exception if the port cannot be bound
   */
  public EmbedInServlet(S3RepositoryManager manager) throws Exception {
    super(manager);
    manager.maintainInBackground();
    servlet.setRepositoryResolver(manager.asResolver());
    servlet.setUploadPackFactory((request, repository) -> new S3UploadPack(repository));
    servlet.setReceivePackFactory((request, repository) -> new S3ReceivePack(repository));
    server.start();
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
   * Serves until the process is ended.
   *
   * @param args the store
   * @throws Exception if the server cannot be started
   */
  public static void main(String[] args) throws Exception {
    new EmbedInServlet(S3RepositoryManager.open(settings(args[0]))).join();
  }
}
