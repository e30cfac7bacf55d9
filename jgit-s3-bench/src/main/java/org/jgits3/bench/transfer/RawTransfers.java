// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.transfer;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jgits3.bench.server.S3Endpoint;
import org.jgits3.store.UploadOptions;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/**
 * Limits of the server and the SDK's client: parts of a known length, concurrently, straight from
 * memory and without a checksum of their own; and a single GET. The client is set up as the
 * library's. Over plain HTTP it signs what it sends, as the library's does, so that both ends
 * compute a SHA-256; over HTTPS it does not.
 */
final class RawTransfers implements AutoCloseable {
  private static final int CONNECTIONS = 64;

  private final S3Client client;
  private final String bucket;
  private final ExecutorService threads;

  /**
   * Transfers to and from a bucket.
   *
   * @param endpoint the server
   * @param bucket name of the bucket at the server
   */
  RawTransfers(S3Endpoint endpoint, String bucket) {
    this.client =
        S3Client.builder()
            .httpClientBuilder(
                Apache5HttpClient.builder()
                    .maxConnections(CONNECTIONS)
                    .expectContinueEnabled(false))
            .endpointOverride(endpoint.uri())
            .region(Region.of(endpoint.region()))
            .forcePathStyle(true)
            .serviceConfiguration(s -> s.expectContinueEnabled(false).chunkedEncodingEnabled(false))
            .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
            .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
            .build();
    this.bucket = bucket;
    this.threads = Executors.newFixedThreadPool(UploadOptions.DEFAULT.buffers());
  }

  /**
   * Uploads parts of the default size, as many at a time as the library has buffers by default.
   *
   * @param key the object
   * @param content where the parts are taken from; again from the beginning where it ends
   * @param size bytes of the object
   */
  void upload(String key, byte[] content, long size) throws IOException, InterruptedException {
    String id = client.createMultipartUpload(b -> b.bucket(bucket).key(key)).uploadId();
    int partSize = UploadOptions.DEFAULT_PART_SIZE;
    List<Callable<CompletedPart>> parts = new ArrayList<>();
    for (long at = 0; at < size; at += partSize) {
      int number = parts.size() + 1;
      int length = (int) Math.min(partSize, size - at);
      int from = (int) (at % content.length);
      parts.add(() -> uploadPart(key, id, number, content, from, length));
    }
    List<CompletedPart> completed = new ArrayList<>();
    for (Future<CompletedPart> part : threads.invokeAll(parts)) {
      try {
        completed.add(part.get());
      } catch (ExecutionException e) {
        throw new IOException("a part has failed: " + e.getCause().getMessage(), e.getCause());
      }
    }
    client.completeMultipartUpload(
        b -> b.bucket(bucket).key(key).uploadId(id).multipartUpload(m -> m.parts(completed)));
  }

  private CompletedPart uploadPart(
      String key, String id, int number, byte[] content, int from, int length) {
    String tag =
        client
            .uploadPart(
                b ->
                    b.bucket(bucket)
                        .key(key)
                        .uploadId(id)
                        .partNumber(number)
                        .contentLength((long) length),
                RequestBody.fromContentProvider(
                    () -> new ByteArrayInputStream(content, from, length),
                    length,
                    "application/octet-stream"))
            .eTag();
    return CompletedPart.builder().partNumber(number).eTag(tag).build();
  }

  /**
   * Receives an object in an array by one plain GET.
   *
   * @param key the object
   * @param dst array of its size
   */
  void download(String key, byte[] dst) throws IOException {
    int received =
        client.getObject(
            b -> b.bucket(bucket).key(key),
            (ResponseTransformer<GetObjectResponse, Integer>)
                (response, in) -> in.readNBytes(dst, 0, dst.length));
    if (received != dst.length) {
      throw new IOException(key + " has " + received + " bytes instead of " + dst.length);
    }
  }

  @Override
  public void close() {
    threads.shutdown();
    client.close();
  }
}
