// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e.process;

import java.io.IOException;
import java.net.URI;
import java.util.function.UnaryOperator;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.Stores;
import org.jgits3.server.http.GitHttpServer;
import org.jgits3.server.http.metrics.ServerMetrics;
import org.jgits3.store.StoreLocation;

/**
 * The server behind {@code jgit-s3 serve}, in the JVM of the test: spares the start of another
 * where a test looks at answers and at the store, and at no process.
 */
public final class ServerInJvm implements RunningServer {
  private final GitHttpServer server;
  private final S3RepositoryManager manager;
  private final ServerMetrics metrics;

  private ServerInJvm(GitHttpServer server, S3RepositoryManager manager, ServerMetrics metrics) {
    this.server = server;
    this.manager = manager;
    this.metrics = metrics;
  }

  /** Starts a server that creates no repositories. */
  public static ServerInJvm start(ServedStore store) throws IOException {
    return start(store, builder -> builder);
  }

  /** Starts a server that creates a repository on the first push to its name. */
  public static ServerInJvm startCreating(ServedStore store) throws IOException {
    return start(store, builder -> builder.createOnPush(true));
  }

  /** Starts a server as {@code serve} does, with what its options configure. */
  public static ServerInJvm start(ServedStore store, UnaryOperator<GitHttpServer.Builder> options)
      throws IOException {
    S3Settings settings = settings(store);
    ServerMetrics metrics = new ServerMetrics();
    S3RepositoryManager manager =
        S3RepositoryManager.open(
            Stores.observed(Stores.open(settings.location(), settings.options()), metrics),
            settings);
    manager.maintainInBackground();
    GitHttpServer server =
        options
            .apply(GitHttpServer.builder())
            .metrics(metrics)
            .config(manager.settings().config())
            .start(manager);
    return new ServerInJvm(server, manager, metrics);
  }

  private static S3Settings settings(ServedStore store) throws IOException {
    try {
      return S3Settings.load(store.config().orElseThrow())
          .withLocation(StoreLocation.parse(store.url()));
    } catch (ConfigInvalidException e) {
      throw new IOException(e);
    }
  }

  @Override
  public URI uri() {
    return server.uri();
  }

  @Override
  public void close() throws IOException {
    server.close();
    manager.close();
    metrics.close();
  }
}
