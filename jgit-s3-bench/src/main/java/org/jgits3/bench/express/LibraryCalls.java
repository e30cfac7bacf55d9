// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.express;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jgits3.store.GetResult;
import org.jgits3.store.S3ObjectStore;
import org.jgits3.store.StoreLocation;
import org.jgits3.store.StoreOptions;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.metrics.MetricPublisher;

/** The library's store: the SDK's client as it is set up there. */
final class LibraryCalls implements S3Calls {
  private final Map<String, S3ObjectStore> stores = new LinkedHashMap<>();

  /**
   * Opens a store for each bucket.
   *
   * @param http the connections to use; empty for the library's own
   */
  LibraryCalls(
      ExpressTarget target, Optional<SdkHttpClient> http, Optional<MetricPublisher> observer)
      throws IOException {
    StoreOptions options =
        new StoreOptions(
            target.endpoint(),
            target.endpoint().map(e -> target.region()),
            target.endpoint().isPresent(),
            StoreOptions.DEFAULT.connections());
    for (String bucket : target.buckets()) {
      if (!stores.containsKey(bucket)) {
        stores.put(bucket, open(new StoreLocation.Bucket(bucket, ""), options, http, observer));
      }
    }
  }

  private static S3ObjectStore open(
      StoreLocation.Bucket bucket,
      StoreOptions options,
      Optional<SdkHttpClient> http,
      Optional<MetricPublisher> observer)
      throws IOException {
    return http.isPresent()
        ? S3ObjectStore.open(
            bucket, options, c -> observer.ifPresent(c::addMetricPublisher), http.get())
        : S3ObjectStore.open(bucket, options, c -> observer.ifPresent(c::addMetricPublisher));
  }

  @Override
  public byte[] get(String bucket, String key) throws IOException {
    if (stores.get(bucket).get(key, Optional.empty()) instanceof GetResult.Found found) {
      return found.bytes();
    }
    throw new IOException("s3://" + bucket + "/" + key + " is missing");
  }

  @Override
  public void put(String bucket, String key, byte[] body) throws IOException {
    stores.get(bucket).put(key, body, 0, body.length);
  }

  @Override
  public void delete(String bucket, String key) throws IOException {
    stores.get(bucket).delete(List.of(key));
  }

  @Override
  public void close() {
    stores.values().forEach(S3ObjectStore::close);
  }
}
