// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.transfer;

import java.io.IOException;
import java.util.Optional;
import org.jgits3.Stores;
import org.jgits3.bench.server.S3Endpoint;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreLocation;
import org.jgits3.store.StoreOptions;

/** A bucket of the server that is measured with, as the library opens it. */
final class LibraryStore {
  private static final int CONNECTIONS = 64;

  private LibraryStore() {}

  /**
   * Opens it.
   *
   * @param endpoint the server
   * @param bucket its name within the benchmarks
   * @return the store, to be closed
   */
  static ObjectStore open(S3Endpoint endpoint, String bucket) throws IOException {
    return Stores.open(
        new StoreLocation.Bucket(endpoint.bucket(bucket), ""),
        new StoreOptions(
            Optional.of(endpoint.uri()), Optional.of(endpoint.region()), true, CONNECTIONS));
  }
}
