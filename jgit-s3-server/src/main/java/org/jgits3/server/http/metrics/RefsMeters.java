// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.jgits3.S3RepositoryManager;
import org.jgits3.manifest.UnknownCause;

/** Meters for the refs of all repositories in memory, and for the work to load them. */
public final class RefsMeters implements MeterBinder {
  private final S3RepositoryManager manager;

  public RefsMeters(S3RepositoryManager manager) {
    this.manager = manager;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    gauge(registry, "tables", "Refs snapshots in memory", m -> m.tableBudget().count());
    count(
        registry,
        "manifest.decodings",
        "Manifests that were parsed",
        m -> m.manifestMetrics().decodings());
    count(
        registry,
        "commits.late",
        "Changes that were not written before their deadline",
        m -> m.manifestMetrics().notCommittedCount());
    for (UnknownCause cause : UnknownCause.values()) {
      FunctionCounter.builder(
              "jgits3.refs.commits.unknown",
              manager,
              m -> m.manifestMetrics().unknownOutcomes(cause))
          .description("Changes whose outcome was reported as unknown")
          .tag("cause", cause.name().toLowerCase(Locale.ROOT))
          .register(registry);
    }
    count(
        registry,
        "downloads",
        "Refs snapshots whose download was begun",
        m -> m.refsMetrics().downloads());
    count(
        registry,
        "parses",
        "Refs snapshots that were downloaded and parsed",
        m -> m.refsMetrics().parses());
    count(
        registry,
        "derivations",
        "Refs snapshots of others that were made here instead of downloaded",
        m -> m.refsMetrics().derivations());
    count(
        registry,
        "comparisons",
        "Refs snapshots fetched again to be compared",
        m -> m.refsMetrics().comparisons());
    count(
        registry,
        "differences",
        "Refs snapshots that had other bytes when they were compared",
        m -> m.refsMetrics().differences());
    count(
        registry,
        "evictions",
        "Refs snapshots let go to make room for others",
        m -> m.refsMetrics().evictions());
    count(
        registry, "folds", "Folds of refs or log in the background", m -> m.refsMetrics().folds());
    count(
        registry,
        "folds.foreground",
        "Folds that a commit had to wait for, since its manifest was full",
        m -> m.refsMetrics().foregroundFolds());
    count(
        registry,
        "folds.lost",
        "Snapshots and log segments uploaded in vain, and deleted",
        m -> m.refsMetrics().foldsLost());
    count(
        registry,
        "log.damaged",
        "Objects of transaction logs that are damaged or missing",
        m -> m.refsMetrics().damagedLogObjects());
    gauge(
        registry,
        "folds.waiting",
        "Repositories whose refs are folded in the background, or wait for it",
        S3RepositoryManager::foldBacklog);
    gauge(
        registry,
        "compaction.waiting",
        "Repositories whose small packs are merged in the background, or wait for it",
        S3RepositoryManager::compactionBacklog);
  }

  private void gauge(
      MeterRegistry registry,
      String name,
      String description,
      ToDoubleFunction<S3RepositoryManager> value) {
    Gauge.builder("jgits3.refs." + name, manager, value)
        .description(description)
        .register(registry);
  }

  private void count(
      MeterRegistry registry,
      String name,
      String description,
      ToDoubleFunction<S3RepositoryManager> value) {
    FunctionCounter.builder("jgits3.refs." + name, manager, value)
        .description(description)
        .register(registry);
  }
}
