// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import java.util.SortedMap;
import java.util.TreeMap;
import org.eclipse.jgit.util.SystemReader;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.RepositoryState;

/**
 * Keeps the nonces of the last writes of a repository in its manifest, and says which were dropped.
 * A writer that was refused or got no answer finds its nonce there if its write was made, whatever
 * has become of the repository since, a tombstone included.
 *
 * <p>Every write makes one entry, at its own generation, so that dropping all entries up to a
 * generation drops the oldest and nothing else.
 */
final class WriterTable {
  /** Number of writers remembered. */
  static final int REMEMBERED = 256;

  /** Number of them that fit into the longest tombstone. */
  static final int REMEMBERED_BY_TOMBSTONE = 8;

  private WriterTable() {}

  /**
   * Makes the manifest that a commit stores.
   *
   * @param changed manifest with its changes, still with the generation of its base
   * @param before nonce of the writer's last batch that was applied; empty for none
   * @param nonce nonce of this batch
   * @return the manifest with its own generation, a fresh nonce of its own, and the batch
   */
  static Manifest seal(Manifest changed, String before, String nonce) {
    SortedMap<String, Long> writers = new TreeMap<>(changed.counters().writers());
    long generation = changed.generation() + 1;
    writers.remove(before);
    writers.put(nonce, generation);
    int most = changed.holdsRepository() ? REMEMBERED : REMEMBERED_BY_TOMBSTONE;
    long prunedTo = Math.max(changed.counters().prunedTo(), newestToPrune(writers, most));
    writers.values().removeIf(kept -> kept <= prunedTo);
    RepositoryState state =
        changed.state() instanceof RepositoryState.Importing
            ? new RepositoryState.Importing(SystemReader.getInstance().now().toEpochMilli())
            : changed.state();
    return changed.committed(generation, state, writers, prunedTo);
  }

  /**
   * Tests whether a manifest that lacks the nonce of a write proves that the write was not made.
   *
   * @param newest a manifest that was read after the write was refused
   * @param made generation that the write makes
   * @return false if the entry may have been dropped
   */
  static boolean tells(Manifest newest, long made) {
    return newest.generation() == made // another write took its place
        || newest.counters().prunedTo() < made;
  }

  private static long newestToPrune(SortedMap<String, Long> writers, int most) {
    return writers.values().stream()
        .mapToLong(Long::longValue)
        .sorted()
        .limit(Math.max(0, writers.size() - most))
        .max()
        .orElse(0);
  }
}
