// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing;

import java.io.IOException;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreLocation;

/** A new bucket on the server that {@link S3Servers} finds. Skips the test if there is none. */
public final class TestBucket {
  private final S3Server server = S3Servers.require();
  private final StoreLocation.Bucket location = server.newBucket();

  /** Opens a store in the bucket, once more with each call. */
  public ObjectStore open() throws IOException {
    return server.open(location);
  }
}
