// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
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
   * Opens a bucket, a directory, or the store of an {@link ObjectStoreProvider}.
   *
   * @param location location of the store
   * @param options options of the connection; ignored for a directory
   * @return the store, to be closed by the caller or by the manager that it is given to
   * @throws IllegalArgumentException with one line, if no provider has the scheme of the URL, or
   *     its provider does not take it
   * @throws IOException if a directory cannot be created or used, the region is not known, or a
   *     provider cannot open the store
   */
  public static ObjectStore open(StoreLocation location, StoreOptions options) throws IOException {
    if (location instanceof StoreLocation.Bucket bucket) {
      return S3ObjectStore.open(bucket, options);
    }
    if (location instanceof StoreLocation.Provided provided) {
      return provider(provided).open(provided.url(), options);
    }
    return new DirectoryObjectStore(((StoreLocation.Directory) location).path());
  }

  /**
   * Requires a location that can be opened by its kind.
   *
   * @throws IllegalArgumentException if no provider has the scheme of the URL
   */
  static StoreLocation known(StoreLocation location) {
    if (location instanceof StoreLocation.Provided provided) {
      provider(provided);
    }
    return location;
  }

  /**
   * Finds the provider of a location; of several, the first on the class path of the thread, then
   * of this library. One that cannot be loaded hides no other.
   */
  private static ObjectStoreProvider provider(StoreLocation.Provided location) {
    Set<String> known = new TreeSet<>(Set.of("file:", "s3:"));
    ServiceConfigurationError failure = null;
    for (ServiceLoader<ObjectStoreProvider> loader :
        List.of(
            ServiceLoader.load(ObjectStoreProvider.class),
            ServiceLoader.load(
                ObjectStoreProvider.class, ObjectStoreProvider.class.getClassLoader()))) {
      Iterator<ObjectStoreProvider> providers = loader.iterator();
      while (true) {
        try {
          if (!providers.hasNext()) {
            break;
          }
          ObjectStoreProvider provider = providers.next();
          if (location.scheme().equals(provider.scheme())) {
            return provider;
          }
          known.add(provider.scheme() + ":");
        } catch (ServiceConfigurationError e) {
          failure = e;
        }
      }
    }
    if (failure != null) {
      throw new IllegalArgumentException(
          "'" + location + "': a provider of stores cannot be loaded: " + failure.getMessage(),
          failure);
    }
    throw new IllegalArgumentException(
        "'"
            + location
            + "' is not a store: no jar on the class path provides "
            + location.scheme()
            + ":, only "
            + String.join(", ", known));
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
