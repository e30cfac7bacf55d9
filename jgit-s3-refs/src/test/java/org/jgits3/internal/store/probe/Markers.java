// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.probe;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.jgits3.Stores;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ProbedService.Dialect;
import org.jgits3.store.StoreLocation;
import org.jgits3.store.StoreOptions;
import org.jgits3.testing.S3Server;

/** Spares a test the full probe of a store that is known to be good. */
public final class Markers {
  private Markers() {}

  /**
   * Leaves the marker that a full probe leaves.
   *
   * @param store the store
   * @param service what was probed; empty if there is nothing to probe
   * @throws IOException if it cannot be written
   */
  public static void mark(ObjectStore store, Optional<String> service) throws IOException {
    mark(store, service, Dialect.S3);
  }

  /**
   * Leaves the marker of a store that takes another dialect.
   *
   * @param store the store
   * @param service what was probed; empty if there is nothing to probe
   * @param dialect dialect that the marker names, and in which it is written
   * @throws IOException if it cannot be written
   */
  public static void mark(ObjectStore store, Optional<String> service, Dialect dialect)
      throws IOException {
    if (service.isPresent()) {
      store.probedService().ifPresent(probed -> probed.speak(dialect));
      ProbeMarker.leave(
          store, service.get(), new ProbeReport(store.location(), dialect, List.of()));
    }
  }

  /**
   * Leaves the marker of a bucket that is reached at some endpoint, without a request to that.
   *
   * @param server server of the bucket
   * @param location the bucket, with a prefix
   * @param endpoint the endpoint
   * @throws IOException if it cannot be written
   */
  public static void mark(S3Server server, StoreLocation location, URI endpoint)
      throws IOException {
    StoreOptions options = server.options();
    StoreOptions through =
        new StoreOptions(
            Optional.of(endpoint), options.region(), options.pathStyle(), options.connections());
    try (ObjectStore direct = Stores.open(location, options);
        ObjectStore named = Stores.open(location, through)) {
      mark(direct, named.service(), server.dialect());
    }
  }
}
