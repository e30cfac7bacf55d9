// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCacheConfig;
import org.eclipse.jgit.internal.storage.dfs.DfsGarbageCollector;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.FaultInjectingObjectStore;
import org.jgits3.store.FaultInjectingObjectStore.Fault;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.ReadRequest;
import org.jgits3.store.RequestKind;
import org.jgits3.store.StagedStore;
import org.jgits3.store.StoreException;
import org.jgits3.testing.Holds;
import org.jgits3.testing.aid.RandomBytes;
import org.jgits3.testing.aid.StoredFiles;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Holds(
    "S3PackDescription, NewPacks: Files of an unlisted pack are deleted only once no commit with "
        + "it was or will be tried (P1)")
@Holds(
    "S3ObjDatabase: Side files and bundles are compared with the CRC32C in the manifest at every "
        + "load. A failed load is tried again.")
class PackReadingTest {
  @TempDir Path directory;
  private FaultInjectingObjectStore store;
  @AutoClose private S3RepositoryManager manager;
  @AutoClose private S3RepositoryManager elsewhere;

  @BeforeEach
  void open() throws Exception {
    store = new FaultInjectingObjectStore(new DirectoryObjectStore(directory), 1, 0);
    manager = TestRepositories.manager(store);
    elsewhere = TestRepositories.manager(directory);
    DfsBlockCache.reconfigure(new DfsBlockCacheConfig());
  }

  @Test
  void an_index_that_failed_to_load_for_a_collection_is_tried_again() throws Exception {
    try (S3Repository there = elsewhere.createRepository("r")) {
      TestRepositories.update(there, "refs/heads/main", TestRepositories.commit(there, "first"));
      TestRepositories.commit(there, "garbage");
      new DfsGarbageCollector(there).pack(NullProgressMonitor.INSTANCE);
      TestRepositories.configure(there, "gc", "pruneExpire", "now");
    }
    AtomicReference<String> unreadable = new AtomicReference<>("no pack");
    DelegatingObjectStore failing =
        new DelegatingObjectStore(new DirectoryObjectStore(directory)) {
          @Override
          public ObjectVersion read(ReadRequest range) throws IOException {
            if (range.key().contains(unreadable.get())) {
              unreadable.set("no pack");
              throw new StoreException.Unavailable(range.key(), "is not answered", null);
            }
            return super.read(range);
          }
        };
    StagedStore staged = new StagedStore(failing);
    AtomicReference<ObjectId> pushed = new AtomicReference<>();
    staged.beforeWrite(
        () -> {
          try (S3Repository there = elsewhere.openRepository("r")) {
            pushed.set(TestRepositories.commit(there, "pushed"));
            TestRepositories.update(there, "refs/heads/topic", pushed.get());
            unreadable.set(there.manifest().packs().get(0).id());
          }
          DfsBlockCache.reconfigure(new DfsBlockCacheConfig());
        });
    try (S3RepositoryManager of = TestRepositories.manager(staged);
        S3Repository here = of.openRepository("r")) {
      DfsGarbageCollector collector =
          new DfsGarbageCollector(here).setGarbageTtl(1, TimeUnit.MILLISECONDS);
      assertThatThrownBy(() -> collector.pack(NullProgressMonitor.INSTANCE))
          .isInstanceOf(IOException.class);
      assertThat(pushed.get()).isNotNull();
      assertThat(unreadable.get()).as("a read has failed").isEqualTo("no pack");
      assertThat(here.parseCommit(pushed.get()).getFullMessage()).isEqualTo("pushed");
    }
  }

  @Test
  void inserted_objects_are_read_back_before_and_after_publication() throws Exception {
    byte[] large = RandomBytes.of((4 << 20) + 12345, 5); // more than is kept in memory
    try (S3Repository r = manager.createRepository("r");
        ObjectInserter inserter = r.newObjectInserter()) {
      ObjectId id = inserter.insert(Constants.OBJ_BLOB, large);
      ObjectId small = inserter.insert(Constants.OBJ_BLOB, new byte[] {1, 2, 3});
      DfsBlockCache.reconfigure(new DfsBlockCacheConfig()); // so that it must be read back
      try (var reader = inserter.newReader()) {
        assertThat(reader.open(small).getBytes()).containsExactly(1, 2, 3);
        assertThat(reader.open(id).getBytes(Integer.MAX_VALUE)).isEqualTo(large);
      }
      inserter.flush();
      assertThat(r.open(id).getBytes(Integer.MAX_VALUE)).isEqualTo(large);
    }
  }

  @Test
  void an_inserter_that_is_closed_without_flush_publishes_and_leaves_nothing() throws Exception {
    try (S3Repository r = manager.createRepository("r")) {
      try (ObjectInserter inserter = r.newObjectInserter()) {
        inserter.insert(Constants.OBJ_BLOB, new byte[] {1, 2, 3});
      }
      assertThat(r.manifest().packs()).isEmpty();
    }
    assertThat(StoredFiles.below(directory, file -> file.getParent().endsWith("pack"))).isEmpty();
  }

  @Test
  void files_of_a_pack_whose_commit_is_in_doubt_stay() throws Exception {
    manager.createRepository("r").close();
    FaultInjectingObjectStore deaf =
        new FaultInjectingObjectStore(new DirectoryObjectStore(directory), 1, 0);
    Fault[] faults = new Fault[1000];
    Arrays.fill(faults, Fault.FAIL_BEFORE);
    deaf.script(RequestKind.PUT_IF, faults);
    try (S3RepositoryManager undecided =
            TestRepositories.manager(deaf, "[s3]\ncommitDeadline = 300 ms");
        S3Repository r = undecided.openRepository("r")) {
      assertThatThrownBy(() -> TestRepositories.commit(r, "first"))
          .isInstanceOf(UnknownOutcomeException.class);
    }
    assertThat(StoredFiles.only(directory, ".bundle")).exists();
  }
}
