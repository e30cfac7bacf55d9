// SPDX-License-Identifier: Apache-2.0
package org.jgits3.metrics;

/**
 * Counters of manifest reads and of failed commits, over all repositories of a manager. Counters
 * only grow. Safe for use by many threads.
 */
public interface ManifestMetrics {
  /**
   * Changes that were reported as not written because their deadline passed.
   *
   * @return how many
   */
  long notCommittedCount();

  /**
   * Changes whose outcome was reported as unknown.
   *
   * @param cause why it is unknown
   * @return how many
   */
  long unknownOutcomes(UnknownCause cause);

  /**
   * Manifests that were parsed. An unchanged one is not parsed again.
   *
   * @return how many
   */
  long decodings();
}
