// SPDX-License-Identifier: Apache-2.0
package org.jgits3.examples;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.nio.file.Path;
import org.eclipse.jetty.server.Server;
import org.eclipse.jgit.http.server.GitServlet;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.transport.ReceivePack;
import org.eclipse.jgit.transport.resolver.RepositoryResolver;
import org.jgits3.S3RepositoryManager;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.GitResult;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each example, used by git. */
class ExamplesTest {
  @TempDir Path scratch;
  private String store;
  private GitClient work;

  @BeforeEach
  void commit() throws Exception {
    store = "file:" + scratch.resolve("store");
    GitClient git = GitClient.in(scratch);
    work = git.init("work");
    work.run("commit", "-q", "--allow-empty", "-m", "first");
  }

  @Test
  void replica_serves_what_was_just_pushed_and_takes_no_pushes() throws Exception {
    try (EmbedInServlet writer = new EmbedInServlet(store);
        ReadOnlyReplica replica = new ReadOnlyReplica(store)) {
      writer.create("r");
      work.run("push", "-q", writer.uri() + "r", "main");
      assertThat(work.run("ls-remote", replica.uri() + "r", "refs/heads/main"))
          .startsWith(work.run("rev-parse", "main").strip());
      GitResult push = work.attempt("push", replica.uri() + "r", "main:refs/heads/other");
      assertThat(push.exitCode()).isNotZero();
      assertThat(work.run("ls-remote", writer.uri() + "r")).doesNotContain("refs/heads/other");
    }
  }

  @Test
  void tenants_see_their_own_repositories_only() throws Exception {
    try (S3RepositoryManager manager = S3RepositoryManager.open(StoreServer.settings(store))) {
      manager.createRepository("alice/r").close();
      manager.createRepository("bob/secret").close();
      Server alice = serveAs("alice", manager);
      Server anonymous = serveAs(null, manager);
      try {
        work.run("push", "-q", StoreServer.uri(alice) + "r", "main");
        try (Repository r = manager.openRepository("alice/r")) {
          assertThat(r.exactRef("refs/heads/main")).isNotNull();
        }
        assertThat(work.attempt("ls-remote", StoreServer.uri(alice) + "secret").stderr())
            .contains("not found");
        assertThat(work.attempt("ls-remote", StoreServer.uri(anonymous) + "r").exitCode())
            .isNotZero();
      } finally {
        alice.stop();
        anonymous.stop();
      }
    }
  }

  private static Server serveAs(String user, S3RepositoryManager manager) throws Exception {
    RepositoryResolver<HttpServletRequest> tenants = new TenantResolver(manager);
    GitServlet servlet = new GitServlet();
    servlet.setRepositoryResolver(
        (request, name) ->
            tenants.open(
                new HttpServletRequestWrapper(request) {
                  @Override
                  public String getRemoteUser() {
                    return user;
                  }
                },
                name));
    servlet.setReceivePackFactory((request, repository) -> new ReceivePack(repository));
    Server server = StoreServer.server(servlet);
    server.start();
    return server;
  }
}
