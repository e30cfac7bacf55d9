// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import java.io.IOException;
import java.util.Collection;
import org.eclipse.jgit.errors.InvalidObjectIdException;
import org.eclipse.jgit.internal.storage.dfs.DfsRepositoryDescription;
import org.eclipse.jgit.internal.storage.dfs.InMemoryRepository;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.StoredConfig;
import org.eclipse.jgit.transport.FetchConnection;
import org.eclipse.jgit.transport.NetRCCredentialsProvider;
import org.eclipse.jgit.transport.Transport;
import org.eclipse.jgit.transport.URIish;

/**
 * Reads the refs at a URL. For a server of plain files JGit's connection requires a repository to
 * store objects in; none arrive, so an empty one in memory suffices.
 */
final class RemoteRefs {
  private final URIish uri;
  private final Config config;
  private final int patience;

  /**
   * Creates a reader.
   *
   * @param uri URL of the repository
   * @param config configuration whose {@code [http]} and {@code [transfer]} sections apply to the
   *     connection
   * @param patience seconds for which the remote may be silent
   */
  RemoteRefs(URIish uri, Config config, int patience) {
    this.uri = uri;
    this.config = config;
    this.patience = patience;
  }

  /**
   * Asks for all refs.
   *
   * @return the refs; symbolic ones have targets, as far as the remote tells them
   * @throws IOException if it does not answer
   */
  Collection<Ref> read() throws IOException {
    try (Repository none = nothing();
        Transport transport = RemoteSource.transport(none, uri, patience)) {
      transport.setCredentialsProvider(new NetRCCredentialsProvider());
      try (FetchConnection connection = transport.openFetch()) {
        return connection.getRefs();
      }
    } catch (InvalidObjectIdException e) { // JGit lets it pass where it reads a file
      throw new IOException(uri + ": its answer is not a list of refs: " + e.getMessage(), e);
    }
  }

  /** Creates a repository that stays empty. */
  private Repository nothing() {
    StoredConfig unsaved =
        new StoredConfig(config) {
          @Override
          public void load() {}

          @Override
          public void save() {}
        };
    return new InMemoryRepository(new DfsRepositoryDescription()) {
      @Override
      public StoredConfig getConfig() {
        return unsaved;
      }
    };
  }
}
