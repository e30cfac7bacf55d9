// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jgits3.metrics.ManifestMetrics;
import org.jgits3.metrics.UnknownCause;

/**
 * Counts reads of the manifests of all repositories of a process, and commits that failed. Counters
 * only grow. Safe for use by many threads.
 */
public final class ManifestCounters implements ManifestMetrics {
  private final LongAdder decodings = new LongAdder();
  private final LongAdder notCommitted = new LongAdder();
  private final Map<UnknownCause, LongAdder> unknown = new EnumMap<>(UnknownCause.class);

  /** Counters at zero. */
  public ManifestCounters() {
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

  @Override
  public long notCommittedCount() {
    return notCommitted.sum();
  }

  @Override
  public long unknownOutcomes(UnknownCause cause) {
    return unknown.get(cause).sum();
  }

  @Override
  public long decodings() {
    return decodings.sum();
  }
}
