// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCacheConfig;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.transport.RefSpec;
import org.eclipse.jgit.transport.RemoteRefUpdate;
import org.eclipse.jgit.transport.Transport;
import org.eclipse.jgit.transport.URIish;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Histories that end at shallow commits, as a fetch with a depth leaves them. */
@Holds(
    "ShallowCommits, SharedPacks: A commit stops being shallow when everything that its parents "
        + "lead to is listed. This is checked again if objects were removed since. (H0, H3)")
@Holds(
    "S3ObjDatabase: Bitmaps and commit graphs made while the history ended at shallow commits "
        + "are never listed (H1)")
class ShallowRepositoryTest {
  private static final int COMMITS = 5;

  @TempDir Path directory;
  private GitClient git;
  private URIish remote;
  private ObjectId head;
  @AutoClose private S3RepositoryManager manager;
  @AutoClose private S3Repository repository;

  @BeforeEach
  void create() throws Exception {
    git = GitClient.in(directory);
    git.run("init", "-q", "--bare", "-b", "main", "remote.git");
    remote = uri("remote.git");
    git.run("clone", "-q", "remote.git", "work");
    for (int i = 0; i < COMMITS; i++) {
      head = ObjectId.fromString(git.at("work").commitFile("file", "content " + i + "\n").strip());
    }
    git.at("work").run("push", "-q", "origin", "HEAD:refs/heads/main");
    DfsBlockCache.reconfigure(new DfsBlockCacheConfig());
    manager = TestRepositories.manager(store());
    repository = manager.createRepository("r");
  }

  private URIish uri(String name) throws Exception {
    return new URIish(directory.resolve(name).toUri().toString());
  }

  private ObjectStore store() throws IOException {
    return new DirectoryObjectStore(directory.resolve("store"));
  }

  private void fetch(S3Repository to, int depth) throws Exception {
    try (Transport transport = Transport.open(to, remote)) {
      transport.setDepth(depth);
      transport.fetch(
          NullProgressMonitor.INSTANCE, List.of(new RefSpec("refs/heads/*:refs/heads/*")));
    }
  }

  /** Commits that a client gets. */
  private int sent(String to) throws Exception {
    git.run("init", "-q", "--bare", "-b", "main", to);
    RemoteRefUpdate command =
        new RemoteRefUpdate(repository, "refs/heads/main", "refs/heads/main", false, null, null);
    try (Transport transport = Transport.open(repository, uri(to))) {
      transport.push(NullProgressMonitor.INSTANCE, List.of(command));
    }
    assertThat(command.getStatus()).as(command.getMessage()).isEqualTo(RemoteRefUpdate.Status.OK);
    git.at(to).run("fsck", "--strict");
    return Integer.parseInt(git.at(to).run("rev-list", "--count", "main").strip());
  }

  private void repack() throws IOException {
    manager.maintenance("r").repack(NullProgressMonitor.INSTANCE);
  }

  private void assertSound() throws IOException {
    Soundness.assertSound(manager, "r");
  }

  @Test
  void H1_a_history_completed_after_a_collection_is_sent_and_collected_whole() throws Exception {
    fetch(repository, 1);
    assertThat(shallow()).containsExactly(head);
    repack();
    assertThat(repository.manifest().packs().get(0).files()).doesNotContainKeys("bitmap", "graph");
    assertSound();
    fetch(repository, Constants.INFINITE_DEPTH);
    assertThat(shallow()).isEmpty();
    assertSound();
    assertThat(sent("before.git")).isEqualTo(COMMITS);
    repack();
    assertThat(repository.manifest().packs()).hasSize(1); // and nothing of it is garbage
    assertThat(repository.manifest().packs().get(0).files()).containsKeys("bitmap", "graph");
    assertThat(sent("after.git")).isEqualTo(COMMITS);
    assertSound();
  }

  private Set<ObjectId> shallow() throws IOException {
    return repository.manifest().settings().shallow();
  }

  /** Fails all that is written from some moment on. */
  private static final class FullStore extends DelegatingObjectStore {
    private volatile boolean full;

    FullStore(ObjectStore store) {
      super(store);
    }

    @Override
    public void put(String key, byte[] src, int offset, int length) throws IOException {
      if (full) {
        throw new StoreException.Refused(key, "the bucket is full", null);
      }
      super.put(key, src, offset, length);
    }
  }

  @Test
  void H0_a_fetch_that_fails_before_its_pack_leaves_the_history_shallow() throws Exception {
    fetch(repository, 1);
    repack();
    FullStore full = new FullStore(store());
    try (S3RepositoryManager other = TestRepositories.manager(full);
        S3Repository there = other.openRepository("r")) {
      full.full = true;
      assertThatThrownBy(() -> fetch(there, Constants.INFINITE_DEPTH))
          .isInstanceOf(IOException.class);
    }
    repository.scanForRepoChanges();
    assertThat(shallow()).containsExactly(head);
    assertSound();
    repack();
    fetch(repository, Constants.INFINITE_DEPTH);
    assertThat(shallow()).isEmpty();
    assertThat(sent("copy.git")).isEqualTo(COMMITS);
  }

  @Holds(
      "ShallowCommits: A change of shallow commits is merged with those committed since it was "
          + "read")
  @Test
  void changes_of_shallow_commits_by_several_handles_are_all_kept() throws Exception {
    ObjectId one = TestRepositories.commit(repository, "one");
    ObjectId two = TestRepositories.commit(repository, "two");
    ObjectId three = TestRepositories.commit(repository, "three");
    try (S3RepositoryManager elsewhere = TestRepositories.manager(store());
        S3Repository there = elsewhere.openRepository("r")) {
      there.getObjectDatabase().setShallowCommits(Set.of(one));
      assertThat(repository.getObjectDatabase().getShallowCommits()).isEmpty(); // not seen yet
      repository.getObjectDatabase().setShallowCommits(Set.of(two, three));
      assertThat(shallow()).containsExactlyInAnyOrder(one, two, three);
      there.scanForRepoChanges();
      Set<ObjectId> read = there.getObjectDatabase().getShallowCommits();
      assertThat(read).hasSize(3);
      repository.getObjectDatabase().getShallowCommits();
      repository.getObjectDatabase().setShallowCommits(Set.of(one, two));
      there.getObjectDatabase().setShallowCommits(Set.of(one, three));
      repository.scanForRepoChanges();
      assertThat(shallow()).containsExactly(one);
    }
  }
}
