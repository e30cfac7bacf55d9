// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jgits3.manifest.UnknownCause;

/**
 * Counts reads of the manifests of all repositories of a process, and commits that failed. Counters
 * only grow. Safe for use by many threads.
 */
public final class ManifestMetrics {
  private final LongAdder decodings = new LongAdder();
  private final LongAdder notCommitted = new LongAdder();
  private final Map<UnknownCause, LongAdder> unknown = new EnumMap<>(UnknownCause.class);

  /** Counters at zero. */
  public ManifestMetrics() {
    for (UnknownCause cause : UnknownCause.values()) {
      unknown.put(cause, new LongAdder());
    }
  }

  void decoded() {
    decodings.increment();
  }

  void notCommitted() {
    notCommitted.increment();
  }

  void unknown(UnknownCause cause) {
    unknown.get(cause).increment();
  }

  /**
   * Changes that were reported as not written because their deadline passed.
   *
   * @return how many
   */
  public long notCommittedCount() {
    return notCommitted.sum();
  }

  /**
   * Changes whose outcome was reported as unknown.
   *
   * @param cause why it is unknown
   * @return how many
   */
  public long unknownOutcomes(UnknownCause cause) {
    return unknown.get(cause).sum();
  }

  /**
   * Manifests that were parsed. One that has not changed is not.
   *
   * @return how many
   */
  public long decodings() {
    return decodings.sum();
  }
}
