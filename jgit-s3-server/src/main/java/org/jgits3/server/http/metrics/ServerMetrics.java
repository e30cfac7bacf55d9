// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.Closeable;
import org.jgits3.micrometer.BlockCacheMeters;
import org.jgits3.micrometer.RequestMeters;
import org.jgits3.store.RequestKind;
import org.jgits3.store.RequestOutcome;
import org.jgits3.store.StoreListener;

/** Metrics of a server: pushes, fetches, requests to the store, and the JVM's basics. */
public final class ServerMetrics implements StoreListener, Closeable {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics gc = new JvmGcMetrics();

  private final RequestMeters requests = new RequestMeters(registry);

  /** Creates metrics that are zero. */
  public ServerMetrics() {
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    new BlockCacheMeters().bindTo(registry);
    gc.bindTo(registry);
  }

  /**
   * Registry for additional meters of the embedding program.
   *
   * @return the registry that {@code /metrics} shows
   */
  public MeterRegistry registry() {
    return registry;
  }

  /**
   * Formats all values.
   *
   * @return Prometheus text, format 0.0.4
   */
  public String prometheusText() {
    return registry.scrape();
  }

  @Override
  public void requestEnded(RequestKind kind, RequestOutcome outcome, long bytes, long nanos) {
    requests.requestEnded(kind, outcome, bytes, nanos);
  }

  /**
   * Timer of one kind of request and result, with a histogram.
   *
   * @param name name of the timer
   * @param description one line for {@code /metrics}
   * @param tags kind and result
   * @return the timer, the same for the same name and tags
   */
  public Timer timer(String name, String description, Tags tags) {
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
