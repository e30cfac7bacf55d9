// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Set;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCacheConfig;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.RefUpdate.Result;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.testing.PackBytes;
import org.junit.jupiter.api.Test;

/** Tests that a push which names files of old commits in new places does not read the files. */
class MovedFilesTest {
  private static final int SIZE = 8 << 20;

  private final MemoryObjectStore store = new MemoryObjectStore();
  private final RequestCounts counts = new RequestCounts();

  private static void push(S3Repository repository, PackBytes pack) throws IOException {
    ObjectId commit = pack.pushTo(repository);
    repository
        .getObjectDatabase()
        .checkComplete(Set.of(commit), repository.getRefDatabase().newest());
    assertThat(TestRepositories.update(repository, "refs/heads/main", commit))
        .isIn(Result.NEW, Result.FAST_FORWARD);
  }

  /** Pushes a file, and returns its id. */
  private ObjectId pushFile(PackBytes pack) throws Exception {
    try (S3RepositoryManager elsewhere = TestRepositories.manager(store);
        S3Repository repository = elsewhere.createRepository("r")) {
      push(repository, pack);
      return repository.resolve("main:file");
    }
  }

  @Test
  void of_a_file_in_a_new_place_only_the_header_is_read() throws Exception {
    PackBytes pack = PackBytes.ofSize(SIZE, 1);
    ObjectId file = pushFile(pack);
    DfsBlockCache.reconfigure(new DfsBlockCacheConfig());
    try (S3RepositoryManager manager =
            TestRepositories.manager(new ObservedObjectStore(store, counts));
        S3Repository repository = manager.openRepository("r", Purpose.push())) {
      push(repository, PackBytes.moved(pack.commit(), file));
    }
    assertThat(counts.snapshot().totalBytes()).isLessThan(SIZE / 4);
  }
}
