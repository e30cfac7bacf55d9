// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCacheConfig;
import org.eclipse.jgit.internal.storage.dfs.DfsGarbageCollector;
import org.eclipse.jgit.internal.storage.dfs.DfsPackDescription;
import org.eclipse.jgit.internal.storage.dfs.DfsPackFile;
import org.eclipse.jgit.internal.storage.pack.PackExt;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.PackFileEntry;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.ReadRequest;
import org.jgits3.store.StoreContent;
import org.jgits3.testing.Holds;
import org.jgits3.testing.aid.StoredFiles;
import org.jgits3.testing.aid.Unchecked;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Indexes and other side files: loaded together, checked, and not kept without bound. */
@Holds(
    "Bundles: Side files and bundles are compared with the CRC32C in the manifest at every load. "
        + "A failed load is tried again.")
@Holds(
    "IndexBudget, SharedPacks: Indexes of open packs take at most the configured memory, or that "
        + "of the repository being read, and go with the last handle of a deleted or evicted one")
class PackIndexesTest {
  /** An index has a table of 1024 bytes, and some more for each object. */
  private static final int LIMIT = 3000;

  @TempDir Path directory;
  @AutoClose private S3RepositoryManager elsewhere;

  @BeforeEach
  void open() throws Exception {
    elsewhere = TestRepositories.manager(directory);
  }

  /** Writes commits elsewhere, each in a pack of its own, and empties the cache. */
  private List<ObjectId> committedElsewhere(String name, int commits) throws IOException {
    List<ObjectId> ids = new ArrayList<>();
    try (S3Repository there = elsewhere.createRepository(name)) {
      for (int i = 0; i < commits; i++) {
        ids.add(TestRepositories.commit(there, name + i));
      }
    }
    emptyCache();
    return ids;
  }

  /** So many locks that two indexes hardly ever wait for the same. */
  private static void emptyCache() {
    DfsBlockCache.reconfigure(new DfsBlockCacheConfig().setConcurrencyLevel(1024));
  }

  /** A store whose first ranged reads wait for each other, as far as others come at all. */
  private static final class MeetingStore extends DelegatingObjectStore {
    private final CountDownLatch met = new CountDownLatch(2);
    private final AtomicInteger reads = new AtomicInteger();

    MeetingStore(Path directory) throws IOException {
      super(new DirectoryObjectStore(directory));
    }

    @Override
    public ObjectVersion read(ReadRequest range) throws IOException {
      reads.incrementAndGet();
      met.countDown();
      try {
        if (!met.await(30, TimeUnit.SECONDS)) {
          throw new IOException("unexpected read");
        }
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
      return super.read(range);
    }
  }

  @Test
  @Timeout(120)
  void indexes_of_a_repository_with_many_packs_are_loaded_at_the_same_time() throws Exception {
    List<ObjectId> ids = committedElsewhere("r", 8);
    MeetingStore store = new MeetingStore(directory);
    try (S3RepositoryManager manager = TestRepositories.manager(store);
        S3Repository here = manager.openRepository("r")) {
      assertThat(here.parseCommit(ids.get(0)).getFullMessage()).isEqualTo("r0");
      for (DfsPackFile pack : here.getObjectDatabase().getPacks()) {
        assertThat(pack.isIndexLoaded()).isTrue();
      }
      assertThat(store.reads).hasValue(8); // the small packs come with their indexes
    }
  }

  private S3RepositoryManager limited() throws Exception {
    return TestRepositories.manager(directory, "[s3 \"packs\"]\nindexLimit = " + LIMIT);
  }

