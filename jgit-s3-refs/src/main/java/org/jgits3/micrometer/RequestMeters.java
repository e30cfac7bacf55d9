// SPDX-License-Identifier: Apache-2.0
package org.jgits3.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jgits3.store.RequestKind;
import org.jgits3.store.RequestOutcome;
import org.jgits3.store.StoreListener;

/**
 * Meters of the requests to a store, by kind and outcome, with histograms of their time: given to
 * {@link org.jgits3.Stores#observed}. Safe for use by many threads.
 */
public final class RequestMeters implements StoreListener {
  private final MeterRegistry registry;

  /**
   * Cached meters, because finding a meter in the registry by its tags costs more than counting.
   */
  private final Map<Request, Meters> requests = new ConcurrentHashMap<>();

  /** Tags of a request. */
  private record Request(RequestKind kind, RequestOutcome outcome) {}

  /** Meters of requests with the same tags. */
  private record Meters(Timer time, Counter transferred) {
    void count(long bytes, long nanos) {
      time.record(nanos, TimeUnit.NANOSECONDS);
      transferred.increment((double) bytes);
    }
  }

  /**
   * Meters that are zero.
   *
   * @param registry registry that shows them
   */
  public RequestMeters(MeterRegistry registry) {
    this.registry = registry;
  }

  @Override
  public void requestEnded(RequestKind kind, RequestOutcome outcome, long bytes, long nanos) {
    requests.computeIfAbsent(new Request(kind, outcome), this::meters).count(bytes, nanos);
  }

  private Meters meters(Request request) {
    Tags tags = Tags.of("kind", lower(request.kind()), "outcome", lower(request.outcome()));
    return new Meters(
        Timer.builder("jgits3.store.requests")
            .description("Requests to the store")
            .tags(tags)
            .publishPercentileHistogram()
            .register(registry),
        Counter.builder("jgits3.store.transferred")
            .description("Content bytes sent to the store or received from it")
            .baseUnit("bytes")
            .tags(tags)
            .register(registry));
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
