// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance.interleaving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jgits3.TestRepositories.delete;
import static org.jgits3.TestRepositories.force;

import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.RefUpdate;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.TestRepositories;
import org.jgits3.internal.refs.transaction.RefTransaction;
import org.jgits3.maintenance.GarbageCollection;
import org.jgits3.maintenance.Sleeper;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.RefValue;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The interleavings of a push and of collections that drop garbage, step by step: E0 to E3. The
 * push has found an object in the store that nothing leads to, and so has not written it.
 */
@Holds(
    "GarbageDrop: Expired garbage stays if and only if a ref leads into it, as of the base of the "
        + "commit (E0, E2, E5 to E8)")
@Holds(
    "S3RefDatabase, LargeTransaction, ObjectsDroppedException, Connectivity: Once objects were "
        + "removed, a ref is set only if all that it leads to exists. A writer that looked before "
        + "looks again, or fails. (E0, E1, E3)")
class GarbageInterleavingTest extends InterleavingFixture {
  private static final String NEW = "refs/heads/new";

  private Actor collector;

  /** A handle that has found the object before anything is collected. */
  @AutoClose private S3Repository pusher;

  private ObjectId found;

  @BeforeEach
  void start() throws Exception {
    collector = actor();
    try (S3Repository r = others.manager.openRepository("r", Purpose.request())) {
      found = TestRepositories.commit(r, "garbage");
    }
    pusher = actor().manager.openRepository("r");
    assertThat(pusher.getObjectDatabase().has(found)).isTrue();
    assertThat(collector.gc().skipped()).isFalse(); // in a pack of garbage from now on
    assertThat(manifest().dropped()).isZero();
  }

  private boolean isStored() throws Exception {
    try (S3Repository r = actor().manager.openRepository("r")) {
      return r.getObjectDatabase().has(found);
    }
  }

  private void isRefused(String ref) throws IOException {
    assertThatThrownBy(() -> force(pusher, ref, found))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(found.name());
    assertThat(pusher.exactRef(ref)).isNull();
  }

  @Test
  void E0_E2_neither_a_collection_nor_a_push_relies_on_what_it_found_before() throws Exception {
    try (Sleeper<GarbageCollection.Report> drop = collector.beforeWrite(collector::gc)) {
      assertThat(force(pusher, NEW, found)).isEqualTo(RefUpdate.Result.NEW);
      assertThat(drop.wake().garbageKept()).isTrue();
    }
    assertThat(manifest().dropped()).isZero();
    assertThat(isStored()).isTrue();
    isSound();
    delete(pusher, NEW);
    collector.gc();
    collector.gc();
    assertThat(manifest().dropped()).isPositive();
    isRefused(NEW);
    isSound();
  }

  @Test
  void E1_a_push_looks_again_after_objects_were_dropped() throws Exception {
    collector.gc();
    assertThat(manifest().dropped()).isPositive();
    isRefused(NEW);
    assertThat(isStored()).isFalse();
    isSound();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, Manifest.MAX_BYTES})
  void E1_a_batch_looks_again_for_what_a_detached_head_is_to_lead_to(long bytes) throws Exception {
    Actor actor = actor();
    RefTransaction<Boolean> detach =
        edits -> {
          edits.put(Constants.HEAD, new RefValue.Direct(found, Optional.empty()));
          edits.delete(MAIN);
          return RefTransaction.Outcome.unchanged(true);
        };
    try (S3Repository r = actor.manager.openRepository("r");
        Sleeper<Boolean> batch =
            actor.beforeWrite(
                () -> r.getRefDatabase().commitBatch(detach, () -> Set.of(found), bytes))) {
      collector.gc();
      assertThat(manifest().dropped()).isPositive();
      assertThatThrownBy(batch::wake)
          .isInstanceOf(IOException.class)
          .hasMessageContaining(found.name());
    }
    isSound();
  }

  @Test
  void E3_a_push_of_an_object_that_others_kept_succeeds_after_a_collection() throws Exception {
    ObjectId kept = others.push("refs/heads/kept");
    try (S3Repository late = actor().manager.openRepository("r")) {
      assertThat(late.getObjectDatabase().has(kept)).isTrue();
      collector.gc();
      assertThat(manifest().dropped()).isPositive();
      assertThat(force(late, NEW, kept)).isEqualTo(RefUpdate.Result.NEW);
      assertThat(late.exactRef(NEW).getObjectId()).isEqualTo(kept);
    }
    isRefused("refs/heads/other");
    isSound();
  }
}
