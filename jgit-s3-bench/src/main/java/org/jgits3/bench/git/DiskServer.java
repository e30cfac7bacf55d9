// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.git;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.nio.file.Path;
import org.eclipse.jgit.transport.resolver.FileResolver;
import org.jgits3.server.http.GitHttpServer;
import org.jgits3.server.program.CommitQueue;

/** The server of this project around repositories on a local disk, as JGit has them. */
final class DiskServer {
  private DiskServer() {}

  /**
   * Serves until the process is ended.
   *
   * @param args directory of the repositories
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    CommitQueue.useHeap();
    Path repositories = Path.of(args[0]);
    try (GitHttpServer server =
        GitHttpServer.builder()
            .start(new FileResolver<HttpServletRequest>(repositories.toFile(), true))) {
      System.out.println("listening on " + server.uri());
      server.awaitClose();
    }
  }
}
