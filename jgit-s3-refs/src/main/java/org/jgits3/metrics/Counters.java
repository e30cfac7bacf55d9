// SPDX-License-Identifier: Apache-2.0
package org.jgits3.metrics;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counters of a manager, which only grow. Safe for use by many threads. */
public final class Counters {
  private final Map<Count, LongAdder> sums = new EnumMap<>(Count.class);

  /** Creates counters at zero. */
  public Counters() {
    for (Count each : Count.values()) {
      sums.put(each, new LongAdder());
    }
  }

  /**
   * Counts an event.
   *
   * @param event the event
   */
  public void add(Count event) {
    sums.get(event).increment();
  }

  /**
   * Returns the number of events so far.
   *
   * @param event the event
   * @return how many
   */
  public long of(Count event) {
    return sums.get(event).sum();
  }
}
