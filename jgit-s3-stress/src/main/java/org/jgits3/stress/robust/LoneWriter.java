// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.robust;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.bench.report.Unit;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;

/** Commits of one writer without competitors, against bare conditional writes. */
final class LoneWriter {
  static final String KEY = "lone_writer_vs_put";

  private static final double ASKED = 0.95;
  private static final int ROUNDS = 2;
  private static final String NAME = "lone";
  private static final String TITLE = "commits of a lone writer";

  private final Bench bench;

  LoneWriter(Bench bench) {
    this.bench = bench;
  }

  /** A write that is repeated. */
  private interface Write {
    void number(int n) throws IOException;
  }

  void run() throws IOException {
    String config = bench.config("lone");
    ObjectStore store = InterceptedStore.distant(Bench.store(config));
    double commits = 0;
    double puts = 0;
    try (S3RepositoryManager manager = new S3RepositoryManager(store, Bench.settings(config));
        S3Repository repository = manager.createRepository(NAME)) {
      List<ObjectId> ids = List.of(Refs.commit(repository, "a"), Refs.commit(repository, "b"));
      Refs.point(repository, "refs/heads/main", ids.get(0));
      BareWrites bare = new BareWrites(store);
      for (int i = 0; i < ROUNDS; i++) {
        puts += rate(bare::number);
        commits += rate(n -> Refs.point(repository, "refs/heads/main", ids.get((n + 1) % 2)));
      }
    }
    Findings findings = bench.findings();
    findings.note(TITLE, "jgit-s3", Unit.PER_SECOND, commits / ROUNDS);
    findings.note(TITLE, "bare conditional PUT", Unit.PER_SECOND, puts / ROUNDS);
    findings.atLeast(TITLE + ", against bare PUTs", "jgit-s3", Unit.TIMES, commits / puts, ASKED);
    findings.headline(KEY, commits / puts);
  }

  /** Writes a second: an even number of them, so that the next round begins as this one. */
  private double rate(Write write) throws IOException {
    long limit = bench.plan().lone().toNanos() / (2 * ROUNDS);
    long start = System.nanoTime();
    int n = 0;
    for (; n % 2 == 1 || System.nanoTime() - start < limit; n++) {
      write.number(n);
    }
    return n / Bench.seconds(System.nanoTime() - start);
  }

  /** Conditional writes of an object as large as a small manifest. */
  private static final class BareWrites {
    private static final int SIZE = 4096;

    private final ObjectStore store;
    private Optional<ObjectVersion> version = Optional.empty();

    BareWrites(ObjectStore store) {
      this.store = store;
    }

    void number(int n) throws IOException {
      byte[] body = new byte[SIZE];
      body[0] = (byte) n;
      body[1] = (byte) (n >> 8);
      PutOutcome outcome =
          store.putIf(
              "bare/object",
              body,
              version.map(Precondition::matches).orElseGet(Precondition::absent));
      if (!(outcome instanceof PutOutcome.Won won)) {
        throw new IOException("a bare write was not applied: " + outcome);
      }
      version = Optional.of(won.version());
    }
  }
}
