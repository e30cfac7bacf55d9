// SPDX-License-Identifier: Apache-2.0
package org.jgits3.damage;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import org.eclipse.jgit.internal.storage.dfs.DfsInserter;
import org.eclipse.jgit.internal.storage.dfs.DfsPackParser;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.RepositoryBuilder;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.maintenance.Verification;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.testing.ForgedPack;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.PackBytes;
import org.jgits3.transfer.Exporter;
import org.jgits3.transfer.ImportSource;
import org.jgits3.transfer.Importer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Packs that JGit reads and Git does not. */
class UnreadablePackTest {
  private static final String SHORT = "is a delta that makes 43 of the 600 bytes that it declares";

  @TempDir Path directory;
  @AutoClose private S3RepositoryManager manager;
  private PackBytes pack;

  @BeforeEach
  void make_pack() throws Exception {
    manager = TestRepositories.manager(new MemoryObjectStore());
    pack = ForgedPack.withShortDelta();
  }

  private static void setMain(Repository repository, ObjectId to) throws IOException {
    RefUpdate update = repository.updateRef("refs/heads/main");
    update.setNewObjectId(to);
    assertThat(update.update()).isEqualTo(RefUpdate.Result.NEW);
  }

  /** Makes a repository with the pack, which this library would not take. */
  private S3Repository stored() throws IOException {
    S3Repository repository = manager.createRepository("r");
    try (ObjectInserter inserter = repository.newObjectInserter()) {
      new Unchecked(repository, inserter, pack.bytes()).parse(NullProgressMonitor.INSTANCE);
    }
    setMain(repository, pack.commit());
    return repository;
  }

  /** JGit's own parser. */
  private static final class Unchecked extends DfsPackParser {
    Unchecked(S3Repository repository, ObjectInserter inserter, byte[] pack) {
      super(repository.getObjectDatabase(), (DfsInserter) inserter, new ByteArrayInputStream(pack));
    }
  }

  @Test
  void delta_that_git_refuses_is_not_imported() throws Exception {
    GitClient git = GitClient.in(directory);
    git.run("init", "-q", "--bare", "source.git");
    Path source = directory.resolve("source.git");
    try (Repository repository = new RepositoryBuilder().setGitDir(source.toFile()).build()) {
      pack.pushTo(repository);
      setMain(repository, pack.commit());
    }
    assertThat(git.at("source.git").attempt("fsck").ok()).isFalse();
    try (ImportSource opened = ImportSource.open(source.toString())) {
      assertThatThrownBy(
              () ->
                  new Importer(manager, NullProgressMonitor.INSTANCE)
                      .run(opened, new RepositoryName("r")))
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith(source + ": object ")
          .hasMessageEndingWith(SHORT + "; see git fsck");
    }
    assertThat(manager.list()).isEmpty();
  }

  @Test
  void delta_that_git_refuses_is_found_and_other_packs_are_checked() throws Exception {
    try (S3Repository repository = stored();
        ObjectInserter inserter = repository.newObjectInserter()) {
      ObjectId malformed =
          inserter.insert(Constants.OBJ_COMMIT, "tree of no kind\n".getBytes(US_ASCII));
      inserter.flush();
      assertThat(manager.maintenance("r").verify(NullProgressMonitor.INSTANCE).findings())
          .extracting(Verification.Finding::problem)
          .satisfiesExactlyInAnyOrder(
              problem -> assertThat(problem).endsWith(SHORT),
              problem -> assertThat(problem).startsWith("commit " + malformed.name() + ": "));
    }
  }

  @Test
  void delta_that_git_refuses_is_not_exported() throws Exception {
    try (S3Repository repository = stored()) {
      Path out = directory.resolve("out.git");
      assertThatThrownBy(() -> new Exporter(NullProgressMonitor.INSTANCE).run(repository, out))
          .isInstanceOf(IOException.class)
          .hasMessageEndingWith(SHORT);
      assertThat(out).doesNotExist();
    }
  }
}
