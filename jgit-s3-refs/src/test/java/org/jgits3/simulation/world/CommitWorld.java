// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation.world;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.metrics.Counters;
import org.jgits3.simulation.Here;
import org.jgits3.simulation.Scheduler;

/**
 * The commit loop alone: two or three processes, with one or two threads each, change values in a
 * manifest by comparison. Repositories are deleted, created anew and renamed meanwhile.
 */
public final class CommitWorld extends ManifestWorld {
  private static final String NAME = "r";
  private static final String OTHER = "s";

  /** Makes a world. */
  public CommitWorld() {}

  @Override
  void begin() {
    create(new Client(bucket, new Scheduler.Jvm("setup", 0)), NAME);
    startSome();
    if (random.nextInt(4) == 0) {
      Scheduler.Jvm process = process(0);
      start(process, 1, () -> administer(new Client(bucket, process)));
    }
  }

  @Override
  void check(Client client) throws IOException {
    checkAlone(client, List.of(NAME, OTHER));
  }

  @Override
  void start() {
    Scheduler.Jvm process = process(0);
    ManifestCommitter committer = committer(process, random.nextInt(5) > 0);
    int threads = 1 + random.nextInt(2);
    for (int i = 0; i < threads; i++) {
      start(process, i, () -> use(committer));
    }
  }

  private ManifestCommitter committer(Scheduler.Jvm process, boolean trusted) {
    return StoredManifest.committer(
        new Client(bucket, process), name(NAME), deadline, trusted, new Counters());
  }

  private void use(ManifestCommitter first) {
    AtomicReference<ManifestCommitter> committer = new AtomicReference<>(first);
    work(
        () -> {
          if (committer.get().isGone()) {
            committer.set(committer(Here.process(), true));
          }
          if (random.nextInt(6) == 0) {
            look(NAME, committer.get());
          } else {
            update(NAME, committer.get());
          }
        });
  }

  /** Deletes, creates and renames. */
  private void administer(Client client) {
    for (int i = 0; i < 4 && left > 0; i++) {
      String from = random.nextBoolean() ? NAME : OTHER;
      switch (random.nextInt(3)) {
        case 0 -> delete(client, Optional.empty(), from);
        case 1 -> create(client, from);
        default -> rename(client, Optional.empty(), from, from.equals(NAME) ? OTHER : NAME);
      }
    }
  }
}
