// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.robust;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;

/**
 * Collections of a repository whose refs another process moves all the time. Each packs the garbage
 * made since the last one, and is to drop what that one has packed.
 */
final class GarbageBesideRefs {
  static final String KEY = "collections_that_kept_garbage";

  private static final String NAME = "busy";
  private static final String MOVING = "refs/heads/moving";
  private static final String BRIEF = "refs/heads/brief";

  private final Bench bench;
  private final AtomicInteger moves = new AtomicInteger();

  GarbageBesideRefs(Bench bench) {
    this.bench = bench;
  }

  void run() throws IOException, InterruptedException {
    String config = bench.config("garbage") + "[gc]\n\tpruneExpire = now\n";
    int dropped = 0;
    int moved = 0;
    int collections = bench.plan().collections();
    try (S3RepositoryManager users = Bench.manager(config);
        S3RepositoryManager maintainer = Bench.manager(config);
        S3Repository repository = users.createRepository(NAME)) {
      List<ObjectId> targets =
          List.of(Refs.commit(repository, "one"), Refs.commit(repository, "two"));
      Refs.point(repository, MOVING, targets.get(0));
      Refs.point(repository, "refs/heads/one", targets.get(0)); // so that neither is garbage
      Refs.point(repository, "refs/heads/two", targets.get(1));
      ObjectId packed = ObjectId.zeroId();
      for (int i = 0; i <= collections; i++) {
        ObjectId garbage = Refs.commit(repository, "garbage " + i);
        Refs.point(repository, BRIEF, garbage);
        Refs.delete(repository, BRIEF);
        int meanwhile = collect(repository, targets, maintainer);
        if (i > 0) { // the first only packs garbage
          moved += meanwhile > 0 ? 1 : 0;
          dropped += isStored(config, packed) ? 0 : 1;
        }
        packed = garbage;
      }
    }
    String title = "%d collections while a ref moves: ".formatted(collections);
    bench.findings().count(title + "had one moved meanwhile", "directory", moved);
    bench.findings().count(title + "dropped the garbage", "directory", dropped);
    bench.findings().none(title + "kept garbage", "directory", collections - dropped);
    bench.findings().headline(KEY, collections - dropped);
  }

  /** Collects, and returns how often a ref was moved meanwhile. */
  private int collect(
      S3Repository repository, List<ObjectId> targets, S3RepositoryManager maintainer)
      throws IOException, InterruptedException {
    AtomicBoolean over = new AtomicBoolean();
    AtomicInteger before = new AtomicInteger();
    CountDownLatch moving = new CountDownLatch(2);
    Bench.together(
        List.of(
            () -> {
              while (!over.get()) {
                Refs.point(repository, MOVING, targets.get(moves.incrementAndGet() % 2));
                moving.countDown();
              }
              return null;
            },
            () -> {
              try {
                moving.await();
                before.set(moves.get());
                maintainer.maintenance(NAME).collectGarbage(NullProgressMonitor.INSTANCE);
                return null;
              } finally {
                over.set(true);
              }
            }));
    return moves.get() - before.get() - 1; // one had begun before
  }

  private static boolean isStored(String config, ObjectId id) throws IOException {
    try (S3RepositoryManager other = Bench.manager(config);
        S3Repository repository = other.openRepository(NAME)) {
      return repository.getObjectDatabase().has(id);
    }
  }
}
