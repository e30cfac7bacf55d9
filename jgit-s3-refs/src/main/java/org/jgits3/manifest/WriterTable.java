// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Keeps the last batches of recent writers in a manifest, and says which were dropped.
 *
 * <p>Every commit makes one entry, at its own generation, so that dropping all entries up to a
 * generation drops the oldest and nothing else.
 */
final class WriterTable {
  /** How many writers are remembered; an entry takes about 85 bytes. */
  static final int REMEMBERED = 32;

  private WriterTable() {}

  /**
   * Makes the manifest that a commit stores.
   *
   * @param changed manifest with its changes, still with the generation of its base
   * @param writerId who commits
   * @param entry the batch
   * @return the manifest with its own generation, a fresh nonce and the entry
   */
  static Manifest seal(Manifest changed, String writerId, WriterEntry entry) {
    SortedMap<String, WriterEntry> writers = new TreeMap<>(changed.writers());
    writers.put(writerId, entry);
    long prunedTo = Math.max(changed.prunedTo(), newestToPrune(writers));
    writers.values().removeIf(kept -> kept.generation() <= prunedTo);
    return changed.committed(entry.generation(), changed.state(), writers, prunedTo);
  }

  private static long newestToPrune(SortedMap<String, WriterEntry> writers) {
    return writers.values().stream()
        .mapToLong(WriterEntry::generation)
        .sorted()
        .limit(Math.max(0, writers.size() - REMEMBERED))
        .max()
        .orElse(0);
  }
}
