// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.eclipse.jgit.internal.storage.dfs.DfsObjDatabase.PackSource;
import org.eclipse.jgit.internal.storage.dfs.DfsRepositoryDescription;
import org.jgits3.internal.commit.CommitPolicy;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.pack.DeferredPack.State;
import org.jgits3.internal.pack.file.S3PackDescription;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.testing.FullHeap;

/** A process whose heap is full when it is decided what becomes of a pack. */
final class FullHeapSettleProcess {
  private FullHeapSettleProcess() {}

  /** Says for each of two packs, the second decided in a full heap, whether it was forgotten. */
  public static void main(String[] args) throws Exception {
    FullHeap.during(FullHeapSettleProcess::settle);
  }

  private static void settle() throws Exception {
    ManifestCommitter committer =
        StoredManifest.committer(
            new MemoryObjectStore(), RepositoryName.of("r"), CommitPolicy.DEFAULT);
    DeferredPacks deferred = new DeferredPacks(committer, committer, new HashSet<>());
    for (boolean full : new boolean[] {false, true}) {
      DeferredPack pack =
          new DeferredPack(
              new S3PackDescription(
                  new DfsRepositoryDescription("r"), "r", "1-" + full, PackSource.RECEIVE),
              null,
              new Quarantine(deferred));
      deferred.add(pack);
      deferred.claim(pack);
      boolean[] forgotten = new boolean[1];
      Thread waiter = FullHeap.start(() -> forgotten[0] = deferred.forget(pack));
      FullHeap.awaitWaiting(waiter);
      List<DeferredPack> claimed = new ArrayList<>(List.of(pack));
      FullHeap.inFull(full, () -> deferred.settle(claimed, State.HIDDEN));
      waiter.join();
      System.out.println(forgotten[0]);
    }
  }
}
