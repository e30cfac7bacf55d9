// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import jakarta.servlet.Filter;
import java.io.Closeable;

/** What a server counts: pushes, fetches, requests to the store, and the JVM's basics. */
public final class ServerMetrics implements Closeable {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics gc = new JvmGcMetrics();

  /** Counts from zero. */
  public ServerMetrics() {
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    gc.bindTo(registry);
  }

  /**
   * The registry, for meters of the embedding program.
   *
   * @return the registry that {@code /metrics} shows
   */
  public MeterRegistry registry() {
    return registry;
  }

  /**
   * Everything counted so far.
   *
   * @return Prometheus text, format 0.0.4
   */
  public String prometheusText() {
    return registry.scrape();
  }

  Filter pushFilter() {
    return new PushMeter(this);
  }

  Filter fetchFilter() {
    return new FetchMeter(this);
  }

  Timer timer(String name, String description, String... tags) {
    return Timer.builder(name)
        .description(description)
        .tags(tags)
        .publishPercentileHistogram()
        .register(registry);
  }

  @Override
  public void close() {
    gc.close();
    registry.close();
  }
}
