// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Set;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.RefUpdate;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.testing.GitAssertions;
import org.jgits3.testing.GitClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A repository that an application has fetched into with a depth. */
class ShallowExportTest {
  @TempDir Path directory;

  @Test
  void a_repository_whose_history_ends_early_does_so_in_the_directory_too() throws Exception {
    try (S3RepositoryManager manager = TestRepositories.manager(new MemoryObjectStore());
        S3Repository r = manager.createRepository("r")) {
      ObjectId left = ObjectId.fromString("1234567890123456789012345678901234567890");
      ObjectId last = TestRepositories.commit(r, "last", left);
      ObjectId tip = TestRepositories.commit(r, "tip", last);
      r.getObjectDatabase().setShallowCommits(Set.of(last));
      assertThat(TestRepositories.update(r, "refs/heads/master", tip))
          .isEqualTo(RefUpdate.Result.NEW);
      new Exporter(NullProgressMonitor.INSTANCE).run(r, directory.resolve("out"));
    }
    GitClient out = GitClient.in(directory).at("out");
    GitAssertions.assertIntact(out);
    assertThat(out.run("rev-parse", "--is-shallow-repository")).isEqualTo("true");
    assertThat(out.run("rev-list", "--count", "--all")).isEqualTo("2");
  }
}
