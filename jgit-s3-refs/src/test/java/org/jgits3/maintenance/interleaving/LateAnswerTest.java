// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance.interleaving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jgits3.TestRepositories.force;

import java.io.IOException;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.Soundness;
import org.jgits3.TestRepositories;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.maintenance.MaintenanceFixture;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StagedStore;
import org.jgits3.store.StagedStore.Request;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.Test;

/** Objects that are collected before the process that inserted them has its answer. */
@Holds(
    "S3ObjDatabase: A handle finds only objects of listed packs, and of those that its own "
        + "request hides (P0, P1, E1)")
class LateAnswerTest {
  private final ObjectStore plain = new MemoryObjectStore();
  private final StagedStore late = new StagedStore(plain);

  @Test
  void E1_a_handle_does_not_find_what_it_inserted_once_that_was_dropped() throws Exception {
    try (S3RepositoryManager users = MaintenanceFixture.manager(late);
        S3RepositoryManager collector = MaintenanceFixture.manager(plain)) {
      users.createRepository("r").close();
      try (S3Repository user = users.openRepository("r", Purpose.request())) {
        force(user, "refs/heads/main", TestRepositories.commit(user, "first"));
        late.after(
            Request.WRITE_MANIFEST,
            () -> {
              MaintenanceFixture.gc(collector);
              MaintenanceFixture.gc(collector);
              users.openRepository("r", Purpose.request()).close(); // learns of it
            });
        ObjectId dropped = TestRepositories.commit(user, "dropped");

        assertThat(StoredManifest.read(plain, "r").dropped()).isPositive();
        assertThatThrownBy(() -> force(user, "refs/heads/new", dropped))
            .isInstanceOf(IOException.class)
            .hasMessageContaining(dropped.name());
      }
      Soundness.assertSound(collector, "r");
    }
  }
}
