// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jgit.internal.storage.dfs.DfsPackDescription;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectReader;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.function.IoRunnable;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.testing.Holds;
import org.jgits3.testing.aid.Unchecked;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The list of packs, while handles and processes learn of new ones at the same time. */
@Holds(
    "S3ObjDatabase, SharedPacks: A list of packs is never older than the version it is kept under")
@Timeout(300) // threads wait for each other
class SharedPacksTest {
  @TempDir Path directory;

  @AutoClose private S3RepositoryManager manager;
  @AutoClose private S3RepositoryManager elsewhere;

  @BeforeEach
  void open() throws Exception {
    manager = TestRepositories.manager(directory);
    elsewhere = TestRepositories.manager(directory);
  }

  @Test
  void a_list_that_was_being_made_when_a_pack_came_is_not_kept() throws Exception {
    try (S3Repository writer = manager.createRepository("r");
        S3Repository reader = manager.openRepository("r")) {
      ObjectId first = TestRepositories.commit(writer, "first");
      TestRepositories.commit(writer, "second", first);
      AtomicReference<ObjectId> third = new AtomicReference<>();
      Thread other = new Thread(() -> Unchecked.run(reader.getObjectDatabase()::getPackList));
      reader
          .getObjectDatabase()
          .setPackComparator(
              whenFirstUsed(
                  () -> {
                    third.set(TestRepositories.commit(writer, "third", first));
                    other.start();
                    ConcurrentTasks.waitWhile(() -> other.getState() != Thread.State.BLOCKED);
                  }));
      reader.getObjectDatabase().getPackList();
      other.join();

      assertThat(reader.getObjectDatabase().getPackList().packs).hasSize(3);
      assertThat(reader.getObjectDatabase().has(third.get())).isTrue();
    }
  }

  /** The usual order of packs, with an action before the first comparison. */
  private static Comparator<DfsPackDescription> whenFirstUsed(IoRunnable action) {
    AtomicReference<IoRunnable> once = new AtomicReference<>(action);
    Comparator<DfsPackDescription> usual = DfsPackDescription.objectLookupComparator();
    return (a, b) -> {
      Unchecked.run(once.getAndSet(() -> {})::run);
      return usual.compare(a, b);
    };
  }

  @Test
  void an_object_is_found_though_another_handle_first_learned_of_its_pack() throws Exception {
    try (S3Repository there = elsewhere.createRepository("r")) {
      ObjectId first = TestRepositories.commit(there, "first");
      ObjectId second = TestRepositories.commit(there, "second", first);
      try (S3Repository here = manager.openRepository("r");
          S3Repository other = manager.openRepository("r");
          ObjectReader reader = here.newObjectReader()) {
        ObjectId third = TestRepositories.commit(there, "third", second);
        here.getObjectDatabase().setPackComparator(whenFirstUsed(other::scanForRepoChanges));
        assertThat(reader.has(third)).isTrue();
      }
    }
  }
}
