// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.express;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.jgits3.internal.store.s3.S3ObjectStore;
import org.jgits3.store.GetResult;
import org.jgits3.store.StoreLocation;
import org.jgits3.store.StoreOptions;
import software.amazon.awssdk.http.SdkHttpClient;

/**
 * The library's store: the SDK's client as it is set up there. It leaves the check of what it reads
 * to its caller, who knows the checksum. That belongs to a read, so bodies are checked here, and
 * the check counts as time of the client.
 */
final class LibraryCalls implements S3Calls {
  private final Map<String, S3ObjectStore> stores = new LinkedHashMap<>();
  private final long crc32c;
  private final Optional<SdkHttpClient> http;
  private final Optional<CallTimes> observer;

  /**
   * Opens a store for each bucket.
   *
   * @param http the connections to use; empty for the library's own
   * @param body what every object has to have; not kept
   */
  LibraryCalls(
      ExpressTarget target, Optional<SdkHttpClient> http, Optional<CallTimes> observer, byte[] body)
      throws IOException {
    this.crc32c = crc32c(body);
    this.http = http;
    this.observer = observer;
    StoreOptions options =
        new StoreOptions(
            target.endpoint(),
            target.endpoint().map(e -> target.region()),
            target.endpoint().isPresent(),
            StoreOptions.DEFAULT.connections());
    for (String bucket : target.buckets()) {
      if (!stores.containsKey(bucket)) {
        stores.put(bucket, open(new StoreLocation.Bucket(bucket, ""), options));
      }
    }
  }

  private S3ObjectStore open(StoreLocation.Bucket bucket, StoreOptions options) throws IOException {
    return S3ObjectStore.open(
        bucket,
        options,
        client -> {
          http.ifPresent(client::httpClient);
          observer.ifPresent(
              times -> client.overrideConfiguration(o -> o.addMetricPublisher(times)));
        });
  }

  @Override
  public byte[] get(String bucket, String key) throws IOException {
    if (stores.get(bucket).get(key, Optional.empty()) instanceof GetResult.Found found) {
      check(bucket, key, found.bytes());
      return found.bytes();
    }
    throw new IOException("s3://" + bucket + "/" + key + " is missing");
  }

  private void check(String bucket, String key, byte[] bytes) throws IOException {
    long begin = System.nanoTime();
    if (crc32c(bytes) != crc32c) {
      throw new IOException(
          "s3://" + bucket + "/" + key + " has other bytes than were written, by their CRC32C");
    }
    observer.ifPresent(times -> times.checked(System.nanoTime() - begin));
  }

  private static long crc32c(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, bytes.length);
    return crc.getValue();
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
    http.ifPresent(SdkHttpClient::close);
  }
}
