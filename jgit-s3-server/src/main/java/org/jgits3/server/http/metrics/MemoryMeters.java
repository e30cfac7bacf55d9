// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.Supplier;
import org.jgits3.S3RepositoryManager;
import org.jgits3.metrics.MemoryUse;
import org.jgits3.store.UploadOptions;
import org.jgits3.store.Uploads;

/** Meters of the memory of all repositories that has limits, by its use. */
public final class MemoryMeters implements MeterBinder {
  private final S3RepositoryManager manager;

  public MemoryMeters(S3RepositoryManager manager) {
    this.manager = manager;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    show(registry, "refs", manager.tableBudget());
    show(registry, "manifests", manager.manifestBudget());
    show(registry, "indexes", manager.indexBudget());
    show(registry, "transfers", manager.receiveMemory());
    Uploads uploads = manager.uploads();
    UploadOptions options = uploads.options();
    show(registry, "parts", uploads::held, () -> (double) options.buffers() * options.partSize());
  }

  private static void show(MeterRegistry registry, String use, MemoryUse memory) {
    show(registry, use, memory::held, memory::limit);
  }

  private static void show(
      MeterRegistry registry, String use, Supplier<Number> held, Supplier<Number> limit) {
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
}
