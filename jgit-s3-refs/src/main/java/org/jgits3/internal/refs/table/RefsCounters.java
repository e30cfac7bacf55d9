// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jgits3.metrics.RefsMetrics;

/**
 * Counters of the work that snapshots and logs of all repositories of a process have caused.
 * Counters only grow. Safe for use by many threads.
 */
public final class RefsCounters implements RefsMetrics {
  /** Events that are counted; {@link RefsMetrics} says what each is. */
  public enum Event {
    FOLD,
    FOREGROUND_FOLD,
    LOST_FOLD,
    DAMAGED_LOG_OBJECT,
    DOWNLOAD,
    DERIVATION,
    PARSE,
    COMPARISON,
    DIFFERENCE,
    EVICTION
  }

  private final Map<Event, LongAdder> counts = new EnumMap<>(Event.class);

  /** Creates counters that are zero. */
  public RefsCounters() {
    for (Event event : Event.values()) {
      counts.put(event, new LongAdder());
    }
  }

  /** Counts an event. */
  public void count(Event event) {
    counts.get(event).increment();
  }

  private long sum(Event event) {
    return counts.get(event).sum();
  }

  @Override
  public long folds() {
    return sum(Event.FOLD);
  }

  @Override
  public long foregroundFolds() {
    return sum(Event.FOREGROUND_FOLD);
  }

  @Override
  public long foldsLost() {
    return sum(Event.LOST_FOLD);
  }

  @Override
  public long damagedLogObjects() {
    return sum(Event.DAMAGED_LOG_OBJECT);
  }

  @Override
  public long downloads() {
    return sum(Event.DOWNLOAD);
  }

  @Override
  public long derivations() {
    return sum(Event.DERIVATION);
  }

  @Override
  public long parses() {
    return sum(Event.PARSE);
  }

  @Override
  public long comparisons() {
    return sum(Event.COMPARISON);
  }

  @Override
  public long differences() {
    return sum(Event.DIFFERENCE);
  }

  @Override
  public long evictions() {
    return sum(Event.EVICTION);
  }
}
