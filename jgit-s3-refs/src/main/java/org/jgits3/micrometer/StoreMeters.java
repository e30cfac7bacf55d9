// SPDX-License-Identifier: Apache-2.0
package org.jgits3.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.Supplier;
import org.jgits3.S3RepositoryManager;
import org.jgits3.metrics.Count;
import org.jgits3.metrics.MemoryUse;
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
    binding.counts();
    binding.refs();
    binding.uploads();
    binding.memory();
  }

  /** Adds the meters to one registry. */
  private record Binding(S3RepositoryManager manager, MeterRegistry registry) {

    private void counts() {
      for (Count each : Count.values()) {
        FunctionCounter.builder(
                "jgits3.refs." + each.meter(), manager.counters(), counters -> counters.of(each))
            .description(each.description())
            .register(registry);
      }
    }

    private void refs() {
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
  }
}
