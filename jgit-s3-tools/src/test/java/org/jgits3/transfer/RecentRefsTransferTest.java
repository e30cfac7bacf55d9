// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.jgits3.TestRepositories.delete;
import static org.jgits3.TestRepositories.force;
import static org.jgits3.TestRepositories.refs;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.refs.table.RefFold;
import org.jgits3.internal.refs.transaction.Folds;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.maintenance.MaintenanceFixture;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.verify.Verification;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A repository whose refs are in a table and a recent one on top of it. */
class RecentRefsTransferTest {
  private static final String MAIN = "refs/heads/main";

  @TempDir Path directory;
  @AutoClose private S3RepositoryManager manager;
  @AutoClose private S3Repository user;
  private ObjectId first;

  @BeforeEach
  void create() throws Exception {
    manager = MaintenanceFixture.manager(new DirectoryObjectStore(directory.resolve("store")));
    user = manager.createRepository("r");
    first = TestRepositories.commit(user, "first");
    force(user, MAIN, first);
    createAll("refs/base/", RefFold.FEW);
    force(user, MAIN, TestRepositories.commit(user, "second", first));
    delete(user, "refs/base/7");
    Folds.fold(user);
    assertThat(user.manifest().refs().hasRecent()).isTrue();
  }

  private void createAll(String prefix, int count) throws IOException {
    TestRepositories.createAll(user, first, count, i -> prefix + i);
  }

  @Test
  void an_export_has_the_refs_of_all_levels() throws Exception {
    Path out = directory.resolve("out");
    new Exporter(NullProgressMonitor.INSTANCE).run(user, out);
    try (Repository exported =
        new FileRepositoryBuilder().setGitDir(out.toFile()).setMustExist(true).build()) {
      assertThat(refs(exported)).containsExactlyElementsOf(refs(user)).hasSize(RefFold.FEW);
    }
  }

  @Test
  void a_restore_across_a_new_base_brings_back_both_levels() throws Exception {
    List<String> before = refs(user);
    Manifest copy = user.manifest();
    force(user, MAIN, first);
    createAll("refs/more/", 10_000);
    assertThat(user.manifest().refs().hasRecent()).as("a new base").isFalse();
    new Restorer(manager, NullProgressMonitor.INSTANCE).run(RepositoryName.of("r"), copy);
    assertThat(refs(user)).isEqualTo(before);
    assertThat(new Verification(manager, NullProgressMonitor.INSTANCE).run("r").findings())
        .isEmpty();
  }
}
