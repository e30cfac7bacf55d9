// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import java.io.IOException;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreOptions;

/**
 * Opens the stores of one URL scheme, for a service that this library has no client for.
 *
 * <p>{@link java.util.ServiceLoader} finds a provider by the class loader of the calling thread:
 * the class is public, has a public constructor without parameters, and its jar names it in {@code
 * META-INF/services/org.jgits3.ObjectStoreProvider}. With the jar on its class path, a program can
 * use such URLs.
 *
 * <p>The first writer probes the store, as it probes a bucket.
 */
public interface ObjectStoreProvider {
  /**
   * Scheme of the URLs of these stores.
   *
   * @return the scheme without its colon, in lower case; a provider of {@code file} or {@code s3}
   *     is never asked
   */
  String scheme();

  /**
   * Opens a store. Called for each use of the store, also several times for one URL; the stores
   * then have the same objects.
   *
   * @param url the URL as an administrator wrote it, with the scheme of this provider
   * @param options {@code [s3]} settings of the connection; those that do not fit the service are
   *     ignored
   * @return the store, to be closed by the caller
   * @throws IllegalArgumentException with one line that says what is wrong with the URL
   * @throws IOException if the store cannot be opened
   */
  ObjectStore open(String url, StoreOptions options) throws IOException;
}
