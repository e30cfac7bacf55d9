// SPDX-License-Identifier: Apache-2.0
package org.jgits3.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jgits3.S3RepositoryManager;
import org.jgits3.metrics.ManifestMetrics;
import org.jgits3.metrics.MemoryUse;
import org.jgits3.metrics.RefsMetrics;
import org.jgits3.metrics.UnknownCause;
import org.jgits3.store.UploadOptions;
import org.jgits3.store.Uploads;

/**
 * Meters of all repositories of a store: their refs, their uploads, and the memory of both. Bound
 * to each registry once.
 */
public final class StoreMeters implements MeterBinder {
  private final S3RepositoryManager manager;

  /**
   * Meters of a manager.
   *
   * @param manager the repositories
   */
  public StoreMeters(S3RepositoryManager manager) {
    this.manager = manager;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    Binding binding = new Binding(manager, registry);
    binding.commits();
    binding.refs();
    binding.folds();
    binding.uploads();
    binding.memory();
  }

  /** Adds the meters to one registry. */
  private record Binding(S3RepositoryManager manager, MeterRegistry registry) {

    private void commits() {
      ManifestMetrics commits = manager.manifestMetrics();
      count(
          "manifest.decodings", "Manifests that were parsed", commits, ManifestMetrics::decodings);
      count(
          "commits.late",
          "Changes that were not written before their deadline",
          commits,
          ManifestMetrics::notCommittedCount);
      for (UnknownCause cause : UnknownCause.values()) {
        FunctionCounter.builder(
                "jgits3.refs.commits.unknown", commits, c -> c.unknownOutcomes(cause))
            .description("Changes whose outcome was reported as unknown")
            .tag("cause", cause.name().toLowerCase(Locale.ROOT))
            .register(registry);
      }
    }

    private void refs() {
      gauge("refs.tables", "Refs snapshots in memory", manager.tableBudget()::count);
      count("downloads", "Refs snapshots whose download was begun", RefsMetrics::downloads);
      count("parses", "Refs snapshots that were downloaded and parsed", RefsMetrics::parses);
      count(
          "derivations",
          "Refs snapshots of others that were made here instead of downloaded",
          RefsMetrics::derivations);
      count("comparisons", "Refs snapshots fetched again to be compared", RefsMetrics::comparisons);
      count(
          "differences",
          "Refs snapshots that had other bytes when they were compared",
          RefsMetrics::differences);
      count("evictions", "Refs snapshots let go to make room for others", RefsMetrics::evictions);
    }

    private void folds() {
      count("folds", "Folds of refs or log in the background", RefsMetrics::folds);
      count(
          "folds.foreground",
          "Folds that a commit had to wait for, since its manifest was full",
          RefsMetrics::foregroundFolds);
      count(
          "folds.lost",
          "Snapshots and log segments uploaded in vain, and deleted",
          RefsMetrics::foldsLost);
      count(
          "log.damaged",
          "Objects of transaction logs that are damaged or missing",
          RefsMetrics::damagedLogObjects);
      gauge(
          "refs.folds.waiting",
          "Repositories whose refs are folded in the background, or wait for it",
          manager::foldBacklog);
      gauge(
          "refs.compaction.waiting",
          "Repositories whose small packs are merged in the background, or wait for it",
          manager::compactionBacklog);
    }

    private void uploads() {
      Uploads uploads = manager.uploads();
      gauge("upload.buffers", "Part buffers in use", uploads::buffersInUse);
      gauge("upload.limit", "Part buffers there may be", uploads.options()::buffers);
      gauge("upload.waiting", "Uploads that wait for a part buffer", uploads::waiting);
    }

    private void memory() {
      memory("refs", manager.tableBudget());
      memory("manifests", manager.manifestBudget());
      memory("indexes", manager.indexBudget());
      memory("transfers", manager.receiveMemory());
      Uploads uploads = manager.uploads();
      UploadOptions options = uploads.options();
      memory("parts", uploads::held, () -> (double) options.buffers() * options.partSize());
    }

    private void memory(String use, MemoryUse memory) {
      memory(use, memory::held, memory::limit);
    }

    private void memory(String use, Supplier<Number> held, Supplier<Number> limit) {
      Gauge.builder("jgits3.memory.size", held)
          .description("Memory taken, by its use")
          .baseUnit("bytes")
          .tag("use", use)
          .register(registry);
      Gauge.builder("jgits3.memory.limit", limit)
          .description("Memory that may be taken, by its use")
          .baseUnit("bytes")
          .tag("use", use)
          .register(registry);
    }

    private void gauge(String name, String description, Supplier<Number> value) {
      Gauge.builder("jgits3." + name, value).description(description).register(registry);
    }

    private void count(String name, String description, ToDoubleFunction<RefsMetrics> value) {
      count(name, description, manager.refsMetrics(), value);
    }

    private <T> void count(String name, String description, T counters, ToDoubleFunction<T> value) {
      FunctionCounter.builder("jgits3.refs." + name, counters, value)
          .description(description)
          .register(registry);
    }
  }
}
