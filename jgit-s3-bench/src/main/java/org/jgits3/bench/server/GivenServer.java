// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.server;

import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jgits3.bench.process.Leftovers;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.AwsProfileRegionProvider;
import software.amazon.awssdk.regions.providers.AwsRegionProviderChain;
import software.amazon.awssdk.regions.providers.SystemSettingsRegionProvider;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * A server that this run has not started: credentials and region are those of the usual AWS
 * environment. Its buckets get unique names, and all of them are removed at the end, also if this
 * JVM is asked to end before.
 */
public final class GivenServer implements S3Session {
  private final S3Endpoint endpoint;
  private final S3Client client;
  private final Closeable atEnd = this::removeBuckets;

  /** Guarded by this. */
  private final List<String> buckets = new ArrayList<>();

  private GivenServer(S3Endpoint endpoint) {
    this.endpoint = endpoint;
    this.client = endpoint.client();
  }

  /**
   * Reaches the server, and creates the scratch bucket.
   *
   * @param uri its address
   * @return the server
   * @throws IOException if it cannot be reached or refuses the credentials, with one line that says
   *     so
   */
  public static GivenServer open(URI uri) throws IOException {
    byte[] random = new byte[6];
    new SecureRandom().nextBytes(random);
    String prefix = "jgit-s3-bench-" + HexFormat.of().formatHex(random) + "-";
    S3Endpoint endpoint = S3Endpoint.given(uri, region(), prefix);
    GivenServer server;
    try {
      server = new GivenServer(endpoint);
    } catch (SdkClientException e) {
      throw new IOException(
          "no credentials for " + uri + " found; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
          e);
    }
    Leftovers.add(server.atEnd);
    try {
      server.createBucket(SCRATCH);
    } catch (IOException e) {
      Leftovers.remove(server.atEnd);
      server.client.close();
      throw e;
    }
    server.endpoint.useHere();
    return server;
  }

  /** Without asking the network, which takes long anywhere but at AWS. */
  private static String region() {
    try {
      return new AwsRegionProviderChain(
              new SystemSettingsRegionProvider(), new AwsProfileRegionProvider())
          .getRegion()
          .id();
    } catch (SdkClientException e) {
      return Region.US_EAST_1.id();
    }
  }

  @Override
  public S3Endpoint endpoint() {
    return endpoint;
  }

  @Override
  public synchronized void createBucket(String name) throws IOException {
    String bucket = endpoint.bucket(name);
    if (buckets.contains(bucket)) {
      return;
    }
    try {
      client.createBucket(b -> b.bucket(bucket));
    } catch (S3Exception e) {
      throw new IOException(
          endpoint.uri()
              + " refused to create the bucket "
              + bucket
              + ": "
              + errorCode(e)
              + " (status "
              + e.statusCode()
              + "); check the URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION",
          e);
    } catch (SdkException e) {
      throw new IOException(endpoint.uri() + " cannot be used: " + e.getMessage(), e);
    }
    buckets.add(bucket);
  }

  private static String errorCode(S3Exception e) {
    return Optional.ofNullable(e.awsErrorDetails())
        .map(AwsErrorDetails::errorCode)
        .orElse("no answer of S3");
  }

  @Override
  public Optional<Duration> processorTime() {
    return Optional.empty();
  }

  @Override
  public void close() throws IOException {
    endpoint.forgetHere();
    try {
      removeBuckets();
    } finally {
      Leftovers.remove(atEnd);
      client.close();
    }
  }

  private synchronized void removeBuckets() throws IOException {
    for (String bucket : List.copyOf(buckets)) {
      try {
        empty(bucket);
        client.deleteBucket(b -> b.bucket(bucket));
      } catch (SdkException e) {
        throw new IOException(
            "bucket " + bucket + " of " + endpoint.uri() + " was not removed: " + e.getMessage(),
            e);
      }
      buckets.remove(bucket);
    }
  }

  private void empty(String bucket) {
    client
        .listMultipartUploadsPaginator(b -> b.bucket(bucket))
        .uploads()
        .forEach(
            upload ->
                client.abortMultipartUpload(
                    b -> b.bucket(bucket).key(upload.key()).uploadId(upload.uploadId())));
    for (ListObjectsV2Response page : client.listObjectsV2Paginator(b -> b.bucket(bucket))) {
      List<ObjectIdentifier> keys =
          page.contents().stream()
              .map(object -> ObjectIdentifier.builder().key(object.key()).build())
              .toList();
      if (!keys.isEmpty()) {
        client.deleteObjects(b -> b.bucket(bucket).delete(d -> d.objects(keys).quiet(true)));
      }
    }
  }
}
