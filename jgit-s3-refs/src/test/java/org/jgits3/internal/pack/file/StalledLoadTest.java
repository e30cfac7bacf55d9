// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCacheConfig;
import org.eclipse.jgit.internal.storage.pack.PackExt;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.ReadRequest;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A request that is not answered, beside loads of another repository. */
@Holds("BlockCache: An unanswered request for pack data stalls almost no other")
@Timeout(300) // threads wait for each other
class StalledLoadTest {
  private static final int LOCKS_OF_JGIT = new DfsBlockCacheConfig().getConcurrencyLevel();

  /** Repositories made in search for one; the chance to need more is one in 10^13. */
  private static final int TRIES = 1000;

  @TempDir Path directory;
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch answered = new CountDownLatch(1);

  /** A store that does not answer yet what is asked of the packs of one repository. */
  private final class SilentStore extends DelegatingObjectStore {
    private final String repositoryId;

    SilentStore(String repositoryId) throws IOException {
      super(new DirectoryObjectStore(directory));
      this.repositoryId = repositoryId;
    }

    @Override
    public ObjectVersion read(ReadRequest range) throws IOException {
      if (range.key().contains(repositoryId)) {
        asked.countDown();
        ConcurrentTasks.await(answered);
      }
      return super.read(range);
    }
  }

  private record Made(String name, String id, int lock, ObjectId commit) {}

  /** Makes a repository of one pack. */
  private static Made make(S3RepositoryManager manager, String name) throws IOException {
    try (S3Repository r = manager.createRepository(name)) {
      ObjectId commit = TestRepositories.commit(r, "first");
      int hash =
          r.getObjectDatabase()
              .getPacks()[0]
              .getPackDescription()
              .getStreamKey(PackExt.INDEX)
              .hashCode();
      return new Made(name, r.manifest().repositoryId(), hash >>> 1, commit);
    }
  }

  /** Makes a repository whose index would have the same lock as that of another, were they few. */
  private static Made makeBeside(Made other, S3RepositoryManager manager) throws IOException {
    for (int i = 0; i < TRIES; i++) {
      Made made = make(manager, "r" + i);
      if (made.lock() % LOCKS_OF_JGIT == other.lock() % LOCKS_OF_JGIT
          && made.lock() % BlockCache.LOCKS != other.lock() % BlockCache.LOCKS) {
        return made;
      }
    }
    throw new AssertionError("no such repository");
  }

  private static boolean isRead(S3RepositoryManager manager, Made made) throws IOException {
    try (S3Repository r = manager.openRepository(made.name())) {
      return r.parseCommit(made.commit()).getFullMessage().equals("first");
    }
  }

  @Test
  void an_index_that_does_not_come_stalls_no_other() throws Exception {
    Made silent;
    Made other;
    try (S3RepositoryManager maker = TestRepositories.manager(directory)) {
      silent = make(maker, "silent");
      other = makeBeside(silent, maker);
    }
    DfsBlockCache.reconfigure(BlockCache.configuration(new Config(), 256 << 20));
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try (S3RepositoryManager manager = TestRepositories.manager(new SilentStore(silent.id()))) {
      try {
        Future<Boolean> stalled = threads.submit(() -> isRead(manager, silent));
        asked.await();
        assertThat(threads.submit(() -> isRead(manager, other)).get()).isTrue();
        assertThat(stalled.isDone()).isFalse();
        answered.countDown();
        assertThat(stalled.get()).isTrue();
      } finally {
        answered.countDown(); // failing, the other load would wait for ever
        threads.shutdown();
      }
    }
  }
}
