// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.jgit.lib.EmptyProgressMonitor;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.testing.GitAssertions;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.Holds;
import org.jgits3.testing.aid.StoredFiles;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An update of an export copies what is new, and may end anywhere. */
@Holds(
    "DirectoryUpdate, PackDirectory: An update of an export moves refs when their objects are on "
        + "disk, deletes those that the store lacks, and may be killed anywhere")
class ExportUpdateTest {
  @TempDir Path directory;
  @AutoClose private S3RepositoryManager manager;
  @AutoClose private S3Repository repository;
  private Path out;

  /** Ends the update when it has made some progress. */
  private static final class Killed extends EmptyProgressMonitor {
    private int left;

    Killed(int left) {
      this.left = left;
    }

    private void step() {
      if (left == 0) {
        throw new IllegalStateException("killed");
      }
      left--;
    }

    @Override
    public void beginTask(String title, int total) {
      step();
    }

    @Override
    public void update(int completed) {
      step();
    }

    @Override
    public void endTask() {
      step();
    }
  }

  @BeforeEach
  void export() throws Exception {
    manager = TestRepositories.manager(new MemoryObjectStore());
    repository = manager.createRepository("r");
    set("refs/heads/master", TestRepositories.commit(repository, "tip"));
    out = directory.resolve("out");
    new Exporter(NullProgressMonitor.INSTANCE).run(repository, out);
  }

  private void set(String ref, ObjectId id) throws IOException {
    TestRepositories.force(repository, ref, id);
  }

  private void update() throws IOException {
    Exporter exporter = new Exporter(NullProgressMonitor.INSTANCE);
    exporter.update(repository, out);
    assertThat(exporter.isEqual(repository, out)).isTrue();
    GitAssertions.assertIntact(GitClient.in(directory).at("out"));
  }

  private long packs() throws IOException {
    return StoredFiles.below(out.resolve("objects/pack"), file -> file.toString().endsWith(".pack"))
        .size();
  }

  @Test
  void objects_that_are_new_are_one_pack_and_others_are_not_copied() throws Exception {
    ObjectId old = repository.resolve("refs/heads/master");
    set("refs/heads/other", old);
    update();
    assertThat(packs()).isOne();
    set("refs/heads/master", TestRepositories.commit(repository, "next"));
    set("refs/heads/third", TestRepositories.commit(repository, "third"));
    update();
    assertThat(packs()).isEqualTo(2);
    update();
    assertThat(packs()).isEqualTo(2);
  }

  @Test
  void update_that_ends_anywhere_leaves_an_intact_repository_and_is_repeated() throws Exception {
    Exporter exporter = new Exporter(NullProgressMonitor.INSTANCE);
    boolean killed = true;
    int steps = 0;
    for (; killed; steps++) {
      set("refs/heads/master", TestRepositories.commit(repository, "master " + steps));
      set("refs/heads/topic", TestRepositories.commit(repository, "topic " + steps));
      try {
        new Exporter(new Killed(steps)).update(repository, out);
        killed = false;
      } catch (IllegalStateException e) {
        assertThat(e).hasMessage("killed");
      }
      GitAssertions.assertIntact(GitClient.in(directory).at("out"));
      if (steps % 2 == 0) { // else the next one continues from here
        update();
      }
    }
    assertThat(steps).isGreaterThan(4);
    assertThat(exporter.isEqual(repository, out)).isTrue();
  }

  @Test
  void ref_whose_object_the_directory_lost_gets_it_again() throws Exception {
    ObjectId id = TestRepositories.commit(repository, "next");
    set("refs/heads/next", id);
    Path ref = out.resolve("refs/heads/next");
    Files.writeString(ref, id.name() + "\n");
    set("refs/heads/more", TestRepositories.commit(repository, "more"));
    update();
  }

  @Test
  void ref_to_a_lost_object_that_alone_differs_is_set_and_deleted() throws Exception {
    Path ref = out.resolve("refs/heads/next");
    String lost = TestRepositories.commit(repository, "lost").name() + "\n";
    Files.writeString(ref, lost);
    set("refs/heads/next", TestRepositories.commit(repository, "next"));
    update();
    Files.writeString(out.resolve("refs/heads/lost"), lost);
    update();
  }

  @Test
  void directory_without_a_repository_is_refused() {
    Path none = directory.resolve("none");
    assertThatThrownBy(() -> new Exporter(NullProgressMonitor.INSTANCE).update(repository, none))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no such Git repository");
    assertThat(none).doesNotExist();
  }

  @Test
  void partial_clone_is_refused() throws Exception {
    GitClient.in(directory).at("out").run("config", "remote.origin.promisor", "true");
    set("refs/heads/master", TestRepositories.commit(repository, "next"));
    Exporter exporter = new Exporter(NullProgressMonitor.INSTANCE);
    assertThatThrownBy(() -> exporter.update(repository, out))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("partial clone");
  }
}
