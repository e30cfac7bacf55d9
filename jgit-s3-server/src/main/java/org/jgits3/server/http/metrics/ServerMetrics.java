// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
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
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpStatus;
import org.jgits3.micrometer.BlockCacheMeters;
import org.jgits3.micrometer.RequestMeters;
import org.jgits3.server.terminal.Logging;
import org.jgits3.server.terminal.Version;
import org.jgits3.store.RequestKind;
import org.jgits3.store.RequestOutcome;
import org.jgits3.store.StoreListener;

/** Metrics of a server: pushes, fetches, requests to the store, and the JVM's basics. */
public final class ServerMetrics implements StoreListener, Closeable {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics gc = new JvmGcMetrics();

  private final RequestMeters requests = new RequestMeters(registry);
  private final Counter refusedLogins =
      Counter.builder("jgits3.logins.refused")
          .description("Requests with a wrong name or password")
          .register(registry);

  /** Creates metrics that are zero. */
  public ServerMetrics() {
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    new BlockCacheMeters().bindTo(registry);
    gc.bindTo(registry);
    count(HttpStatus.OK_200, 0); // so that a first increase is one
    count(HttpStatus.SERVICE_UNAVAILABLE_503, 0);
    FunctionCounter.builder("jgits3.log.lost", registry, none -> Logging.lost())
        .description("Lines of the log that its destination did not take")
        .register(registry);
    Gauge.builder("jgits3.build.info", () -> 1)
        .description("Versions of this server")
        .tag("version", Version.program())
        .tag("jgit", Version.jgit())
        .tag("java", System.getProperty("java.version"))
        .register(registry);
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

  /**
   * Counts a request of a client.
   *
   * @param status status of its answer
   * @param refused true if it came with a wrong name or password
   */
  public void answered(int status, boolean refused) {
    count(status, 1);
    if (refused) {
      refusedLogins.increment();
    }
  }

  /** Counts requests. The statuses are those of this server, so there are few. */
  private void count(int status, int requests) {
    Counter.builder("jgits3.http.requests")
        .description("Requests of clients by the status of the answer")
        .tag("status", String.valueOf(status))
        .register(registry)
        .increment(requests);
  }

  /**
   * Shows how many Git requests there are.
   *
   * @param running number that are being served
   * @param waiting number that wait for others to end
   * @param most maximum number that are served at a time
   */
  public void places(Supplier<Number> running, Supplier<Number> waiting, int most) {
    gauge("jgits3.git.running", "Git requests that are being served", running);
    gauge("jgits3.git.waiting", "Git requests that wait for others to end", waiting);
    gauge("jgits3.git.limit", "Git requests that are served at a time, at most", () -> most);
  }

  private void gauge(String name, String description, Supplier<Number> value) {
    Gauge.builder(name, value).description(description).register(registry);
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