  @Test
  void indexes_of_repositories_not_used_lately_are_dropped() throws Exception {
    List<ObjectId> ids = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      ids.addAll(committedElsewhere("r" + i, 1));
    }
    try (S3RepositoryManager manager = limited();
        S3Repository first = manager.openRepository("r0")) {
      first.parseCommit(ids.get(0));
      long one = manager.indexBudget().held();
      assertThat(one).isBetween(1024L, (long) LIMIT);
      for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 5; i++) {
          try (S3Repository each = manager.openRepository("r" + i)) {
            assertThat(each.parseCommit(ids.get(i)).getFullMessage()).isEqualTo("r" + i + "0");
          }
          assertThat(manager.indexBudget().held()).isBetween(one, (long) LIMIT);
          emptyCache();
        }
      }
      for (DfsPackFile pack : first.getObjectDatabase().getPacks()) {
        assertThat(pack.isIndexLoaded()).isFalse();
      }
      assertThat(first.parseCommit(ids.get(0)).getFullMessage()).isEqualTo("r00");
    }
  }

  @Test
  void a_repository_with_larger_indexes_than_may_be_kept_can_be_read() throws Exception {
    List<ObjectId> ids = committedElsewhere("r", 8);
    try (S3RepositoryManager manager = limited();
        S3Repository here = manager.openRepository("r")) {
      for (ObjectId id : ids) {
        here.parseCommit(id);
      }
      committedElsewhere("other", 1);
      try (S3Repository other = manager.openRepository("other")) {
        other.getObjectDatabase().newReader().has(ids.get(0));
      }
      assertThat(manager.indexBudget().held()).isLessThanOrEqualTo(LIMIT);
    }
  }

  /** A manager that keeps the repository that was opened last, and no other. */
  private static S3RepositoryManager keepingOne() throws Exception {
    return TestRepositories.manager(new MemoryObjectStore(), "[s3]\nmanifestLimit = 0");
  }

  @Test
  void indexes_stay_with_a_repository_opened_again_before_its_last_close() throws Exception {
    try (S3RepositoryManager manager = keepingOne()) {
      S3Repository r = manager.createRepository("r");
      r.parseCommit(TestRepositories.commit(r, "r"));
      manager.createRepository("other").close();
      manager.openRepository("r").close();
      r.close();
      assertThat(manager.indexBudget().held()).as("may be opened again").isPositive();
      manager.openRepository("other").close();
      assertThat(manager.indexBudget().held()).isZero();
    }
  }

  @Test
  void indexes_go_with_a_repository_that_the_process_keeps_no_more() throws Exception {
    S3RepositoryManager manager = keepingOne();
    ObjectId id;
    try (S3Repository r = manager.createRepository("r")) {
      id = TestRepositories.commit(r, "r");
    }
    try (S3Repository open = manager.openRepository("r")) {
      open.parseCommit(id);
      long held = manager.indexBudget().held();
      assertThat(held).isPositive();
      manager.createRepository("other").close();
      assertThat(manager.indexBudget().held()).as("a handle is open").isEqualTo(held);
      open.parseCommit(TestRepositories.commit(open, "more"));
      assertThat(manager.indexBudget().held()).isGreaterThan(held);
    }
    assertThat(manager.indexBudget().held()).isZero();
    manager.close();
  }

  @Test
  @Timeout(300)
  void an_index_that_is_loaded_while_the_last_handle_is_closed_counts_no_more() throws Exception {
    committedElsewhere("r", 1);
    try (S3RepositoryManager manager = TestRepositories.manager(directory)) {
      S3Repository r = manager.openRepository("r");
      DfsPackDescription pack = r.getObjectDatabase().getPacks()[0].getPackDescription();
      Thread loading = new Thread(() -> Unchecked.run(() -> open(r, pack, PackExt.INDEX)));
      synchronized (manager.indexBudget()) { // where it waits on its way
        loading.start();
        ConcurrentTasks.waitWhile(() -> loading.getState() != Thread.State.BLOCKED);
        r.close();
        manager.delete("r");
      }
      loading.join();
      assertThat(manager.indexBudget().held()).isZero();
    }
  }

  @Test
  void indexes_of_packs_that_were_replaced_count_no_more() throws Exception {
    List<ObjectId> ids = committedElsewhere("r", 3);
    try (S3RepositoryManager manager = TestRepositories.manager(directory);
        S3Repository r = manager.openRepository("r")) {
      r.parseCommit(ids.get(0));
      long before = manager.indexBudget().held();
      TestRepositories.update(r, Constants.R_HEADS + "master", ids.get(0));
      manager.maintenance("r").collectGarbage(NullProgressMonitor.INSTANCE);
      r.parseCommit(ids.get(0));
      long after = 0;
      for (DfsPackFile pack : r.getObjectDatabase().getPacks()) {
        for (PackExt ext : PackExt.values()) {
          boolean side = ext != PackExt.PACK && pack.getPackDescription().hasFileExt(ext);
          after += side ? pack.getPackDescription().getFileSize(ext) : 0;
        }
      }
      assertThat(manager.indexBudget().held()).isEqualTo(after).isNotEqualTo(before);
    }
  }

  @Test
  void every_kind_of_side_file_is_checked_when_it_is_loaded() throws Exception {
    try (S3Repository there = elsewhere.createRepository("r")) {
      TestRepositories.createRef(
          there, Constants.R_HEADS + "master", TestRepositories.commit(there, "first"));
      DfsGarbageCollector gc = new DfsGarbageCollector(there);
      gc.setWriteCommitGraph(true);
      assertThat(gc.pack(NullProgressMonitor.INSTANCE)).isTrue();

      List<String> checked = new ArrayList<>();
      for (PackEntry pack : there.manifest().packs()) {
        for (PackExt ext : PackExt.values()) {
          if (ext != PackExt.PACK && pack.files().containsKey(ext.getExtension())) {
            checked.add(ext.getExtension());
            assertChecked(pack, ext);
          }
        }
      }
      assertThat(checked).contains("idx", "bitmap", "graph");
    }
  }

  private static void open(S3Repository repository, DfsPackDescription pack, PackExt ext)
      throws IOException {
    repository.getObjectDatabase().openFile(pack, ext).close();
  }

  private void assertChecked(PackEntry pack, PackExt ext) throws Exception {
    PackFileEntry file = pack.files().get(ext.getExtension());
    String end = file.bundled() ? "bundle" : ext.getExtension();
    Path path = StoredFiles.only(directory, pack.id() + "." + end);
    byte[] good = Files.readAllBytes(path);
    byte[] bad = StoreContent.flipped(good, (int) (Math.max(0, file.offset()) + file.size() / 2));
    Files.write(path, bad);
    try (S3RepositoryManager manager = TestRepositories.manager(directory);
        S3Repository here = manager.openRepository("r")) {
      DfsPackDescription description =
          new S3PackDescription(here.getDescription(), here.manifest().repositoryId(), pack);
      assertThatThrownBy(() -> open(here, description, ext))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(path.getFileName().toString())
          .hasMessageContaining("CRC32C");
      Files.write(path, good);
      open(here, description, ext);
    }
  }
}
