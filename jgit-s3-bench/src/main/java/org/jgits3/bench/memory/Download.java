// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.memory;

import java.io.IOException;
import org.jgits3.internal.store.read.RangeReader;
import org.jgits3.store.ObjectStore;
import software.amazon.awssdk.core.async.AsyncResponseTransformer;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.apache.ApacheHttpClient;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;
import software.amazon.awssdk.http.crt.AwsCrtAsyncHttpClient;
import software.amazon.awssdk.http.crt.AwsCrtHttpClient;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.S3Client;

/** Ways to land an object in an array. */
enum Download {
  /** {@link RangeReader} as it is: four requests at the same time. */
  OURS("jgit-s3-4-ranges", 1.004),
  /** {@link RangeReader}, the object in one request. */
  OURS_ONE_RANGE("jgit-s3-1-range", 1.004),

  /** {@code toBytes()} over Apache HttpClient 5. */
  SDK_APACHE5("sdk-apache5", 4.45),
  /** {@code toBytes()} over Apache HttpClient 4. */
  SDK_APACHE("sdk-apache", 4.45),
  /** {@code toBytes()} over the JDK's {@code HttpURLConnection}. */
  SDK_URL_CONNECTION("sdk-url-connection", 4.45),
  /** {@code toBytes()} over the AWS Common Runtime. */
  SDK_CRT("sdk-crt", 4.68),
  /** Asynchronous {@code toBytes()} over the AWS Common Runtime. */
  SDK_CRT_ASYNC("sdk-crt-async", 3.81),
  /** Asynchronous {@code toBytes()} over Netty. */
  SDK_NETTY_ASYNC("sdk-netty-async", 2.42);

  private final String id;
  private final double arrays;

  Download(String id, double arrays) {
    this.id = id;
    this.arrays = arrays;
  }

  /** Name in the results. */
  String id() {
    return id;
  }

  /**
   * About how many times its size an object takes, beside what a JVM does: where the search begins.
   */
  double arrays() {
    return arrays;
  }

  /** Reads an object into an array. */
  byte[] land(RemoteObject object) throws IOException {
    return switch (this) {
      case OURS -> ours(object, RangeReader.Sizes.DEFAULT);
      case OURS_ONE_RANGE -> ours(object, oneRange(object));
      case SDK_APACHE5 -> toBytes(object, Apache5HttpClient.create());
      case SDK_APACHE -> toBytes(object, apache4());
      case SDK_URL_CONNECTION -> toBytes(object, UrlConnectionHttpClient.create());
      case SDK_CRT -> toBytes(object, AwsCrtHttpClient.create());
      case SDK_CRT_ASYNC -> toBytes(object, AwsCrtAsyncHttpClient.create());
      case SDK_NETTY_ASYNC -> toBytes(object, NettyNioAsyncHttpClient.create());
    };
  }

  @SuppressWarnings("deprecation") // still what many have
  private static SdkHttpClient apache4() {
    return ApacheHttpClient.create();
  }

  private static RangeReader.Sizes oneRange(RemoteObject object) {
    int size = Math.toIntExact(object.size());
    return new RangeReader.Sizes(size, size);
  }

  private static byte[] ours(RemoteObject object, RangeReader.Sizes sizes) throws IOException {
    byte[] bytes = new byte[Math.toIntExact(object.size())];
    try (ObjectStore store = object.store()) {
      new RangeReader(store, sizes, true).read(object.key(), 0, bytes, 0, bytes.length);
    }
    return bytes;
  }

  private static byte[] toBytes(RemoteObject object, SdkHttpClient http) {
    try (http;
        S3Client client = object.client(http)) {
      return client.getObject(object.request(), ResponseTransformer.toBytes()).asByteArrayUnsafe();
    }
  }

  private static byte[] toBytes(RemoteObject object, SdkAsyncHttpClient http) {
    try (http;
        S3AsyncClient client = object.client(http)) {
      return client
          .getObject(object.request(), AsyncResponseTransformer.toBytes())
          .join()
          .asByteArrayUnsafe();
    }
  }
}
