// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import java.util.concurrent.atomic.LongAdder;
import org.jgits3.metrics.RefsMetrics;

/**
 * Counters of the work that snapshots and logs of all repositories of a process have caused.
 * Counters only grow. Safe for use by many threads.
 */
public final class RefsCounters implements RefsMetrics {
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
  public RefsCounters() {}

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

  @Override
  public long folds() {
    return folds.sum();
  }

  @Override
  public long foregroundFolds() {
    return roomMade.sum();
  }

  @Override
  public long foldsLost() {
    return foldsLost.sum();
  }

  @Override
  public long damagedLogObjects() {
    return damagedLogObjects.sum();
  }

  @Override
  public long downloads() {
    return downloads.sum();
  }

  @Override
  public long derivations() {
    return derivations.sum();
  }

  @Override
  public long mismatches() {
    return mismatches.sum();
  }

  @Override
  public long parses() {
    return parses.sum();
  }

  @Override
  public long comparisons() {
    return comparisons.sum();
  }

  @Override
  public long differences() {
    return differences.sum();
  }

  @Override
  public long evictions() {
    return evictions.sum();
  }
}
