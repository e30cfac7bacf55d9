// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import java.io.IOException;
import java.util.function.Consumer;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.s3.S3ObjectStore;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;
import org.jgits3.store.StoreListener;
import org.jgits3.store.StoreLocation;
import org.jgits3.store.StoreOptions;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;

/**
 * Opens stores. Sends no request: {@link S3RepositoryManager#open(ObjectStore, S3Settings)} probes
 * a store before it trusts it.
 */
public final class Stores {
  private Stores() {}

  /**
   * Opens a bucket or a directory.
   *
   * @param location location of the store
   * @param options options of the connection to S3; ignored for a directory
   * @return the store, to be closed by the caller or by the manager that it is given to
   * @throws IOException if a directory cannot be created or used, or the region is not known
   */
  public static ObjectStore open(StoreLocation location, StoreOptions options) throws IOException {
    if (location instanceof StoreLocation.Bucket bucket) {
      return S3ObjectStore.open(bucket, options);
    }
    return new DirectoryObjectStore(((StoreLocation.Directory) location).path());
  }

  /**
   * Opens a bucket with a client that the caller configures further.
   *
   * @param bucket bucket and prefix
   * @param options how to reach it
   * @param configure gives the client other credentials or connections, which the caller closes
   *     after the store, or adds metric publishers or interceptors. Retries are set afterwards
   * @return the store, to be closed by the caller or by the manager that it is given to
   * @throws StoreException.Refused if no region is given and the AWS default chain knows none
   */
  public static ObjectStore open(
      StoreLocation.Bucket bucket, StoreOptions options, Consumer<S3ClientBuilder> configure)
      throws StoreException {
    return S3ObjectStore.open(bucket, options, configure);
  }

  /**
   * Opens a bucket with a client of the caller, with its connections, credentials, region and
   * endpoint. Other settings come with each request. The store replaces the retries of the client,
   * because a retry that the store does not see would turn the success of a conditional write into
   * a conflict. A conditional write takes ten seconds at most and completing a large upload may
   * take ten minutes, whatever the time-outs of the client. Each attempt of any other request,
   * parts of uploads included, must end within the client's own time-outs for calls and attempts,
   * if it has any.
   *
   * <p>The client should compute checksums only on request ({@code WHEN_REQUIRED}): others only
   * cost time. Requests beyond its connections wait in it for one, and fail if they get none within
   * its acquisition timeout, 10 seconds by default.
   *
   * @param bucket bucket and prefix
   * @param client the client; the caller closes it, after the store. Closing the store leaves it
   *     open
   * @param connections most connections at a time that this store gets of the client's, at least 1;
   *     they cannot be asked of it: 50 if nothing was said to the SDK. All but a quarter of them,
   *     and all but 8 at most, serve transfers
   * @return the store
   * @throws IllegalArgumentException if there is not one connection
   */
  public static ObjectStore using(StoreLocation.Bucket bucket, S3Client client, int connections) {
    return S3ObjectStore.using(bucket, client, connections);
  }

  /**
   * Tells a listener, such as {@code RequestMeters}, of each request to a store.
   *
   * @param store the store; closed with the returned one
   * @param listener called by many threads, quickly
   * @return the store, observed
   */
  public static ObjectStore observed(ObjectStore store, StoreListener listener) {
    return new ObservedObjectStore(store, listener);
  }
}
