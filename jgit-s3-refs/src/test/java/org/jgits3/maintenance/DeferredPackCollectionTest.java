// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jgits3.TestRepositories.force;

import java.io.IOException;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.RefUpdate;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.TestRepositories;
import org.jgits3.testing.Holds;
import org.jgits3.testing.PackBytes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Collections while a received pack waits for its ref update. */
@Holds(
    "S3RefDatabase, Quarantine: Once objects were removed, a ref is set only if all that it leads "
        + "to exists. A writer that looked before looks again, or fails. (E0, E1, E3)")
class DeferredPackCollectionTest extends MaintainedRepository {
  private static final String NEW = "refs/heads/new";

  private ObjectId first;

  @BeforeEach
  void create() throws Exception {
    first = push(1);
  }

  private static ObjectId receive(S3Repository repository, ObjectId parent) throws IOException {
    return PackBytes.childOf(parent).pushTo(repository);
  }

  @Test
  void a_pack_on_garbage_removed_meanwhile_is_refused_with_its_refs() throws Exception {
    ObjectId garbage = TestRepositories.commit(it.user, "garbage");
    it.gc();
    try (S3Repository pusher = it.users.openRepository("r", Purpose.push())) {
      assertThat(pusher.parseCommit(garbage)).isNotNull();
      ObjectId child = receive(pusher, garbage);
      it.gc();
      assertThatThrownBy(() -> force(pusher, NEW, child))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(garbage.name());
      assertThat(pusher.exactRef(NEW)).isNull();
    }
    assertThat(it.manifest().packs()).hasSize(1);
    it.isSound();
  }

  @Test
  void a_pack_that_waited_through_collections_is_published_by_its_refs() throws Exception {
    try (S3Repository pusher = it.users.openRepository("r", Purpose.push())) {
      ObjectId child = receive(pusher, first);
      TestRepositories.commit(it.user, "garbage");
      it.gc();
      it.gc();
      assertThat(it.manifest().dropped()).isPositive();
      assertThat(force(pusher, NEW, child)).isEqualTo(RefUpdate.Result.NEW);
    }
    assertThat(it.manifest().packs()).hasSize(2);
    it.isSound();
  }
}
