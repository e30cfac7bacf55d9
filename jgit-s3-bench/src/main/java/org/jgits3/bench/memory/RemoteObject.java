// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.memory;

import java.io.IOException;
import org.jgits3.bench.server.S3Endpoint;
import org.jgits3.store.ObjectStore;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.S3BaseClientBuilder;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;

/**
 * An object that is there, or is to be written.
 *
 * @param endpoint server that has it
 * @param bucket bucket it is in, as the server calls it
 * @param key its name
 * @param size its bytes
 */
record RemoteObject(S3Endpoint endpoint, String bucket, String key, long size) {
  GetObjectRequest request() {
    return GetObjectRequest.builder().bucket(bucket).key(key).build();
  }

  /** The library's store. */
  ObjectStore store() throws IOException {
    return endpoint.store(bucket);
  }

  /** The SDK with what it sets by itself. The HTTP client is not closed with it. */
  S3Client client(SdkHttpClient http) {
    return located(S3Client.builder()).httpClient(http).build();
  }

  /** The SDK with what it sets by itself. The HTTP client is not closed with it. */
  S3AsyncClient client(SdkAsyncHttpClient http) {
    return located(S3AsyncClient.builder()).httpClient(http).build();
  }

  private <B extends S3BaseClientBuilder<B, C>, C> B located(B builder) {
    return builder
        .endpointOverride(endpoint.uri())
        .region(Region.of(endpoint.region()))
        .forcePathStyle(true);
  }
}
