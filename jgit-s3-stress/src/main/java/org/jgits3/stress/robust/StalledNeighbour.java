// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.robust;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.bench.report.Unit;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.store.ObjectStore;

/** A busy repository beside one whose compaction stalls, in one process. */
final class StalledNeighbour {
  static final String KEY = "neighbour_vs_alone";

  /** Least ratio asked for: nearly what it is without, the store being shared. */
  private static final double ASKED = 0.8;

  private static final int BATCH = 100;
  private static final int BATCHES = 200;

  private final Bench bench;
  private final CountDownLatch stalled = new CountDownLatch(1);
  private final CountDownLatch over = new CountDownLatch(1);

  /** Prefix of the objects that cannot be written in the background; empty at first. */
  private volatile Optional<String> prefix = Optional.empty();

  StalledNeighbour(Bench bench) {
    this.bench = bench;
  }

  void run() throws IOException, InterruptedException {
    String config = bench.config("neighbour");
    ObjectStore store = InterceptedStore.of(Bench.store(config), this::stall);
    double alone;
    double beside;
    try (S3RepositoryManager manager = new S3RepositoryManager(store, Bench.settings(config));
        S3Repository stuck = manager.createRepository("stuck");
        S3Repository busy = manager.createRepository("busy")) {
      manager.maintainInBackground();
      List<ObjectId> ids = List.of(Refs.commit(busy, "a"), Refs.commit(busy, "b"));
      rate(busy, ids); // warms up
      alone = rate(busy, ids);
      try {
        prefix = Optional.of(ObjectNames.prefix(stuck.manifest().repositoryId()));
        fold(stuck);
        beside = rate(busy, ids);
      } finally {
        over.countDown();
      }
      alone = (alone + rate(busy, ids)) / 2; // what grows meanwhile slows both
    }
    Findings findings = bench.findings();
    String title = "updates of a repository ";
    findings.note(title + "alone", "directory", Unit.PER_SECOND, alone);
    findings.note(title + "beside a stalled compaction", "directory", Unit.PER_SECOND, beside);
    findings.atLeast(
        title + "beside a stalled compaction, against alone",
        "directory",
        Unit.TIMES,
        beside / alone,
        ASKED);
    findings.headline(KEY, beside / alone);
  }

  private void stall(String request, Object[] args) throws InterruptedException {
    if (prefix.isPresent()
        && Thread.currentThread().getName().startsWith("jgit-s3-")
        && args[0] instanceof String key
        && key.startsWith(prefix.get())) {
      stalled.countDown();
      over.await();
    }
  }

  /** Makes refs until they are folded in the background, which stalls. */
  private void fold(S3Repository stuck) throws IOException, InterruptedException {
    ObjectId id = Refs.commit(stuck, "many");
    for (int i = 0; i < BATCHES; i++) {
      Refs.createMany(stuck, "refs/heads/batch-" + i + "/", BATCH, id);
      if (stalled.await(1, TimeUnit.MILLISECONDS)) {
        return;
      }
    }
    if (!stalled.await(10, TimeUnit.SECONDS)) {
      throw new IOException("nothing was folded in the background");
    }
  }

  /** Creates and moves refs for some time; the number a second. */
  private double rate(S3Repository busy, List<ObjectId> ids) throws IOException {
    long limit = bench.plan().lone().toNanos();
    long start = System.nanoTime();
    int n = 0;
    for (; System.nanoTime() - start < limit; n++) {
      Refs.point(busy, "refs/changes/" + start + "-" + n / 2, ids.get(n % 2));
    }
    return n / Bench.seconds(System.nanoTime() - start);
  }
}
