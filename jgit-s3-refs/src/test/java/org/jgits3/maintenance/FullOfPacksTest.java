// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.jgits3.TestRepositories.force;

import java.io.IOException;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.manifest.ManifestException;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A repository whose manifest was filled with packs while none could be merged. */
@Holds(
    "BackgroundMaintenance, BackgroundCompaction: A manifest full of packs is compacted once that "
        + "is possible, even if no commit changes it")
@Timeout(300)
class FullOfPacksTest {
  private final MemoryObjectStore store = new MemoryObjectStore();

  private static void push(S3RepositoryManager server, int number) throws IOException {
    try (S3Repository r = server.openRepository("r", Purpose.request())) {
      ObjectId id = TestRepositories.commit(r, "commit " + number);
      force(r, "refs/heads/main", id);
    }
  }

  @Test
  void a_server_merges_packs_of_a_full_manifest_once_it_can() throws Exception {
    try (S3RepositoryManager server = TestRepositories.manager(store)) {
      server.maintainInBackground();
      Lease other;
      try (S3Repository r = server.createRepository("r")) {
        r.setGitwebDescription("x".repeat(200_000)); // most of the room
        other = new Lease(store, r.manifest().repositoryId());
      }
      assertThat(other.acquire()).isTrue(); // of a server that dies
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 1000; i++) {
                  push(server, i);
                }
              })
          .isInstanceOf(ManifestException.TooLarge.class);
      other.release();
      ConcurrentTasks.waitWhile(
          () -> catchThrowable(() -> push(server, 1000)) instanceof ManifestException.TooLarge);
      push(server, 1001);
    }
  }
}
