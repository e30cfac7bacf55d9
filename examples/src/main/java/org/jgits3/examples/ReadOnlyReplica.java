// SPDX-License-Identifier: Apache-2.0
package org.jgits3.examples;

import org.eclipse.jgit.transport.resolver.ServiceNotEnabledException;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.transport.S3UploadPack;

/**
 * Serves fetches of a store that other processes write to.
 *
 * <p>There is no replication to set up: every fetch sees what was pushed before it began. Give the
 * process credentials that may only read ({@code etc/iam-policy-replica.sample.json}), and the
 * bucket itself refuses the rest. Maintenance stays with the writers.
 */
public final class ReadOnlyReplica extends StoreServer {
  /**
   * Opens the store and starts the server on a free port of the loopback interface.
   *
   * @param settings where the store is that the writers use
   * @throws Exception if the store cannot be opened, or the port cannot be bound
   */
  public ReadOnlyReplica(S3Settings settings) throws Exception {
    super(S3RepositoryManager.openReadOnly(settings));
    servlet.setRepositoryResolver(manager.asResolver());
    servlet.setUploadPackFactory((request, repository) -> new S3UploadPack(repository));
    servlet.setReceivePackFactory(
        (request, repository) -> {
          throw new ServiceNotEnabledException();
        });
    server.start();
  }

  /**
   * Serves until the process is ended.
   *
   * @param args the store
   * @throws Exception if the server cannot be started
   */
  public static void main(String[] args) throws Exception {
    new ReadOnlyReplica(settings(args[0])).join();
  }
}
