// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.express;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.jgits3.bench.server.S3Endpoint;
import org.jgits3.internal.store.s3.S3ObjectStore;
import org.jgits3.store.GetResult;
import org.jgits3.store.StoreLocation;
import org.jgits3.store.StoreOptions;
import software.amazon.awssdk.http.SdkHttpClient;

/**
 * The library's store: the SDK's client as it is set up there. It leaves the check of what it reads
 * to its caller, who knows the checksum. That belongs to a read, so bodies are checked here.
 */
final class LibraryCalls implements S3Calls {
  private final Map<String, S3ObjectStore> stores = new LinkedHashMap<>();
  private final long crc32c;
  private final Optional<SdkHttpClient> http;

  /**
   * Opens a store for each bucket.
   *
   * @param http the connections to use; empty for the library's own
   * @param body what every object has to have; not kept
   */
  LibraryCalls(ExpressTarget target, Optional<SdkHttpClient> http, byte[] body) throws IOException {
    this.crc32c = crc32c(body);
    this.http = http;
    StoreOptions options =
        new StoreOptions(
            target.endpoint().map(S3Endpoint::uri),
            target.endpoint().map(S3Endpoint::region),
            target.endpoint().isPresent(),
            StoreOptions.DEFAULT.connections());
    for (String bucket : new LinkedHashSet<>(target.buckets())) {
      stores.put(
          bucket,
          S3ObjectStore.open(
              new StoreLocation.Bucket(bucket, ""),
              options,
              client -> http.ifPresent(client::httpClient)));
    }
  }

  @Override
  public byte[] get(String bucket, String key) throws IOException {
    if (stores.get(bucket).get(key, Optional.empty()) instanceof GetResult.Found found) {
      if (crc32c(found.bytes()) != crc32c) {
        throw new IOException(
            "s3://" + bucket + "/" + key + " has other bytes than were written, by their CRC32C");
      }
      return found.bytes();
    }
    throw new IOException("s3://" + bucket + "/" + key + " is missing");
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
