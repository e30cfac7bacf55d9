// SPDX-License-Identifier: Apache-2.0
package org.jgits3.metrics;

/**
 * Counters of the work that snapshots and logs of all repositories of a manager have caused.
 * Counters only grow. Safe for use by many threads.
 */
public interface RefsMetrics {
  /**
   * Folds of refs or log in the background that began because they were due.
   *
   * @return number of those that ended without an error
   */
  long folds();

  /**
   * Folds of refs or log that a commit had to wait for, because its manifest was full: a sign that
   * packs are not merged, or that the store is too slow for background folds to keep up.
   *
   * @return number of those that began
   */
  long foregroundFolds();

  /**
   * Snapshots and segments that were uploaded in vain and deleted, because another fold was faster.
   *
   * @return number of objects
   */
  long foldsLost();

  /**
   * Objects of transaction logs that a fold could not read because they are damaged or missing.
   * Each is named once in the log of the process.
   *
   * @return number of objects
   */
  long damagedLogObjects();

  /**
   * Downloads of snapshots that began.
   *
   * @return number of downloads
   */
  long downloads();

  /**
   * Snapshots of other processes that this one derived from an older snapshot and proved by their
   * SHA-256.
   *
   * @return number of snapshots
   */
  long derivations();

  /**
   * Snapshots that were downloaded, parsed, and found to be intact.
   *
   * @return number of snapshots
   */
  long parses();

  /**
   * Snapshots that were fetched and compared with the table in memory, because versions are not
   * trusted.
   *
   * @return number of snapshots
   */
  long comparisons();

  /**
   * Comparisons that found other bytes, though a snapshot never changes: a damaged store, a network
   * path that alters bytes, or damaged memory.
   *
   * @return number of comparisons
   */
  long differences();

  /**
   * Tables that were evicted, because the tables of all repositories did not fit the memory set for
   * them. One that is larger than that memory counts each time it is read.
   *
   * @return number of tables
   */
  long evictions();
}
