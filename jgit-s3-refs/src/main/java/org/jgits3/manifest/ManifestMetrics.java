// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import java.util.concurrent.atomic.LongAdder;

/**
 * What reading the manifests of all repositories of a process has cost it. Counters only grow. Safe
 * for use by many threads.
 */
public final class ManifestMetrics {
  private final LongAdder decodings = new LongAdder();

  /** Counters at zero. */
  public ManifestMetrics() {}

  void decoded() {
    decodings.increment();
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
