// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jgits3.internal.function.Causes;
import org.jgits3.internal.store.s3.S3Failure.Kind;
import org.jgits3.store.ObjectInfo;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.StoreException;
import org.jgits3.store.StoreLocation;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;

/**
 * Requests to one bucket: how many are sent at a time, how often, and what their keys and failures
 * are called. Some connections are reserved for requests that do not ask for one, those of
 * manifests. Safe for use by many threads.
 */
final class S3Requests {
  /**
   * Longest wait for a free connection. That wait bounds parallel transfers, so it is no failure.
   */
  private static final long ACQUISITION_MINUTES = 5;

  /** Most connections that are kept free of transfers. */
  private static final int MOST_RESERVED = 8;

  private final StoreLocation.Bucket location;
  private final S3Client client;
  private final Retries retries;

  /** Connections for all requests but reads and writes of whole small objects. */
  private final Semaphore transfers;

  /** Beginning of every key: empty, or the prefix and a slash. */
  private final String root;

  S3Requests(StoreLocation.Bucket location, S3Client client, int connections, Duration deadline) {
    this.location = location;
    this.client = client;
    this.retries = new Retries(deadline);
    this.transfers = new Semaphore(connections - Math.min(MOST_RESERVED, connections / 4), true);
    this.root = location.prefix().isEmpty() ? "" : location.prefix() + "/";
  }

  S3Client client() {
    return client;
  }

  Retries retries() {
    return retries;
  }

  String bucket() {
    return location.bucket();
  }

  /** Key in the bucket. */
  String key(String key) {
    return root + key;
  }

  /** Key in the store. */
  String keyOf(String inBucket) {
    return inBucket.substring(root.length());
  }

  /** Bounds an attempt, whatever the settings of a borrowed client. */
  static Consumer<AwsRequestOverrideConfiguration.Builder> within(Duration limit) {
    return override -> override.apiCallTimeout(limit).apiCallAttemptTimeout(limit);
  }

  /**
   * Sends a request that can be repeated without harm over one of the connections for transfers.
   *
   * @throws StoreException the last failure, named after the key
   */
  <T> T send(String key, Supplier<T> request) throws StoreException {
    return send(key, retries.begin(), failures -> connected(request));
  }

  <T> T send(String key, Retries.Run run, IntFunction<T> request) throws StoreException {
    try {
      return retries.run(run, request);
    } catch (SdkException e) {
      throw failed(key, S3Failure.of(e));
    }
  }

  /** Makes one attempt over one of the connections for transfers. */
  <T> T connected(Supplier<T> request) {
    try {
      if (!transfers.tryAcquire(ACQUISITION_MINUTES, TimeUnit.MINUTES)) {
        throw SdkClientException.create("no connection was free within 5 minutes");
      }
    } catch (InterruptedException e) {
      throw AbortedException.create("interrupted", e);
    }
    try {
      return request.get();
    } finally {
      transfers.release();
    }
  }

  Optional<ObjectInfo> stat(String key) throws StoreException {
    try {
      return Optional.of(
          retries.run(
              retries.begin(),
              failures ->
                  connected(() -> info(client.headObject(b -> b.bucket(bucket()).key(key(key)))))));
    } catch (SdkException e) {
      S3Failure failure = S3Failure.of(e);
      if (failure.kind() == Kind.NO_SUCH_KEY || failure.kind() == Kind.NOT_FOUND) {
        return Optional.empty();
      }
      throw failed(key, failure);
    }
  }

  private static ObjectInfo info(HeadObjectResponse head) {
    ObjectVersion version = version(head.eTag()); // first: a page may have no length either
    return new ObjectInfo(head.contentLength(), version, head.metadata());
  }

  /**
   * Returns the version that an answer tells.
   *
   * @throws SdkClientException as {@link #required}
   */
  static ObjectVersion version(String tag) {
    return new ObjectVersion(required("an ETag", tag));
  }

  /**
   * Returns a value that the success of a store always has. Without it another server has answered,
   * such as a proxy, and nothing was done.
   *
   * @throws SdkClientException if there is none; the request may be repeated
   */
  static String required(String what, String value) {
    if (value == null || value.isEmpty()) {
      throw SdkClientException.create(
          "a success without " + what + "; is this a store, or a proxy?");
    }
    return value;
  }

  /** Returns the failure of a request, or the defect of its answer that the SDK has wrapped. */
  StoreException failed(String key, S3Failure failure) {
    return Causes.find(failure.cause(), StoreException.class)
        .orElseGet(() -> failure.toException(key, location(key)));
  }

  /** Location of an object in messages. */
  String location(String key) {
    return "s3://" + bucket() + "/" + key(key);
  }
}
