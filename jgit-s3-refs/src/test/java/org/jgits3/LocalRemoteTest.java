// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.transport.RefSpec;
import org.eclipse.jgit.transport.RemoteRefUpdate;
import org.eclipse.jgit.transport.Transport;
import org.eclipse.jgit.transport.URIish;
import org.jgits3.testing.GitClient;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A repository of a store as the local side of a push and a fetch, the other one a directory. */
class LocalRemoteTest {
  private final GitClient git;
  private final URIish remote;
  @AutoClose private final S3RepositoryManager manager;
  @AutoClose private final S3Repository repository;

  LocalRemoteTest(@TempDir Path directory) throws Exception {
    git = GitClient.in(directory);
    git.run("init", "-q", "--bare", "-b", "main", "remote.git");
    remote = new URIish(directory.resolve("remote.git").toUri().toString());
    manager = TestRepositories.manager(directory.resolve("store"));
    repository = manager.createRepository("r");
  }

  @Test
  void it_is_pushed_to_a_directory() throws Exception {
    ObjectId id = TestRepositories.commit(repository, "first");
    TestRepositories.createRef(repository, "refs/heads/main", id);
    RemoteRefUpdate command =
        new RemoteRefUpdate(repository, "refs/heads/main", "refs/heads/main", false, null, null);
    try (Transport transport = Transport.open(repository, remote)) {
      transport.push(NullProgressMonitor.INSTANCE, List.of(command));
    }
    assertThat(command.getStatus()).isEqualTo(RemoteRefUpdate.Status.OK);
    assertThat(git.at("remote.git").run("rev-parse", "main").strip()).isEqualTo(id.name());
    git.at("remote.git").run("fsck", "--strict");
  }

  @Test
  void it_fetches_from_a_directory() throws Exception {
    git.run("clone", "-q", "remote.git", "work");
    GitClient work = git.at("work");
    String head = work.commitFile("file", "content\n").strip();
    work.run("push", "-q", "origin", "HEAD:refs/heads/main");
    try (Transport transport = Transport.open(repository, remote)) {
      transport.fetch(
          NullProgressMonitor.INSTANCE, List.of(new RefSpec("refs/heads/*:refs/remotes/dir/*")));
    }
    assertThat(repository.exactRef("refs/remotes/dir/main").getObjectId().name()).isEqualTo(head);
    assertThat(repository.parseCommit(ObjectId.fromString(head)).getTree()).isNotNull();
  }
}
