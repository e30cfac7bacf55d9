// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgits3.internal.catalog.RepositoryCatalog;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.Test;

/**
 * Two hundred processes that commit to one repository now and then, in simulated time, on a store
 * that takes 20 ms for a GET and 30 ms for a PUT. No answer is lost.
 */
@Holds(
    "ConditionalWrite, CommitLoop, CommitBatch: A commit is unknown only if an attempt is in "
        + "doubt, however many writers there are. Its entry is always looked for, in a tombstone too. "
        + "(A14, A14c)")
class ManyWritersTest {
  private static final RepositoryName NAME = RepositoryName.of("r");
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final long MILLISECOND = 1_000_000;
  private static final int WRITERS = 300;
  private static final int COMMITS = 5;

  /** Between two commits of a writer, at most: meanwhile many others commit. */
  private static final long PAUSE = 15_000 * MILLISECOND;

  private final Simulation time = new Simulation();
  private final ScriptedStore store = new ScriptedStore();
  private final AtomicInteger done = new AtomicInteger();
  private final AtomicInteger late = new AtomicInteger();
  private final AtomicInteger unknown = new AtomicInteger();

  @Test
  void A14_no_outcome_is_unknown_while_every_request_is_answered() throws Exception {
    VersionedManifest created = Register.create(new RepositoryCatalog(store, DEADLINE), NAME);
    time.delay(store, () -> 30 * MILLISECOND, () -> 20 * MILLISECOND);
    for (int i = 0; i < WRITERS; i++) {
      int number = i;
      time.add(() -> write(number));
    }
    time.run();
    long generation = StoredManifest.file(store, NAME).read().orElseThrow().manifest().generation();
    assertThat(unknown).hasValue(0);
    assertThat(done.get() + late.get()).isEqualTo(WRITERS * COMMITS);
    assertThat(done.get()).as("so that entries are dropped").isGreaterThan(CommitBatch.REMEMBERED);
    assertThat(generation - created.manifest().generation()).isEqualTo(done.get());
  }

  private void write(int number) {
    ManifestCommitter committer =
        new ManifestCommitter(
            StoredManifest.file(store, NAME), DEADLINE, time, new SplittableRandom(number));
    SplittableRandom chance = new SplittableRandom(number);
    for (int i = 0; i < COMMITS; i++) {
      time.sleep(chance.nextLong(PAUSE));
      try {
        committer.commit(ManifestFixture.describing(number + "/" + i));
        done.incrementAndGet();
      } catch (UnknownOutcomeException e) {
        unknown.incrementAndGet();
      } catch (IOException e) {
        late.incrementAndGet();
      }
    }
  }
}
