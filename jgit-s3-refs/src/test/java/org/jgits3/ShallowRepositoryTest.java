// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.eclipse.jgit.errors.TransportException;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.transport.RefSpec;
import org.eclipse.jgit.transport.Transport;
import org.eclipse.jgit.transport.URIish;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A history that ends at shallow commits. */
@Holds("S3ObjDatabase: All that a ref leads to is listed, so no history ends at shallow commits")
class ShallowRepositoryTest {
  private static final List<RefSpec> ALL = List.of(new RefSpec("refs/heads/*:refs/heads/*"));

  @TempDir Path directory;

  @Test
  void a_fetch_with_a_depth_into_a_repository_is_refused_and_changes_nothing() throws Exception {
    GitClient git = GitClient.in(directory);
    git.run("init", "-q", "-b", "main", "remote");
    git.at("remote").commitFile("file", "first\n");
    git.at("remote").commitFile("file", "second\n");
    URIish remote = new URIish(directory.resolve("remote").toUri().toString());
    try (S3RepositoryManager manager = TestRepositories.manager(new MemoryObjectStore());
        S3Repository repository = manager.createRepository("r");
        Transport transport = Transport.open(repository, remote)) {
      transport.setDepth(1);
      assertThatThrownBy(() -> transport.fetch(NullProgressMonitor.INSTANCE, ALL))
          .isInstanceOf(TransportException.class)
          .hasMessageContaining("is shallow");
      assertThat(repository.exactRef("refs/heads/main")).isNull();
      assertThat(repository.manifest().packs()).isEmpty();
      transport.setDepth(null);
      transport.fetch(NullProgressMonitor.INSTANCE, ALL);
      Soundness.assertSound(manager, "r");
    }
  }
}
