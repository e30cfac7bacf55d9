// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store;

import java.io.IOException;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.internal.store.s3.S3ObjectStore;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreLocation;
import org.jgits3.store.StoreOptions;

/** Opens stores by their location. */
public final class Stores {
  private Stores() {}

  /**
   * Opens the store. Sends no request; probe the store before trusting it.
   *
   * @param location location of the store
   * @param options options of the connection to S3; ignored for a directory
   * @return the store
   * @throws IOException if a directory cannot be created or used, or the region is not known
   */
  public static ObjectStore open(StoreLocation location, StoreOptions options) throws IOException {
    if (location instanceof StoreLocation.Bucket bucket) {
      return S3ObjectStore.open(bucket, options);
    }
    return new DirectoryObjectStore(((StoreLocation.Directory) location).path());
  }
}
