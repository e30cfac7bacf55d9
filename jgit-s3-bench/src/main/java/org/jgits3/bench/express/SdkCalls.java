// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.express;

import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;

/** The SDK's synchronous client, with everything as it is by default. */
final class SdkCalls implements S3Calls {
  private final SdkHttpClient http;
  private final S3Client client;

  SdkCalls(ExpressTarget target, SdkHttpClient http) {
    this.http = http;
    S3ClientBuilder builder = S3Client.builder().httpClient(http);
    target
        .endpoint()
        .ifPresent(
            server ->
                builder
                    .endpointOverride(server.uri())
                    .region(Region.of(server.region()))
                    .forcePathStyle(true));
    client = builder.build();
  }

  @Override
  public byte[] get(String bucket, String key) {
    return client.getObjectAsBytes(b -> b.bucket(bucket).key(key)).asByteArrayUnsafe();
  }

  @Override
  public void put(String bucket, String key, byte[] body) {
    client.putObject(b -> b.bucket(bucket).key(key), RequestBody.fromBytes(body));
  }

  @Override
  public void delete(String bucket, String key) {
    client.deleteObject(b -> b.bucket(bucket).key(key));
  }

  @Override
  public void close() {
    client.close();
    http.close();
  }
}
