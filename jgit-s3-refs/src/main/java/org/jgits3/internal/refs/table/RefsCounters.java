// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import java.util.concurrent.atomic.LongAdder;
import org.jgits3.metrics.RefsMetrics;

/**
 * Counters of the work that snapshots and logs of all repositories of a process have caused; {@link
 * RefsMetrics} says what each counts. Counters only grow. Safe for use by many threads.
 */
public final class RefsCounters implements RefsMetrics {
  public final LongAdder folds = new LongAdder();
  public final LongAdder foregroundFolds = new LongAdder();
  public final LongAdder foldsLost = new LongAdder();
  public final LongAdder damagedLogObjects = new LongAdder();
  public final LongAdder downloads = new LongAdder();
  public final LongAdder derivations = new LongAdder();
  public final LongAdder parses = new LongAdder();
  public final LongAdder comparisons = new LongAdder();
  public final LongAdder differences = new LongAdder();
  public final LongAdder evictions = new LongAdder();

  @Override
  public long folds() {
    return folds.sum();
  }

  @Override
  public long foregroundFolds() {
    return foregroundFolds.sum();
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
