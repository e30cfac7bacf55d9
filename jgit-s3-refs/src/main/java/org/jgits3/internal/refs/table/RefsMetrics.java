// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counters of the work that snapshots and logs of all repositories of a process have caused.
 * Counters only grow. Safe for use by many threads.
 */
public final class RefsMetrics {
  private final LongAdder downloads = new LongAdder();
  private final LongAdder derivations = new LongAdder();
  private final LongAdder mismatches = new LongAdder();
  private final LongAdder parses = new LongAdder();
  private final LongAdder comparisons = new LongAdder();
  private final LongAdder differences = new LongAdder();
  private final LongAdder evictions = new LongAdder();
  private final LongAdder folds = new LongAdder();
  private final LongAdder roomMade = new LongAdder();
  private final LongAdder foldsLost = new LongAdder();
  private final LongAdder damagedLogObjects = new LongAdder();

  /** Creates counters that are zero. */
  public RefsMetrics() {}

  public void downloaded() {
    downloads.increment();
  }

  public void derived() {
    derivations.increment();
  }

  public void mismatched() {
    mismatches.increment();
  }

  public void parsed() {
    parses.increment();
  }

  public void compared() {
    comparisons.increment();
  }

  public void differed() {
    differences.increment();
  }

  public void evicted() {
    evictions.increment();
  }

  public void folded() {
    folds.increment();
  }

  public void madeRoom() {
    roomMade.increment();
  }

  public void foldLost() {
    foldsLost.increment();
  }

  public void damagedLogObject() {
    damagedLogObjects.increment();
  }

  /**
   * Folds of refs or log in the background that began because they were due.
   *
   * @return number of those that ended without an error
   */
  public long folds() {
    return folds.sum();
  }

  /**
   * Folds of refs or log for which a commit had to wait, since its manifest was full: a sign that
   * packs are not merged, or that the store is too slow for the background to keep up.
   *
   * @return number of those that began
   */
  public long foregroundFolds() {
    return roomMade.sum();
  }

  /**
   * Snapshots and segments that were uploaded in vain and deleted, because another fold was faster.
   *
   * @return number of objects
   */
  public long foldsLost() {
    return foldsLost.sum();
  }

  /**
   * Objects of transaction logs that a fold could not read because they are damaged or missing.
   * Each is named once in the log of the process.
   *
   * @return number of objects
   */
  public long damagedLogObjects() {
    return damagedLogObjects.sum();
  }

  /**
   * Downloads of snapshots that began.
   *
   * @return number of downloads
   */
  public long downloads() {
    return downloads.sum();
  }

  /**
   * Snapshots of other processes that this one derived from an older snapshot and proved by their
   * SHA-256.
   *
   * @return number of snapshots
   */
  public long derivations() {
    return derivations.sum();
  }

  /**
   * Snapshots that were downloaded because their delta gave another snapshot: a sign of a defect,
   * or of a damaged store.
   *
   * @return number of snapshots
   */
  public long mismatches() {
    return mismatches.sum();
  }

  /**
   * Snapshots that were downloaded, parsed, and found to be intact.
   *
   * @return number of snapshots
   */
  public long parses() {
    return parses.sum();
  }

  /**
   * Snapshots that were fetched and compared with the table that is kept, since versions are not
   * trusted.
   *
   * @return number of snapshots
   */
  public long comparisons() {
    return comparisons.sum();
  }

  /**
   * Comparisons that found other bytes, though a snapshot never changes: a damaged store, a network
   * path that alters bytes, or damaged memory.
   *
   * @return number of comparisons
   */
  public long differences() {
    return differences.sum();
  }

  /**
   * Tables that were evicted, because the tables of all repositories did not fit the memory set for
   * them.
   *
   * @return number of tables
   */
  public long evictions() {
    return evictions.sum();
  }
}
