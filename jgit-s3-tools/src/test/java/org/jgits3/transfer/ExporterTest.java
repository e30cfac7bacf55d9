// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.jgit.lib.EmptyProgressMonitor;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.testing.GitAssertions;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.aid.AtFirstTask;
import org.jgits3.testing.aid.Unchecked;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An export deletes nothing but what exports have left. */
class ExporterTest {
  @TempDir Path directory;
  @AutoClose private S3RepositoryManager manager;
  @AutoClose private S3Repository repository;
  private Path out;
  private Path staging;

  @BeforeEach
  void create() throws Exception {
    manager = TestRepositories.manager(new MemoryObjectStore());
    repository = manager.createRepository("r");
    ObjectId tip = TestRepositories.commit(repository, "tip");
    TestRepositories.createRef(repository, "refs/heads/master", tip);
    out = directory.resolve("out");
    staging = directory.resolve("out.part.lock");
  }

  private void export(ProgressMonitor monitor) throws IOException {
    new Exporter(monitor).run(repository, out);
  }

  private void isRefused(Path because) {
    assertThatThrownBy(() -> export(NullProgressMonitor.INSTANCE))
        .isInstanceOf(FileAlreadyExistsException.class)
        .hasMessageStartingWith(because + ": ")
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("\n"));
  }

  private void succeeds() throws IOException {
    export(NullProgressMonitor.INSTANCE);
    GitAssertions.assertIntact(GitClient.in(directory).at("out"));
    assertThat(staging).doesNotExist();
    assertThat(out.resolve("export.lock")).doesNotExist();
  }

  @Test
  void files_of_a_user_beside_the_directory_are_refused_and_stay() throws Exception {
    Path notes = Files.createDirectory(staging).resolve("notes.txt");
    Files.writeString(notes, "mine");
    isRefused(staging);
    assertThat(notes).hasContent("mine");
    assertThat(staging).isDirectoryContaining(notes::equals);
    assertThat(out).doesNotExist();
  }

  @Test
  void a_link_beside_the_directory_is_refused_and_nothing_behind_it_touched() throws Exception {
    Path victim = Files.createDirectory(directory.resolve("victim"));
    Files.createSymbolicLink(staging, victim);
    isRefused(staging);
    assertThat(victim).isEmptyDirectory();
    Path lock = Files.writeString(victim.resolve("export.lock"), "");
    Path precious = Files.writeString(victim.resolve("precious"), "mine");
    isRefused(staging);
    assertThat(precious).hasContent("mine");
    assertThat(lock).exists();
    Files.delete(staging);
    Files.writeString(staging, "a file");
    isRefused(staging);
    assertThat(staging).hasContent("a file");
  }

  @Test
  void a_link_in_place_of_the_lock_is_refused() throws Exception {
    Path victim = directory.resolve("victim");
    Files.createSymbolicLink(Files.createDirectory(staging).resolve("export.lock"), victim);
    isRefused(staging);
    assertThat(victim).doesNotExist();
  }

  @Test
  void a_link_a_file_and_a_directory_with_content_are_not_exported_to() throws Exception {
    Path other = Files.createDirectory(directory.resolve("other"));
    Files.createSymbolicLink(out, other);
    isRefused(out);
    Files.delete(out);
    Files.writeString(out, "mine");
    isRefused(out);
    Files.delete(out);
    Files.writeString(Files.createDirectory(out).resolve("notes.txt"), "mine");
    isRefused(out);
    assertThat(out.resolve("notes.txt")).hasContent("mine");
    assertThat(staging).doesNotExist();
  }

  @Test
  void longest_name_is_exported() throws Exception {
    RepositoryName longest = new RepositoryName("n".repeat(240));
    out = directory.resolve(longest + ".git");
    export(NullProgressMonitor.INSTANCE);
    assertThat(out.resolve("HEAD")).exists();
  }

  @Test
  void no_repository_of_a_site_is_where_another_one_grows() {
    assertThatThrownBy(() -> new RepositoryName(staging.getFileName() + "/y"))
        .hasMessageContaining("ends in .git or .lock");
  }

  /** Thrown where a process is killed: nothing is removed. */
  private static final class Killed extends Error {
    private static final long serialVersionUID = 1L;
  }

  @Test
  void what_a_killed_export_left_is_taken_over() throws Exception {
    var dying =
        new AtFirstTask(
            () -> {
              throw new Killed();
            });
    assertThatThrownBy(() -> export(dying)).isInstanceOf(Killed.class);
    assertThat(staging).isNotEmptyDirectory();
    Path half = Files.writeString(staging.resolve("objects/pack/pack-1.pack"), "half");
    assertThat(half).exists();
    succeeds();
    assertThat(out.resolve("objects/pack/pack-1.pack")).doesNotExist();
  }

  @Test
  void empty_directories_are_used() throws Exception {
    Files.createDirectory(staging);
    Files.createDirectory(out);
    succeeds();
  }

  @Test
  void what_could_not_get_its_name_is_taken_over() throws Exception {
    Path disturbing = out.resolve("disturbing");
    var disturber =
        new EmptyProgressMonitor() {
          @Override
          public void endTask() {
            Unchecked.call(() -> Files.createDirectories(disturbing));
          }
        };
    assertThatThrownBy(() -> export(disturber)).isInstanceOf(IOException.class);
    assertThat(staging.resolve("HEAD")).exists();
    Files.delete(disturbing);
    succeeds();
  }
}
