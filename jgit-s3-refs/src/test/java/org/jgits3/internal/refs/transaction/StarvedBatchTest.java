// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.transaction;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A large batch beside updates of the same process that make folds due all the time. */
@Holds("SharedRefs, Folding: Folds of its own process do not hold up a large batch")
@Timeout(300)
class StarvedBatchTest {
  /** Time in which the background folds, if nothing keeps it from that. */
  private static final long FOLD_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final AtomicBoolean busy = new AtomicBoolean();
  private final AtomicInteger uploads = new AtomicInteger();
  private volatile boolean armed;
  private S3Repository other;
  private ObjectId id;

  /** Makes as many updates as make a fold due, and gives it time. */
  private void busy(int round) throws IOException {
    String before = snapshot();
    TestRepositories.assertAllOk(
        TestRepositories.createAll(
            other, id, 500, i -> "refs/heads/" + round + "/" + i + "/" + "x".repeat(100)));
    long deadline = System.nanoTime() + FOLD_NANOS;
    while (snapshot().equals(before) && System.nanoTime() < deadline) {
      try {
        TimeUnit.MILLISECONDS.sleep(10);
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }
  }

  private String snapshot() throws IOException {
    return other.manifest().refs().base().map(RefSnapshot::id).orElse("");
  }

  @Test
  void a_large_batch_beside_many_small_ones_of_the_same_process_is_committed() throws Exception {
    DelegatingObjectStore store =
        new DelegatingObjectStore(new MemoryObjectStore()) {
          @Override
          public void put(String key, byte[] src, int offset, int length) throws IOException {
            super.put(key, src, offset, length);
            if (armed && key.contains("/refs/") && busy.compareAndSet(false, true)) {
              try {
                busy(uploads.incrementAndGet());
              } finally {
                busy.set(false);
              }
            }
          }
        };
    try (S3RepositoryManager manager = TestRepositories.manager(store);
        S3Repository here = manager.createRepository("r");
        S3Repository opened = manager.openRepository("r")) {
      other = opened;
      id = TestRepositories.commit(here, "first");
      armed = true;
      TestRepositories.assertAllOk(
          TestRepositories.createAll(here, id, 5000, i -> "refs/changes/" + i + "/1"));
    }
  }
}
