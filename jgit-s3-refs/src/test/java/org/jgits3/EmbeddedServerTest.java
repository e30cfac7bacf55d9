// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.transport.Daemon;
import org.eclipse.jgit.transport.DaemonClient;
import org.eclipse.jgit.transport.PreReceiveHook;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.eclipse.jgit.transport.ReceivePack;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.GitResult;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of a JGit server that knows nothing of this library but the resolver. Pushes are made by
 * git.
 */
@Holds("S3RepositoryManager: A server that uses the resolver alone publishes pushes as others do")
class EmbeddedServerTest {
  private static final String COUNTER = "refs/meta/pushes";

  @TempDir Path directory;
  @TempDir Path scratch;
  private final RequestCounts counts = new RequestCounts();
  private S3RepositoryManager manager;
  private Daemon daemon;
  private volatile PreReceiveHook hook = PreReceiveHook.NULL;
  private GitClient work;
  private String url;

  @BeforeEach
  void serve() throws Exception {
    manager =
        TestRepositories.manager(
            new ObservedObjectStore(new DirectoryObjectStore(directory), counts));
    manager.createRepository("r").close();

    daemon = new Daemon(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    daemon.setRepositoryResolver(manager.<DaemonClient>asResolver());
    daemon.setReceivePackFactory(
        (client, repository) -> {
          ReceivePack push = new ReceivePack(repository);
          push.setPreReceiveHook(hook);
          return push;
        });
    daemon.getService("git-receive-pack").setEnabled(true);
    daemon.start();

    url = "git://127.0.0.1:" + daemon.getAddress().getPort() + "/r";
    GitClient git = GitClient.in(scratch);
    git.run("init", "-q", "work");
    work = git.at("work");
    commit("first");
    work.run("push", "-q", url, "HEAD:refs/heads/main");
  }

  @AfterEach
  void stop() throws Exception {
    daemon.stopAndWait();
    manager.close();
  }

  private void commit(String message) throws IOException {
    Files.writeString(scratch.resolve("work/file"), message);
    work.run("add", "file");
    work.run("commit", "-q", "-m", message);
  }

  private int packs() throws IOException {
    try (S3Repository r = manager.openRepository("r", Purpose.request())) {
      return r.manifest().packs().size();
    }
  }

  @Test
  void a_push_publishes_pack_and_refs_in_one_write() throws Exception {
    commit("second");
    RequestCounts.Snapshot before = counts.snapshot();
    work.run("push", "-q", url, "HEAD:refs/heads/main");
    assertThat(counts.snapshot().since(before)).hasToString("3 requests: 1 GET, 1 PUT_IF, 1 PUT");
    assertThat(packs()).isEqualTo(2);
    assertThat(work.run("ls-remote", url, "refs/heads/main"))
        .startsWith(work.run("rev-parse", "HEAD").strip());
  }

  @Test
  void a_push_that_a_hook_refuses_publishes_nothing() throws Exception {
    hook =
        (push, commands) ->
            commands.forEach(
                c -> c.setResult(ReceiveCommand.Result.REJECTED_OTHER_REASON, "not today"));
    commit("second");
    GitResult push = work.attempt("push", "-q", url, "HEAD:refs/heads/main");
    assertThat(push.exitCode()).isNotZero();
    assertThat(push.stderr()).contains("not today");
    assertThat(packs()).isEqualTo(1);
    awaitBundles(1);
  }

  /** The server cleans up after it has answered. */
  private void awaitBundles(long number) throws IOException {
    ConcurrentTasks.waitWhile(() -> bundles() != number);
  }

  private long bundles() throws IOException {
    List<String> keys = new ArrayList<>();
    manager.store().list("objects/", object -> keys.add(object.key()));
    return keys.stream().filter(key -> key.endsWith(".bundle")).count();
  }

  @Test
  void a_hook_may_count_pushes_through_the_handle_of_one_that_it_refuses() throws Exception {
    hook =
        (push, commands) -> {
          try {
            count(push.getRepository());
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
          commands.forEach(
              c -> c.setResult(ReceiveCommand.Result.REJECTED_OTHER_REASON, "not today"));
        };
    commit("second");
    for (int i = 0; i < 2; i++) {
      assertThat(work.attempt("push", "-q", url, "HEAD:refs/heads/main").stderr())
          .contains("not today");
    }
    try (S3Repository r = manager.openRepository("r", Purpose.request())) {
      assertThat(r.parseCommit(r.resolve(COUNTER)).getParentCount()).isEqualTo(1);
      assertThat(r.resolve("refs/heads/main").name())
          .isNotEqualTo(work.run("rev-parse", "HEAD").strip());
    }
  }

  private static void count(Repository repository) throws IOException {
    ObjectId before = repository.resolve(COUNTER);
    assertThat(
            TestRepositories.update(
                repository,
                COUNTER,
                before == null
                    ? TestRepositories.commit(repository, "1")
                    : TestRepositories.commit(repository, "more", before)))
        .isIn(RefUpdate.Result.NEW, RefUpdate.Result.FAST_FORWARD);
  }
}
