// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.repository;

import com.google.gerrit.metrics.Counter1;
import com.google.gerrit.metrics.Description;
import com.google.gerrit.metrics.Description.Units;
import com.google.gerrit.metrics.Field;
import com.google.gerrit.metrics.Histogram1;
import com.google.gerrit.metrics.MetricMaker;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jgits3.S3RepositoryManager;
import org.jgits3.metrics.Count;
import org.jgits3.metrics.Counters;
import org.jgits3.store.RequestKind;
import org.jgits3.store.RequestOutcome;
import org.jgits3.store.StoreListener;

/** Metrics of the store in Gerrit's registry, under {@code s3/}. Safe for use by many threads. */
final class StoreMetrics implements StoreListener {
  private static final Set<RequestOutcome> FAILURES =
      EnumSet.of(
          RequestOutcome.UNKNOWN,
          RequestOutcome.CORRUPT,
          RequestOutcome.UNAVAILABLE,
          RequestOutcome.REFUSED,
          RequestOutcome.FAILED);

  private final MetricMaker maker;
  private final Consumer<RequestOutcome> failed;

  /** Not a timer: Gerrit's timers throw if the client is gone, here after a write was applied. */
  private final Histogram1<RequestKind> requests;

  private final Counter1<RequestOutcome> failures;

  /**
   * Creates metrics.
   *
   * @param maker Gerrit's registry
   * @param failed is told each failure, by the thread that made the request
   */
  StoreMetrics(MetricMaker maker, Consumer<RequestOutcome> failed) {
    this.maker = maker;
    this.failed = failed;
    this.requests =
        maker.newHistogram(
            "s3/requests",
            new Description("Times of requests to the store")
                .setCumulative()
                .setUnit(Units.MICROSECONDS),
            Field.ofEnum(RequestKind.class, "kind", (builder, kind) -> {})
                .description("kind of request")
                .build());
    this.failures =
        maker.newCounter(
            "s3/failures",
            new Description("Requests to the store that failed").setRate(),
            Field.ofEnum(RequestOutcome.class, "outcome", (builder, outcome) -> {})
                .description("kind of failure")
                .build());
  }

  @Override
  public void requestEnded(RequestKind kind, RequestOutcome outcome, long bytes, long nanos) {
    requests.record(kind, TimeUnit.NANOSECONDS.toMicros(nanos));
    if (FAILURES.contains(outcome)) {
      failures.increment(outcome);
      failed.accept(outcome);
    }
  }

  /** Shows the counters and gauges of repositories that were opened. */
  void show(S3RepositoryManager opened) {
    Counters counters = opened.counters();
    counter(
        "commits/unknown",
        "Commits that may or may not have been made",
        () -> counters.of(Count.COMMITS_UNKNOWN));
    counter(
        "commits/refused",
        "Commits that were not made in time",
        () -> counters.of(Count.COMMITS_LATE));
    counter("refs/downloads", "Downloads of snapshots", () -> counters.of(Count.DOWNLOADS));
    counter("refs/folds", "Folds in the background", () -> counters.of(Count.FOLDS));
    counter(
        "refs/damaged_log_objects",
        "Objects of logs that could not be read",
        () -> counters.of(Count.DAMAGED_LOG_OBJECTS));
    memory("refs", opened.tableBudget()::held);
    memory("manifests", opened.manifestBudget()::held);
    memory("indexes", opened.indexBudget()::held);
    memory("transfers", opened.receiveMemory()::held);
    memory("parts", opened.uploads()::held);
    backlog("folds", opened::foldBacklog);
    backlog("merges", opened::compactionBacklog);
  }

  private void counter(String name, String description, LongSupplier value) {
    show(name, new Description(description).setCumulative(), value);
  }

  private void memory(String name, LongSupplier value) {
    show("memory/" + name, new Description("Memory").setGauge().setUnit(Units.BYTES), value);
  }

  private void backlog(String name, LongSupplier value) {
    show("backlog/" + name, new Description("Repositories that wait").setGauge(), value);
  }

  private void show(String name, Description description, LongSupplier value) {
    maker.newCallbackMetric("s3/" + name, Long.class, description, value::getAsLong);
  }
}
