// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jgits3.Stores;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ProbedService.Dialect;
import org.jgits3.store.StoreLocation;
import org.jgits3.store.StoreOptions;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * An S3 server that tests may fill with buckets. Safe for use by many threads.
 *
 * <p>{@link S3Servers} hands out the one that all tests of a JVM share.
 *
 * @param name what it is, for messages
 * @param endpoint where it listens
 * @param accessKey access key of its administrator
 * @param secretKey the secret that goes with it
 * @param dialect what a probe finds, for tests that open a store without one
 * @param stop ends the server; may be called more than once
 * @param process process of the server, so that a test can stop it for a while; empty if the tests
 *     have not started it themselves
 */
public record S3Server(
    String name,
    URI endpoint,
    String accessKey,
    String secretKey,
    Dialect dialect,
    Runnable stop,
    Optional<Process> process)
    implements AutoCloseable {
  /** The region of every test server. */
  public static final String REGION = "us-east-1";

  /** A server that runs elsewhere. */
  S3Server(String name, URI endpoint, String accessKey, String secretKey, Runnable stop) {
    this(name, endpoint, accessKey, secretKey, Dialect.S3, stop, Optional.empty());
  }

  /**
   * Options to reach the server, without credentials: {@link S3Servers} has put them into the
   * system properties that the SDK reads.
   *
   * @return options for {@link Stores#open}
   */
  public StoreOptions options() {
    return new StoreOptions(Optional.of(endpoint), Optional.of(REGION), true, 64);
  }

  /**
   * Environment that gives a child process access.
   *
   * @return variables of the AWS default chain
   */
  public Map<String, String> environment() {
    return Map.of(
        "AWS_ACCESS_KEY_ID", accessKey,
        "AWS_SECRET_ACCESS_KEY", secretKey,
        "AWS_REGION", REGION);
  }

  /**
   * Opens a store in a bucket of this server, as a probe leaves it.
   *
   * @param bucket bucket and prefix
   * @return the store, to be closed by the caller
   * @throws IOException if it cannot be opened
   */
  public ObjectStore open(StoreLocation.Bucket bucket) throws IOException {
    ObjectStore store = Stores.open(bucket, options());
    store.probedService().orElseThrow().speak(dialect);
    return store;
  }

  /**
   * Creates a bucket that no other test uses. It stays when the test ends.
   *
   * @return the empty bucket
   */
  public StoreLocation.Bucket newBucket() {
    byte[] random = new byte[8];
    ThreadLocalRandom.current().nextBytes(random);
    String bucket = "jgits3-test-" + HexFormat.of().formatHex(random);
    try (S3Client client = client()) {
      client.createBucket(b -> b.bucket(bucket));
    }
    return new StoreLocation.Bucket(bucket, "");
  }

  /**
   * Creates a bucket that no other test uses, with one object.
   *
   * @param key the object
   * @param content its bytes
   * @return the bucket
   * @throws IOException if it cannot be written
   */
  public StoreLocation.Bucket newBucket(String key, byte[] content) throws IOException {
    StoreLocation.Bucket bucket = newBucket();
    try (ObjectStore store = open(bucket)) {
      store.put(key, content, 0, content.length);
    }
    return bucket;
  }

  /**
   * Name by which the server calls itself.
   *
   * @return its {@code Server} header, empty if it sends none: {@code VERSITYGW}, {@code MinIO}
   */
  public String product() {
    try {
      HttpURLConnection connection = (HttpURLConnection) endpoint.toURL().openConnection();
      connection.setRequestMethod("HEAD");
      String product = connection.getHeaderField("Server");
      connection.disconnect();
      return product == null ? "" : product;
    } catch (IOException e) {
      throw new UncheckedIOException(this + " does not answer", e);
    }
  }

  /** Tests whether the server accepts its administrator. */
  boolean answers() {
    try (S3Client client = client()) {
      client.listBuckets();
      return true;
    } catch (RuntimeException e) {
      return false;
    }
  }

  private S3Client client() {
    return S3Client.builder()
        .httpClientBuilder(Apache5HttpClient.builder())
        .endpointOverride(endpoint)
        .forcePathStyle(true)
        .region(Region.of(REGION))
        .credentialsProvider(
            StaticCredentialsProvider.create(AwsBasicCredentials.create(accessKey, secretKey)))
        .build();
  }

  /** Ends the server if the tests have started it. */
  @Override
  public void close() {
    stop.run();
  }

  @Override
  public String toString() {
    return name + " at " + endpoint;
  }
}
