// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jgits3.internal.catalog.RepositoryCatalog;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.testing.FullHeap;

/** Processes whose heap is full while one thread does what others wait for. */
final class FullHeapCommitProcess {
  private static final RepositoryName NAME = RepositoryName.of("r");
  private static final Duration DEADLINE = Duration.ofMinutes(5);

  private FullHeapCommitProcess() {}

  /**
   * Does something in a full heap, and then says whether all goes on.
   *
   * @param args what
   */
  public static void main(String[] args) throws Exception {
    ScriptedStore store = new ScriptedStore();
    Register.create(new RepositoryCatalog(store, DEADLINE), NAME);
    ManifestCommitter committer = StoredManifest.committer(store, NAME, DEADLINE);
    FullHeap.during(
        switch (args[0]) {
          case "news" -> () -> announce(store, committer);
          case "commit" -> () -> commit(store, committer);
          case "decide" -> FullHeapCommitProcess::decide;
          default -> throw new IllegalArgumentException(args[0]);
        });
  }

  private static void announce(ScriptedStore store, ManifestCommitter committer) throws Exception {
    List<Long> seen = new ArrayList<>();
    ManifestFile file = StoredManifest.file(store, NAME);
    file.onChange((before, after) -> seen.add(after.generation()));
    file.install(file.read().orElseThrow(), 1);
    file.announce();
    committer.commit(ManifestFixture.describing("second"));
    file.install(file.read().orElseThrow(), 2);
    FullHeap.inFull(true, file::announce);
    file.announce();
    System.out.println(seen);
  }

  private static void commit(ScriptedStore store, ManifestCommitter committer) throws Exception {
    AtomicReference<Thread> waiter = new AtomicReference<>();
    store.nextPut(
        put -> {
          throw new OutOfMemoryError("as if");
        });
    store.applyAfter(
        () -> {
          waiter.set(FullHeap.start(() -> commitInTheEnd(committer)));
          FullHeap.awaitWaiting(waiter.get());
          FullHeap.overflow();
        });
    for (int i = 0; i < 2; i++) {
      FullHeap.tryInFull(() -> tryToCommit(committer, "first"));
    }
    waiter.get().join();
  }

  /** Says for each of two packs, the second decided in a full heap, whether it was forgotten. */
  private static void decide() throws Exception {
    for (boolean full : new boolean[] {false, true}) {
      UnlistedPack pack = new UnlistedPack(ManifestFixture.pack("1-" + full)) {};
      SubmittedChange<Boolean> change =
          new SubmittedChange<>(base -> Proposal.noEdit(false), List.of(pack), 1, 1);
      change.enter();
      SubmittedChange.Verdict<Boolean> refused = new SubmittedChange.Verdict<>(false, null, false);
      FullHeap.inFull(full, () -> change.decide(refused));
      System.out.println(pack.forget());
    }
  }

  private static boolean tryToCommit(ManifestCommitter committer, String description) {
    try {
      committer.commit(ManifestFixture.describing(description));
      return true;
    } catch (IOException e) {
      return false; // unknown, since memory was missing
    }
  }

  private static void commitInTheEnd(ManifestCommitter committer) {
    boolean committed = false;
    while (!committed) {
      try {
        committed = tryToCommit(committer, "second");
      } catch (OutOfMemoryError e) {
        Thread.onSpinWait(); // there will be room
      }
    }
    System.out.println("committed");
  }
}
