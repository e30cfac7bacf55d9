// SPDX-License-Identifier: Apache-2.0
package org.jgits3.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Instant;
import java.util.function.ToDoubleFunction;
import org.jgits3.metrics.CollectionMetrics;

/** Meters of collections in the background by outcome, and the time of the last one. */
public final class CollectionMeters implements MeterBinder {
  private final CollectionMetrics collections;

  /**
   * Meters of the collections of a manager.
   *
   * @param collections the collections
   */
  public CollectionMeters(CollectionMetrics collections) {
    this.collections = collections;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    count(registry, "ok", CollectionMetrics::collections);
    count(registry, "failed", CollectionMetrics::failures);
    Gauge.builder("jgits3.collection.last", collections, CollectionMeters::last)
        .description("Time of the last collection in the background; 0 if there was none")
        .baseUnit("timestamp_seconds")
        .register(registry);
  }

  private void count(
      MeterRegistry registry, String outcome, ToDoubleFunction<CollectionMetrics> count) {
    FunctionCounter.builder("jgits3.collections", collections, count)
        .description("Collections in the background by outcome")
        .tag("outcome", outcome)
        .register(registry);
  }

  private static double last(CollectionMetrics collections) {
    return collections.last().map(Instant::getEpochSecond).orElse(0L);
  }
}
