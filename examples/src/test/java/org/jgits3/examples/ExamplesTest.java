// SPDX-License-Identifier: Apache-2.0
package org.jgits3.examples;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.net.URI;
import java.nio.file.Path;
import org.eclipse.jetty.server.Server;
import org.eclipse.jgit.http.server.GitServlet;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.transport.ReceivePack;
import org.eclipse.jgit.transport.resolver.RepositoryResolver;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.store.StoreLocation;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.GitResult;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.jgits3.testing.signed.ReadOnlyProxy;
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
  void read_only_replica_serves_the_newest_push_and_refuses_pushes() throws Exception {
    S3Server server = S3Servers.require();
    StoreLocation.Bucket bucket = server.newBucket();
    try (ReadOnlyProxy readOnly = new ReadOnlyProxy(server);
        EmbedInServlet writer =
            new EmbedInServlet(S3RepositoryManager.open(settings(bucket, server.endpoint())));
        ReadOnlyReplica replica = new ReadOnlyReplica(settings(bucket, readOnly.endpoint()))) {
      writer.create("r");
      work.run("push", "-q", writer.uri() + "r", "main");
      assertThat(work.run("ls-remote", replica.uri() + "r", "refs/heads/main"))
          .startsWith(work.run("rev-parse", "main").strip());
      GitResult push = work.attempt("push", replica.uri() + "r", "main:refs/heads/other");
      assertThat(push.exitCode()).isNotZero();
      assertThat(work.run("ls-remote", writer.uri() + "r")).doesNotContain("refs/heads/other");
    }
  }

  private static S3Settings settings(StoreLocation.Bucket bucket, URI endpoint) throws Exception {
    Config config = new Config();
    config.setString("s3", null, "store", "s3://" + bucket.bucket() + "/" + bucket.prefix());
    config.setString("s3", null, "endpoint", endpoint.toString());
    config.setString("s3", null, "region", S3Server.REGION);
    return S3Settings.from(config, "test");
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
