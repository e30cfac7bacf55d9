// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import java.util.SortedMap;
import java.util.TreeMap;
import org.jgits3.manifest.Manifest;

/**
 * Keeps the nonces of the last batches of recent writers in a manifest, and says which were
 * dropped. Only a writer with an attempt in doubt looks for its own, until that attempt is decided.
 *
 * <p>Every commit makes one entry, at its own generation, so that dropping all entries up to a
 * generation drops the oldest and nothing else.
 */
final class WriterTable {
  /** Number of writers remembered. */
  static final int REMEMBERED = 256;

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
    long generation = changed.generation() + 1;
    SortedMap<String, Long> writers = new TreeMap<>(changed.counters().writers());
    writers.remove(before);
    writers.put(nonce, generation);
    long prunedTo = Math.max(changed.counters().prunedTo(), newestToPrune(writers));
    writers.values().removeIf(kept -> kept <= prunedTo);
    return changed.committed(generation, changed.state(), writers, prunedTo);
  }

  private static long newestToPrune(SortedMap<String, Long> writers) {
    return writers.values().stream()
        .mapToLong(Long::longValue)
        .sorted()
        .limit(Math.max(0, writers.size() - REMEMBERED))
        .max()
        .orElse(0);
  }
}
