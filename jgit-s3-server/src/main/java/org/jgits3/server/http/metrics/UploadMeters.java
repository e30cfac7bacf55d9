// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToDoubleFunction;
import org.jgits3.store.Uploads;

/** Meters of the part buffers of a server, which show if uploads lack memory. */
public final class UploadMeters implements MeterBinder {
  private final Uploads uploads;

  public UploadMeters(Uploads uploads) {
    this.uploads = uploads;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    gauge(registry, "buffers", "Part buffers in use", Uploads::buffersInUse);
    gauge(registry, "limit", "Part buffers there may be", u -> u.options().buffers());
    gauge(registry, "waiting", "Uploads that wait for a part buffer", Uploads::waiting);
  }

  private void gauge(
      MeterRegistry registry, String name, String description, ToDoubleFunction<Uploads> value) {
    Gauge.builder("jgits3.upload." + name, uploads, value)
        .description(description)
        .register(registry);
  }
}
