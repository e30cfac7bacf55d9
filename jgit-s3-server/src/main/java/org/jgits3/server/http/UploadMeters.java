// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToDoubleFunction;
import org.jgits3.internal.store.upload.PackUploads;

/** Meters of the part buffers of a server, which show if uploads lack memory. */
final class UploadMeters implements MeterBinder {
  private final PackUploads uploads;

  UploadMeters(PackUploads uploads) {
    this.uploads = uploads;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    gauge(registry, "buffers", "Part buffers in use", PackUploads::buffersInUse);
    gauge(registry, "limit", "Part buffers there may be", u -> u.options().buffers());
    gauge(registry, "waiting", "Uploads that wait for a part buffer", PackUploads::waiting);
  }

  private void gauge(
      MeterRegistry registry,
      String name,
      String description,
      ToDoubleFunction<PackUploads> value) {
    Gauge.builder("jgits3.upload." + name, uploads, value)
        .description(description)
        .register(registry);
  }
}
