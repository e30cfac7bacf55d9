// SPDX-License-Identifier: Apache-2.0
package org.jgits3.metrics;

import java.time.Instant;
import java.util.Optional;

/**
 * Counters of the collections that a manager has made in the background. Safe for use by many
 * threads.
 */
public interface CollectionMetrics {
  /**
   * Collections that have repacked a repository.
   *
   * @return number of collections
   */
  long collections();

  /**
   * Collections that have failed. Each is logged, and tried again later.
   *
   * @return number of failures
   */
  long failures();

  /**
   * End of the last collection that has repacked a repository.
   *
   * @return its time; empty if there was none
   */
  Optional<Instant> last();
}
